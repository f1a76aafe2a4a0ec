#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "tests/faults/failing_allocator.hpp"
#include "tests/solver/api/pcg_faults.hpp"
#include "tests/solver/api/solvers.hpp"
#include "tests/support/data.hpp"
#include "tests/support/every.hpp"

namespace gpusupernodal::test::pcg {
namespace {

PcgOptions on_host(Preconditioner preconditioner = Preconditioner::jacobi) {
  return options_on(Backend::host, preconditioner);
}

/// On all matrices of the project FSAI takes at most as many iterations as Jacobi.
TEST(PcgPreconditioners, FsaiTakesFewerIterationsThanJacobi) {
  Thinned cases;
  for (const std::string& path : project_matrices()) {
    if (!cases.takes_next()) continue;
    const io::SymmetricMatrix a = io::read_matrix_market(path);
    const std::int64_t jacobi = iterations(Preconditioner::jacobi, a);
    const std::int64_t fsai = iterations(Preconditioner::fsai, a);
    EXPECT_LE(fsai, jacobi) << path;
    RecordProperty("jacobi " + a.name, std::to_string(jacobi));
    RecordProperty("fsai " + a.name, std::to_string(fsai));
  }
}

TEST(PcgPreconditioners, BetterOnesTakeFewerIterations) {
  const io::SymmetricMatrix a = io::generate("lap2d:60");
  const std::int64_t jacobi = iterations(Preconditioner::jacobi, a);
  const std::int64_t ssor = iterations(Preconditioner::ssor_ai, a);
  const std::int64_t fsai = iterations(Preconditioner::fsai, a);
  const std::int64_t ic0 = iterations(Preconditioner::ic0, a);
  EXPECT_LT(ssor, jacobi);
  EXPECT_LT(fsai, jacobi);
  EXPECT_LT(ic0, fsai);
  EXPECT_LE(iterations(Preconditioner::factor, a), 2);
}

/// A tridiagonal matrix has no fill, so IC(0) is its Cholesky factor.
TEST(PcgPreconditioners, Ic0OfAChainIsExact) { EXPECT_LE(iterations(Preconditioner::ic0, chain(500, 2.0, 2.0)), 2); }

/// Nor has a dense block.
TEST(PcgPreconditioners, Ic0OfDenseBlocksIsExact) { EXPECT_LE(iterations(Preconditioner::ic0, blocks_spd(20, 9, 4)), 2); }

/// Ones on the diagonal and 0.9 elsewhere: positive definite, and D^−½ L D^−½ has row sums up to 26.1.
TEST(PcgPreconditioners, SsorIsRefusedBeyondItsBound) {
  io::SymmetricMatrix dense = dense_spd(30, 2);
  for (std::int64_t j = 0; j < dense.n; ++j) {
    for (auto e = static_cast<std::size_t>(dense.offsets[static_cast<std::size_t>(j)]);
         e < static_cast<std::size_t>(dense.offsets[static_cast<std::size_t>(j) + 1]); ++e)
      dense.values[e] = dense.indices[e] == j ? 1.0 : 0.9;
  }
  const Stored<double> a(dense);
  expect_throw<InvalidInput>([&] { solve(on_host(Preconditioner::ssor_ai), a, random_side<double>(30)); },
                             {"ssor_ai", "bound", "fsai"});
}

/// A dense last row costs the longest rows of G only; its columns are those with the largest entries.
TEST(PcgPreconditioners, FsaiCutsLongRows) {
  const io::SymmetricMatrix a = arrowhead_spd(2000);
  EXPECT_LE(iterations(Preconditioner::fsai, a), 40);
}

/// Row 1 repeats row 0, so the local matrix of row 1 is singular.
TEST(PcgPreconditioners, SingularLocalMatricesGetAPlainRow) {
  io::SymmetricMatrix a;
  a.n = 3;
  a.offsets = {0, 2, 3, 4};
  a.indices = {0, 1, 1, 2};
  a.values = {1.0, 1.0, 1.0, 5.0};
  const Solved<double> solved = solve(on_host(Preconditioner::fsai), Stored<double>(a), {2.0, 2.0, 5.0});
  EXPECT_EQ(solved.report.plain_rows, 1);
  EXPECT_TRUE(solved.report.converged());
}

TEST(PcgOptionsTest, RefusesValuesOutOfRange) {
  const auto refused = [](const std::function<void(PcgOptions&)>& change, const char* name) {
    PcgOptions options;
    change(options);
    expect_throw<InvalidInput>([&] { Pcg<double> pcg(options); }, {name});
    Pcg<float> pcg;
    expect_throw<InvalidInput>([&] { pcg.set_options(options); }, {name});
    EXPECT_EQ(pcg.options().max_iterations, 0);
  };
  refused([](PcgOptions& o) { o.tolerance = 1.0; }, "tolerance");
  refused([](PcgOptions& o) { o.tolerance = -1e-3; }, "tolerance");
  refused([](PcgOptions& o) { o.tolerance = std::numeric_limits<double>::quiet_NaN(); }, "tolerance");
  refused([](PcgOptions& o) { o.absolute_tolerance = -1.0; }, "absolute_tolerance");
  refused([](PcgOptions& o) { o.max_iterations = -1; }, "max_iterations");
  refused([](PcgOptions& o) { o.block_size = 9; }, "block_size");
  refused([](PcgOptions& o) { o.renewal_iterations = -1; }, "renewal_iterations");
  refused([](PcgOptions& o) { o.threads = -1; }, "threads");
  refused([](PcgOptions& o) { o.device = -2; }, "device");
  refused([](PcgOptions& o) { o.preconditioner = static_cast<Preconditioner>(9); }, "preconditioner");
  refused([](PcgOptions& o) { o.renewal = static_cast<Renewal>(3); }, "renewal");
  refused([](PcgOptions& o) { o.factor_precision = static_cast<FactorPrecision>(2); }, "factor_precision");
  refused([](PcgOptions& o) { o.backend = static_cast<Backend>(5); }, "backend");
}

TEST(PcgInput, RefusesWrongCallsWithNumbers) {
  const Stored<double> a(io::generate("lap2d:4"));
  std::vector<double> b(16, 1.0), x(16);
  const DenseView<const double> side(b.data(), 16);
  const DenseView<double> target(x.data(), 16);
  Pcg<double> pcg(on_host());
  expect_throw<InvalidState>([&] { pcg.solve(side, target); }, {"analyze"});
  expect_throw<InvalidState>([&] { pcg.update(a.values); }, {"analyze"});
  pcg.analyze(a.view());
  EXPECT_EQ(pcg.order(), 16);
  EXPECT_EQ(pcg.backend(), Backend::host);
  expect_throw<InvalidState>([&] { pcg.solve(side, target); }, {"update"});
  expect_throw<InvalidInput>([&] { pcg.update(b); }, {"16 values", std::to_string(a.values.size())});
  pcg.update(a.values);
  expect_throw<InvalidInput>([&] { pcg.solve(DenseView<const double>(b.data(), 15), target); }, {"b has 15 rows", "16"});
  expect_throw<InvalidInput>([&] { pcg.solve(DenseView<const double>(b.data(), 16, 2, 16), target); }, {"2", "1"});
  expect_throw<InvalidInput>([&] { pcg.solve(DenseView<const double>(x.data(), 16), target); }, {"overlap"});
  expect_throw<InvalidInput>([&] { pcg.set_operator(-1, [](auto&&...) {}); }, {"-1"});
  expect_throw<InvalidInput>([&] { pcg.set_operator(3, nullptr); }, {"empty"});
  Stored<double> outside = a;
  outside.indices[0] = 99;
  expect_throw<InvalidInput>([&] { pcg.analyze(outside.view()); }, {"99"});
  EXPECT_TRUE(pcg.solve(side, target).converged());  // The object is as it was.
}

TEST(PcgInput, ReadsEveryStoredPartAlike) {
  const Stored<double> lower(random_spd(50, 200, 8));
  const std::vector<double> b = random_side<double>(50);
  const std::vector<double> expected = solve(on_host(Preconditioner::fsai), lower, b).x;
  MatrixView<double> upper = lower.view();  // The lower triangle by columns is the upper one by rows.
  upper.part = StoredPart::upper;
  upper.compression = Compression::rows;
  Pcg<double> pcg(on_host(Preconditioner::fsai));
  pcg.compute(upper);
  std::vector<double> x(50);
  pcg.solve(DenseView<const double>(b.data(), 50), DenseView<double>(x.data(), 50));
  EXPECT_EQ(x, expected);
  Stored<double> full = lower;
  full.offsets.assign(51, 0);
  full.indices.clear();
  full.values.clear();
  for (std::int32_t i = 0; i < 50; ++i) {
    for (std::int32_t j = 49; j >= 0; --j) {  // Unsorted, and with wrong values above the diagonal, which is not read.
      for (auto e = lower.offsets[std::min(i, j)]; e < lower.offsets[std::min(i, j) + 1]; ++e) {
        if (lower.indices[static_cast<std::size_t>(e)] != std::max(i, j)) continue;
        full.indices.push_back(j);
        full.values.push_back(j > i ? 77.0 : lower.values[static_cast<std::size_t>(e)]);
      }
    }
    full.offsets[static_cast<std::size_t>(i) + 1] = static_cast<std::int64_t>(full.indices.size());
  }
  MatrixView<double> whole = full.view();
  whole.part = StoredPart::full;
  whole.compression = Compression::rows;
  pcg.compute(whole);
  pcg.solve(DenseView<const double>(b.data(), 50), DenseView<double>(x.data(), 50));
  EXPECT_EQ(x, expected);
}

TEST(PcgRenewal, FollowsTheRule) {
  Stored<double> a(io::generate("lap2d:12"));
  const std::vector<double> b = random_side<double>(a.n);
  std::vector<double> x(b.size());
  const auto iterations_after = [&](Renewal rule, std::int64_t border) {
    PcgOptions options = on_host(Preconditioner::factor);
    options.renewal = rule;
    options.renewal_iterations = border;
    Pcg<double> pcg(options);
    pcg.compute(a.view());
    std::vector<double> values = a.values;
    std::int64_t last = 0;
    for (int round = 0; round < 3; ++round) {  // The diagonal grows: the old factor fits worse and worse.
      for (std::int64_t j = 0; j < a.n; ++j)
        values[static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j)])] += static_cast<double>(j % 5);
      pcg.update(values);
      last = pcg.solve(DenseView<const double>(b.data(), a.n), DenseView<double>(x.data(), a.n)).iterations;
    }
    return last;
  };
  EXPECT_LE(iterations_after(Renewal::always, 0), 2);
  EXPECT_GT(iterations_after(Renewal::never, 0), 5);
  EXPECT_GT(iterations_after(Renewal::after_iterations, 1000), 5);
  EXPECT_LE(iterations_after(Renewal::after_iterations, 0), 2);  // Renewed once a solve took an iteration.
}

TEST(PcgFunctions, SolveForeignOperators) {
  const Stored<double> a(io::generate("lap2d:12"));
  const std::vector<double> b = random_side<double>(a.n);
  std::vector<double> x(b.size());
  int products = 0;
  Pcg<double> pcg(on_host());
  pcg.set_operator(a.n, [&](const DenseView<const double>& in, const DenseView<double>& out, void*) {
    const std::vector<double> y = product(a, std::vector<double>(in.data, in.data + in.rows));
    std::copy(y.begin(), y.end(), out.data);
    ++products;
  });
  expect_throw<InvalidState>([&] { pcg.update(a.values); }, {"operator"});
  const PcgReport plain = pcg.solve(DenseView<const double>(b.data(), a.n), DenseView<double>(x.data(), a.n));
  EXPECT_TRUE(plain.converged());
  EXPECT_EQ(plain.preconditioner, Preconditioner::none);
  EXPECT_EQ(products, plain.iterations + 2 + plain.restarts);  // And the residuals before and after each run.
  EXPECT_LE(residual(a, x, b), 2e-10 * norm(b));
  int inverses = 0;
  pcg.set_preconditioner([&](const DenseView<const double>& r, const DenseView<double>& z, void*) {
    for (std::int64_t i = 0; i < r.rows; ++i) z.data[i] = r.data[i] / 4.0;
    ++inverses;
  });
  const PcgReport scaled = pcg.solve(DenseView<const double>(b.data(), a.n), DenseView<double>(x.data(), a.n));
  EXPECT_EQ(scaled.iterations, plain.iterations);  // A multiple of the identity changes nothing.
  EXPECT_TRUE(scaled.foreign_preconditioner);
  EXPECT_GT(inverses, 0);
  pcg.set_preconditioner([](const DenseView<const double>& r, const DenseView<double>& z, void*) {
    for (std::int64_t i = 0; i < r.rows; ++i) z.data[i] = -r.data[i];
  });
  EXPECT_EQ(pcg.solve(DenseView<const double>(b.data(), a.n), DenseView<double>(x.data(), a.n)).status,
            PcgStatus::breakdown);
  pcg.set_preconditioner([](auto&&...) { throw std::runtime_error("mine"); });
  EXPECT_THROW(pcg.solve(DenseView<const double>(b.data(), a.n), DenseView<double>(x.data(), a.n)), std::runtime_error);
  pcg.set_preconditioner(nullptr);
  EXPECT_TRUE(pcg.solve(DenseView<const double>(b.data(), a.n), DenseView<double>(x.data(), a.n)).converged());
}

TEST(PcgFactor, TakesAPlanOfTheCallerAndRefusesThatOfAnotherPattern) {
  const io::SymmetricMatrix a = io::generate("lap2d:12"), other = io::generate("lap2d:13");
  const auto by_rows = [](const io::SymmetricMatrix& of) {  // All entries, by rows and ascending columns.
    std::vector<std::vector<std::int32_t>> rows(static_cast<std::size_t>(of.n));
    for (std::int64_t j = 0; j < of.n; ++j) {
      for (auto e = static_cast<std::size_t>(of.offsets[static_cast<std::size_t>(j)]);
           e < static_cast<std::size_t>(of.offsets[static_cast<std::size_t>(j) + 1]); ++e) {
        rows[static_cast<std::size_t>(of.indices[e])].push_back(static_cast<std::int32_t>(j));
        if (of.indices[e] != j) rows[static_cast<std::size_t>(j)].push_back(of.indices[e]);
      }
    }
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> columns;
    for (auto& row : rows) {
      std::sort(row.begin(), row.end());
      columns.insert(columns.end(), row.begin(), row.end());
      offsets.push_back(static_cast<std::int64_t>(columns.size()));
    }
    MatrixView<double> view;
    view.n = of.n;
    view.offsets = offsets.data();
    view.indices = columns.data();
    view.part = StoredPart::full;
    view.compression = Compression::rows;
    Options options;
    options.backend = Backend::host;
    return Solver<double>::preview(view, options).plan;
  };
  const Stored<double> stored(a);
  PcgOptions options = on_host(Preconditioner::factor);
  options.factor_precision = FactorPrecision::single;
  options.factor_plan = by_rows(a);
  const Solved<double> solved = solve(options, stored, random_side<double>(a.n));
  EXPECT_TRUE(solved.report.converged());
  EXPECT_LE(solved.report.iterations, 4);
  options.factor_plan = by_rows(other);
  Pcg<double> pcg(options);
  expect_throw<InvalidInput>([&] { pcg.compute(stored.view()); }, {"another pattern"});
}

TEST(PcgFaults, EveryRefusedAllocationLeavesTheObjectUsable) {
  for (const Preconditioner p : {Preconditioner::jacobi, Preconditioner::fsai, Preconditioner::factor}) {
    const auto allocator = std::make_shared<FailingAllocator>();
    PcgOptions options = on_host(p);
    options.host_allocator = allocator;
    expect_usable_after_each_fault(options, allocator->faults);
    EXPECT_EQ(allocator->pieces(), 0);
  }
}

TEST(PcgMoves, TheMovedObjectSolves) {
  const Stored<double> a(io::generate("lap2d:8"));
  const std::vector<double> b = random_side<double>(a.n);
  std::vector<double> x(b.size());
  Pcg<double> first(on_host(Preconditioner::ic0));
  first.compute(a.view());
  Pcg<double> second(std::move(first));
  EXPECT_TRUE(second.solve(DenseView<const double>(b.data(), a.n), DenseView<double>(x.data(), a.n)).converged());
  first = std::move(second);
  EXPECT_TRUE(first.solve(DenseView<const double>(b.data(), a.n), DenseView<double>(x.data(), a.n)).converged());
}

}  // namespace
}  // namespace gpusupernodal::test::pcg
