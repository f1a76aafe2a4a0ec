/// Each allocation under the Eigen class fails once.

#include <functional>
#include <optional>

#include "gpusupernodal/eigen.hpp"
#include "tests/faults/failing_allocator.hpp"
#include "tests/faults/sweep.hpp"

namespace gpusupernodal::test {
namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Vector = Eigen::VectorXd;

Matrix grid(int edge, double scale) {
  const io::SymmetricMatrix a = io::generate("lap2d:" + std::to_string(edge));
  const StoredMatrix<double> s = stored<double>(a);
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t j = 0; j < static_cast<std::size_t>(s.n); ++j) {
    for (auto e = s.offsets[j]; e < s.offsets[j + 1]; ++e) {
      const auto k = static_cast<std::size_t>(e);
      entries.emplace_back(static_cast<int>(s.indices[k]), static_cast<int>(j), scale * s.values[k]);
    }
  }
  Matrix matrix(a.n, a.n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

/// A float factor of double matrices uses the paths with conversions and workspaces.
template <class Factor>
struct EigenLife {
  explicit EigenLife(const Options& options)
      : a(grid(8, 1.0)), twice(grid(8, 2.0)), small(grid(6, 1.0)), b(Vector::LinSpaced(a.rows(), 1, 2)) {
    x.resize(a.rows());
    more.setOnes(a.rows(), 3);
    more_x.resize(a.rows(), 3);
    solver.emplace();
    solver->options() = options;
  }
  Matrix a, twice, small;
  Vector b, x;
  Eigen::MatrixXd more, more_x;  ///< Several right-hand sides and their solutions.
  std::optional<Factor> solver;
};

template <class Factor>
struct EigenPhase {
  const char* name;
  bool factor_first;
  std::function<void(EigenLife<Factor>&)> call;
};

template <class Factor>
std::vector<EigenPhase<Factor>> eigen_phases() {
  using Life = EigenLife<Factor>;
  return {{"construct", false, [](Life& life) { life.solver.emplace(); }},
          {"construct from a matrix", false, [](Life& life) { life.solver.emplace(life.a); }},
          {"compute", false, [](Life& life) { life.solver->compute(life.a); }},
          {"compute an expression", false, [](Life& life) { life.solver->compute(life.a * 0.5 + life.a * 0.5); }},
          {"compute again", true, [](Life& life) { life.solver->compute(life.a); }},
          {"compute another size", true, [](Life& life) { life.solver->compute(life.small); }},
          {"analyzePattern", true, [](Life& life) { life.solver->analyzePattern(life.a); }},
          {"factorize", true, [](Life& life) { life.solver->factorize(life.a); }},
          {"solve", true, [](Life& life) { life.x = life.solver->solve(life.b); }},
          {"solve an expression", true, [](Life& life) { life.x = life.solver->solve(life.b * 2.0) * 0.5; }},
          {"solve of 3 after solve of 1", true,
           [](Life& life) {
             life.x = life.solver->solve(life.b * 2.0);
             life.more_x = life.solver->solve(life.more * 2.0);
           }},
          {"matrixL", true, [](Life& life) { static_cast<void>(life.solver->matrixL().rows()); }},
          {"matrixL of another size", true,
           [](Life& life) {
             static_cast<void>(life.solver->matrixL().rows());
             life.solver->compute(life.small);
             if (life.solver->info() != Eigen::Success) return;
             static_cast<void>(life.solver->matrixL().rows());
           }},
          {"determinant", true, [](Life& life) { static_cast<void>(life.solver->logDeterminant()); }},
          {"report", true, [](Life& life) { static_cast<void>(life.solver->report()); }},
          {"move", true, [](Life& life) {
             Factor moved(std::move(*life.solver));
             *life.solver = std::move(moved);
           }}};
}

template <class Factor>
void expect_works(EigenLife<Factor>& life) {
  using Scalar = typename Factor::Scalar;
  life.solver->compute(life.a);
  ASSERT_EQ(life.solver->info(), Eigen::Success) << life.solver->report().failure;
  const Vector x = life.solver->solve(life.b);
  const double error = (life.a.template selfadjointView<Eigen::Lower>() * x - life.b).norm();
  EXPECT_LE(error, backward_error_bound<Scalar>(life.a.rows()) * (8.0 * x.norm() + life.b.norm()));
}

template <class Factor>
bool break_eigen_off(const Options& options, Injection& faults, const EigenPhase<Factor>& phase, std::int64_t k) {
  EigenLife<Factor> life(options);
  if (phase.factor_first) life.solver->compute(life.twice);
  faults.arm(k, Lasting::once);
  Ended ended = attempt([&] { phase.call(life); });
  faults.disarm();
  const bool fired = faults.fired();
  if (!life.solver) life.solver.emplace();
  if (ended == Ended::well && !life.solver->report().failure.empty()) ended = Ended::out_of_memory;
  if (!fired) {
    EXPECT_EQ(ended, Ended::well);
  }
  expect_works(life);
  return fired;
}

template <class Factor>
void sweep_eigen(const Options& options, Injection& faults, const std::string& what) {
  for (const EigenPhase<Factor>& phase : eigen_phases<Factor>()) {
    std::int64_t failures = 0;
    break_eigen_off(options, faults, phase, 0);  // Creates what is created once per process.
    for (std::int64_t k = 1;; ++k) {
      SCOPED_TRACE(std::string(phase.name) + ", failure at site " + std::to_string(k));
      const std::int64_t pieces = heap_pieces();
      const bool fired = break_eigen_off(options, faults, phase, k);
      EXPECT_EQ(heap_pieces(), pieces) << "a leak";
      if (testing::Test::HasFailure()) return;
      if (!fired) break;
      ++failures;
    }
    print_sites(what, phase.name, failures);
  }
}

TEST(EigenFaults, AnyAllocationFailsOnce) {
  Options options = on(Backend::host);
  options.threads = 1;
  sweep_eigen<Eigen::GpuSupernodalLLT<Matrix>>(options, heap_faults(), "Eigen, operator new and malloc");
  sweep_eigen<Eigen::GpuSupernodalLLT<Eigen::SparseMatrix<float>>>(options, heap_faults(),
                                                                   "Eigen in float, operator new and malloc");
}

TEST(EigenFaults, AnyRequestOfTheAllocatorIsRefused) {
  const auto allocator = std::make_shared<FailingAllocator>();
  Options options = on(Backend::host);
  options.host_allocator = allocator;
  sweep_eigen<Eigen::GpuSupernodalLLT<Matrix>>(options, allocator->faults, "Eigen, host_allocator");
  EXPECT_EQ(allocator->pieces(), 0);
}

}  // namespace
}  // namespace gpusupernodal::test
