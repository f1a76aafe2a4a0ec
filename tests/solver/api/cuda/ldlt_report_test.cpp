/// What LDLᵀ on a device reports: agreement with the host, statuses that can be trusted, graphs, and what is refused.

#include <algorithm>
#include <random>

#include "gpusupernodal/error.hpp"
#include "io/general_matrix.hpp"
#include "tests/solver/api/cuda/counted_graphs.hpp"
#include "tests/solver/api/cuda/ldlt_on_device.hpp"
#include "tests/solver/api/ldlt_scenarios.hpp"
#include "tests/support/data.hpp"

namespace gpusupernodal::test::symmetric {
namespace {

class CudaLdltReport : public ::testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};

/// Without replaced pivots both find the same D and the same growth where the host takes no pairs, up to rounding.
TEST_F(CudaLdltReport, AgreesWithTheHost) {
  const GeneralEntries a = dominant(400, 3, 9);
  Options options = cuda_options();
  Solver<double> device(options);
  options.backend = Backend::host;
  Solver<double> host(options);
  compute(device, a);
  compute(host, a);
  const FactorReport found = device.factor_report();
  const FactorReport expected = host.factor_report();
  EXPECT_EQ(found.inertia.negative, expected.inertia.negative);
  EXPECT_EQ(found.inertia.positive, expected.inertia.positive);
  EXPECT_EQ(found.inertia_exact, expected.inertia_exact);
  EXPECT_TRUE(found.inertia_exact);
  EXPECT_NEAR(device.log_determinant(), host.log_determinant(), bound<double>(a.n) * std::abs(host.log_determinant()));
  const PivotBlocks<double> d = device.extract_d();
  EXPECT_EQ(std::count_if(d.diagonal.begin(), d.diagonal.end(), [](double pivot) { return pivot < 0.0; }),
            found.inertia.negative);
  double logarithm = 0.0;
  for (const double pivot : d.diagonal) logarithm += std::log(std::abs(pivot));
  EXPECT_NEAR(logarithm, host.log_determinant(), bound<double>(a.n) * std::abs(logarithm));
  EXPECT_TRUE(std::all_of(d.beside.begin(), d.beside.end(), [](double entry) { return entry == 0.0; }));
  EXPECT_GT(found.growth, 0.0);
  EXPECT_LE(found.growth, 100.0);
  EXPECT_GT(found.smallest_pivot, 0.0);
  EXPECT_GE(found.largest_pivot, found.smallest_pivot);
}

TEST_F(CudaLdltReport, NamesTheNullPivotsOfFloatingSubdomains) { expect_null_pivots_of_floating_grids(cuda_options(), 30); }

TEST_F(CudaLdltReport, NeverReturnsAWrongSolutionWhileAPivotGoesToZero) {
  expect_accurate_while_a_pivot_vanishes(cuda_options(), true);
}

/// Small systems of all kinds: a solution that is returned is accurate, and an inertia that is called exact is that of the
/// eigenvalues. How many are refused is not bounded: a device takes pivots in the order of the plan.
TEST_F(CudaLdltReport, CanBeTrustedForManySmallMatrices) {
  int exact = 0, solved_systems = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::mt19937_64 random(static_cast<std::uint64_t>(trial));
    std::uniform_real_distribution<double> value(-1.0, 1.0);
    const std::int64_t n = 1 + trial % 24;
    GeneralEntries a{n, {}};
    for (std::int64_t i = 0; i < n; ++i) {
      a(i, i) = trial % 3 == 0 ? 0.0 : trial % 3 == 1 ? value(random) : 1e-12 * value(random);
      for (int k = 0; k < 1 + trial % 7; ++k) {
        const auto j = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
        if (j != i) put(a, i, j, value(random) * std::exp2((trial % 5 == 0 ? 10.0 : 1.0) * value(random)));
      }
    }
    Solver<double> solver(cuda_options());
    compute(solver, a);
    const FactorReport report = solver.factor_report();
    ASSERT_EQ(report.inertia.positive + report.inertia.negative + report.inertia.zero, n) << "trial " << trial;
    if (report.inertia_exact) {
      ++exact;
      const std::vector<double> values = eigenvalues(a);
      ASSERT_EQ(report.inertia.negative, std::count_if(values.begin(), values.end(), [](double v) { return v < 0.0; }))
          << "trial " << trial;
    }
    if (report.status != Status::success) continue;
    const std::vector<double> b = right_hand_sides<double>(n, 3);
    try {
      ASSERT_LE(general_backward_error(a, solved(solver, b), b), bound<double>(n)) << "trial " << trial;
      ++solved_systems;
    } catch (const NumericalFailure&) {
      continue;
    }
  }
  EXPECT_GE(exact, 30);
  EXPECT_GE(solved_systems, 200);
  RecordProperty("exact", exact);
  RecordProperty("solved", solved_systems);
}

TEST_F(CudaLdltReport, NamesAnEntryThatIsNotFinite) {
  GeneralEntries a = laplacian(5, 1.0);
  Solver<double> solver(cuda_options());
  put(a, 77, 76, std::numeric_limits<double>::quiet_NaN());
  compute(solver, a);
  ASSERT_EQ(solver.status(), Status::non_finite_input);
  EXPECT_EQ(solver.factor_report().failed_row, 77);
  EXPECT_EQ(solver.factor_report().failed_column, 76);
  Options unchecked = cuda_options();
  unchecked.check_finite = false;
  Solver<double> careless(unchecked);
  compute(careless, a);
  EXPECT_EQ(careless.status(), Status::unstable);
  compute(careless, laplacian(5, 1.0));
  EXPECT_EQ(careless.status(), Status::success) << "a later factorization";
}

/// Rows and columns of very different magnitudes: scaling makes all pivots comparable.
TEST_F(CudaLdltReport, ScalesMatricesOfVeryDifferentMagnitudes) {
  GeneralEntries a = dominant(300, 3, 4);
  const std::int64_t negative = std::count_if(a.entries.begin(), a.entries.end(), [](const auto& entry) {
    return entry.first.first == entry.first.second && entry.second < 0.0;
  });
  for (auto& [place, value] : a.entries)
    value *= std::exp2(static_cast<double>(place.first % 7) * 20.0 + static_cast<double>(place.second % 7) * 20.0);
  Solver<double> solver(cuda_options());
  compute(solver, a);
  expect_accurate(solver, a, "scaled");
  EXPECT_EQ(solver.factor_report().inertia.negative, negative);
  EXPECT_EQ(solver.factor_report().perturbed_pivots, 0);
}

/// From the second factorization on, one graph is launched; a graph of the caller can contain a factorization, and a solve
/// says why it cannot be captured.
TEST_F(CudaLdltReport, FactorizationsAreGraphs) {
  const CallersStream stream;
  Solver<double> solver(cuda_options());
  solver.set_stream(stream.get());
  const StoredGeneral<double> plain = store_part<double>(laplacian(9, 0.0), lower);
  const StoredGeneral<double> shifted = store_part<double>(laplacian(9, 2.0), lower);
  DeviceArray<double> values(plain.values);
  const auto refactorize = [&] {
    solver.refactorize(Span<const double>(values.get(), plain.values.size()), MemorySpace::device);
  };
  solver.analyze(view_of(plain, lower));
  refactorize();
  refactorize();
  const std::int64_t graphs = graph_instantiations();
  for (int round = 0; round < 3; ++round) refactorize();
  EXPECT_EQ(graph_instantiations(), graphs);
  EXPECT_EQ(solver.status(), Status::success);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t instance = nullptr;
  const DeviceArray<double> x(std::vector<double>(static_cast<std::size_t>(plain.n), 1.0));
  const DenseView<double> view(x.get(), plain.n, MemorySpace::device);
  GPUSUPERNODAL_CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed));
  refactorize();
  EXPECT_THROW(solver.solve(DenseView<const double>(view), view), InvalidState);
  GPUSUPERNODAL_CUDA_CHECK(cudaStreamEndCapture(stream.get(), &graph));
  GPUSUPERNODAL_CUDA_CHECK(cudaGraphInstantiate(&instance, graph, 0));
  for (const bool is_shifted : {true, false}) {
    const std::vector<double>& source = is_shifted ? shifted.values : plain.values;
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpyAsync(values.get(), source.data(), source.size() * sizeof(double),
                                             cudaMemcpyHostToDevice, stream.get()));
    GPUSUPERNODAL_CUDA_CHECK(cudaGraphLaunch(instance, stream.get()));
    stream.wait();
    expect_accurate(solver, laplacian(9, is_shifted ? 2.0 : 0.0), "graph");
    EXPECT_EQ(solver.factor_report().inertia.negative, is_shifted ? eigenvalues_below(9, 2.0) : 0);
  }
  GPUSUPERNODAL_CUDA_CHECK(cudaGraphExecDestroy(instance));
  GPUSUPERNODAL_CUDA_CHECK(cudaGraphDestroy(graph));
}

/// The plan of Cholesky, with its part for the device, serves LDLᵀ.
TEST_F(CudaLdltReport, TakesThePlanOfCholesky) {
  const GeneralEntries a = laplacian(8, 3.3);
  const StoredGeneral<double> stored = store_part<double>(a, lower);
  Options options = cuda_options();
  options.form = gpusupernodal::Form::llt;
  Solver<double> cholesky(options);
  cholesky.compute(view_of(stored, lower));
  ASSERT_EQ(cholesky.status(), Status::not_positive_definite);
  Solver<double> solver(cuda_options());
  solver.analyze(view_of(stored, lower), cholesky.plan());
  solver.refactorize(stored.values);
  expect_accurate(solver, a, "plan of Cholesky");
}

TEST_F(CudaLdltReport, SolvesTheKktSystemOfAPowerFlow) {
  const std::vector<std::string> paths = further_matrices();
  const auto path = std::find_if(paths.begin(), paths.end(), [](const std::string& name) {
    return name.find("ACTIVSg200_KKT.mtx") != std::string::npos;
  });
  if (path == paths.end()) GTEST_SKIP() << "ACTIVSg200_KKT is not in the folder GPUSUPERNODAL_TEST_DATA";
  const io::GeneralMatrix matrix = io::load_general(*path);
  GeneralEntries a{matrix.n, {}};
  for (std::int64_t j = 0; j < matrix.n; ++j) {
    for (auto k = static_cast<std::size_t>(matrix.offsets[static_cast<std::size_t>(j)]);
         k < static_cast<std::size_t>(matrix.offsets[static_cast<std::size_t>(j) + 1]); ++k)
      a(matrix.indices[k], j) = matrix.values[k];
  }
  Solver<double> solver(cuda_options());
  compute(solver, a);
  expect_accurate(solver, a, "KKT");
  EXPECT_EQ(solver.factor_report().inertia.positive, 2768);
  EXPECT_EQ(solver.factor_report().inertia.negative, 1876);
  RecordProperty("perturbed", static_cast<int>(solver.factor_report().perturbed_pivots));
}

TEST_F(CudaLdltReport, SaysWhatADeviceDoesNotTake) {
  const GeneralEntries a = laplacian(3, 1.0);
  for (const bool deterministic : {true, false}) {
    Options options = cuda_options();
    options.deterministic = deterministic;
    if (!deterministic) options.cuda_schedule = CudaSchedule::streams;
    Solver<double> solver(options);
    EXPECT_THROW(compute(solver, a), BackendUnavailable);
    options.backend = Backend::automatic;
    Solver<double> on_host(options);
    compute(on_host, a);
    EXPECT_EQ(on_host.backend(), Backend::host);
  }
  Solver<double> solver(cuda_options());
  compute(solver, a);
  EXPECT_THROW(solver.extract_l(), InvalidInput);
  std::vector<double> x(27);
  EXPECT_THROW(solver.solve({x.data(), 27}, {x.data(), 27}, System::forward), InvalidInput);
}

}  // namespace
}  // namespace gpusupernodal::test::symmetric
