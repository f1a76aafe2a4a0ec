#include "gpusupernodal/distributed_solver.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "tests/solver/api/distributed_parts.hpp"
#include "tests/support/accuracy.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

TEST(DistributedSolver, SolvesWithNewValuesAndSeveralColumns) {
  constexpr std::int64_t columns = 3;
  for (const std::string matrix : {"lap3d:9", "lap2d:40"}) {
    for (const int parts : {1, 2, 3, 5}) {
      io::SymmetricMatrix a = io::generate(matrix);
      const std::vector<double> b = random_vector(a.n * columns, 3);
      std::vector<double> x(b.size());
      std::vector<double> shifted_x(b.size());
      run_parts(parts, [&](Fabric& fabric) {
        DistributedSolver<double> solver(fabric);
        EXPECT_FALSE(solver.is_analyzed());
        analyze(solver, a);
        EXPECT_EQ(solver.order(), a.n);
        EXPECT_EQ(static_cast<int>(solver.distribution().parts.size()), parts);
        OwnPart<double> own(a, solver, fabric.part());
        solver.set_entries(own.rows, own.columns, StoredPart::lower);
        const auto count = static_cast<std::int64_t>(solver.rows().size());
        for (std::vector<double>* const result : {&x, &shifted_x}) {
          ASSERT_EQ(solver.factorize(own.values), Status::success);
          std::vector<double> vectors(static_cast<std::size_t>(count * columns));
          const auto each = [&](const auto& visit) {
            for (std::int64_t c = 0; c < columns; ++c) {
              for (std::size_t i = 0; i < solver.rows().size(); ++i)
                visit(vectors[static_cast<std::size_t>(c * count) + i],
                      static_cast<std::size_t>(c * a.n + solver.rows()[i]));
            }
          };
          each([&](double& entry, std::size_t place) { entry = b[place]; });
          const DenseView<double> view(vectors.data(), count, columns, std::max<std::int64_t>(count, 1));
          solver.solve(view, view);
          each([&](double& entry, std::size_t place) { (*result)[place] = entry; });
          for (std::size_t k = 0; k < own.rows.size(); ++k) own.values[k] += own.rows[k] == own.columns[k] ? 1.0 : 0.0;
        }
        EXPECT_EQ(solver.factor_report().factorizations, 2);
      });
      for (std::vector<double>* const result : {&x, &shifted_x}) {
        for (std::int64_t c = 0; c < columns; ++c) {
          const std::vector<double> of_column(result->begin() + c * a.n, result->begin() + (c + 1) * a.n);
          const std::vector<double> rhs(b.begin() + c * a.n, b.begin() + (c + 1) * a.n);
          EXPECT_LE(backward_error(a, of_column, rhs), backward_error_bound<double>(a.n)) << matrix << " on " << parts;
        }
        for (std::int64_t j = 0; j < a.n; ++j)
          a.values[static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j)])] += 1.0;
      }
    }
  }
}

TEST(DistributedSolver, FailuresAreInTheCallersNumbering) {
  const io::SymmetricMatrix a = io::generate("lap3d:6");
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{100}, a.n - 1}) {
    run_parts(3, [&](Fabric& fabric) {
      DistributedSolver<double> solver(fabric);
      analyze(solver, a);
      const OwnPart<double> own(a, solver, fabric.part());
      solver.set_entries(own.rows, own.columns, StoredPart::lower);
      std::vector<double> values = own.values;
      for (std::size_t k = 0; k < values.size(); ++k) {
        if (own.rows[k] == bad && own.columns[k] == bad) values[k] = -3.0;
      }
      EXPECT_EQ(solver.factorize(values), Status::not_positive_definite);
      EXPECT_EQ(solver.factor_report().failed_column, bad);
      EXPECT_LE(solver.factor_report().failed_value, -3.0);
      std::vector<double> x(solver.rows().size());
      const DenseView<double> view(x.data(), static_cast<std::int64_t>(x.size()));
      try {
        solver.solve(view, view);
        ADD_FAILURE() << "a solve without a factor";
      } catch (const NumericalFailure&) {
      }
      EXPECT_EQ(solver.factorize(own.values), Status::success);
      solver.solve(view, view);
    });
  }
}

TEST(DistributedSolver, MatricesOfOrderZeroWork) {
  const io::SymmetricMatrix a = diagonal_spd(0);
  run_parts(2, [&](Fabric& fabric) {
    DistributedSolver<double> solver(fabric);
    analyze(solver, a);
    solver.set_entries({}, {}, StoredPart::lower);
    EXPECT_EQ(solver.factorize({}), Status::success);
    solver.solve(DenseView<const double>(), DenseView<double>());
  });
}

/// All columns of b are solved for by one call.
template <class T>
void expect_solutions(const std::string& matrix, int parts, std::int64_t columns) {
  const io::SymmetricMatrix a = io::generate(matrix);
  for (const bool upper : {false, true}) {
    const std::vector<double> b = random_vector(a.n * columns, 3);
    std::vector<double> x(b.size());
    run_parts(parts, [&](Fabric& fabric) {
      DistributedSolver<T> solver(fabric);
      analyze(solver, a);
      const OwnPart<T> own(a, solver, fabric.part(), upper);
      solver.set_entries(own.rows, own.columns, upper ? StoredPart::upper : StoredPart::lower);
      ASSERT_EQ(solver.factorize(own.values), Status::success);
      solve_columns(solver, b, x, columns);
    });
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::vector<double> of_column(x.begin() + c * a.n, x.begin() + (c + 1) * a.n);
      const std::vector<double> rhs(b.begin() + c * a.n, b.begin() + (c + 1) * a.n);
      using Real = typename ScalarTraits<T>::Real;
      EXPECT_LE(backward_error(a, of_column, rhs), backward_error_bound<Real>(a.n)) << matrix << " on " << parts;
    }
  }
}

TEST(DistributedSolver, SolvesInAllTypes) {
  expect_solutions<float>("lap3d:8", 3, 2);
  expect_solutions<std::complex<double>>("lap3d:8", 3, 2);
  expect_solutions<std::complex<float>>("lap2d:30", 2, 1);
}

TEST(DistributedSolver, SolvesForMoreColumnsThanAtOnce) { expect_solutions<double>("lap2d:20", 3, 131); }

TEST(DistributedSolver, SolvesOnMorePartsThanRows) { expect_solutions<double>("lap2d:2", 7, 1); }

TEST(DistributedSolver, TakesOtherEntriesAndMatrices) {
  const std::vector<io::SymmetricMatrix> matrices{io::generate("lap2d:30"), io::generate("lap3d:7")};
  const std::vector<double> b = random_vector(900, 3);
  std::vector<std::vector<double>> x(4, b);
  run_parts(3, [&](Fabric& fabric) {
    DistributedSolver<double> solver(fabric);
    std::size_t next = 0;
    for (const io::SymmetricMatrix& a : matrices) {
      analyze(solver, a);
      for (const bool upper : {false, true}) {
        const OwnPart<double> own(a, solver, fabric.part(), upper);
        solver.set_entries(own.rows, own.columns, upper ? StoredPart::upper : StoredPart::lower);
        ASSERT_EQ(solver.factorize(own.values), Status::success);
        solve_columns(solver, b, x[next++]);
      }
      EXPECT_EQ(solver.factor_report().factorizations, 2);
    }
  });
  for (std::size_t k = 0; k < x.size(); ++k) {
    const io::SymmetricMatrix& a = matrices[k / 2];
    x[k].resize(static_cast<std::size_t>(a.n));
    const std::vector<double> rhs(b.begin(), b.begin() + a.n);
    EXPECT_LE(backward_error(a, x[k], rhs), backward_error_bound<double>(a.n)) << k;
  }
}

TEST(DistributedSolver, DivisionIsTheOneOfDistribution) {
  const io::SymmetricMatrix a = io::generate("lap3d:9");
  using C = std::complex<float>;
  DistributionReport expected;
  run_parts(3, [&](Fabric& fabric) {
    DistributedSolver<C> solver(fabric);
    analyze(solver, a);
    if (fabric.part() != 1) return;
    const DistributionReport report = solver.distribution();
    DistributionOptions options;
    options.parts = 3;
    expected = distribution<C>(*Solver<double>::preview(a.view()).plan, options);
    EXPECT_EQ(report.bytes, expected.bytes);
    EXPECT_EQ(report.seconds, expected.seconds);
    EXPECT_EQ(report.seconds_of_one, expected.seconds_of_one);
  });
}

}  // namespace
}  // namespace gpusupernodal::test
