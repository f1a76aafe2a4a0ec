/// \file
/// Complex solvers on the host: factors and solutions.

#include "io/generators.hpp"
#include "solver/backend/executor.hpp"
#include "solver/plan/factor_plan.hpp"
#include "tests/solver/api/hermitian.hpp"
#include "tests/support/every.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

std::vector<io::SymmetricMatrix> patterns() {
  std::vector<io::SymmetricMatrix> all{joined_cliques_spd(3, 150, 60, 4), dense_spd(400, 3)};
  for (const char* spec : {"lap2d:40", "lap3d:12", "elas:6"}) all.push_back(io::generate(spec));
  for (io::SymmetricMatrix& small : small_matrices()) all.push_back(std::move(small));
  return all;
}

TEST(ComplexSolver, SolvesOnAnyNumberOfThreads) {
  Thinned cases;
  for (const auto& pattern : patterns()) {
    if (!cases.takes_next()) continue;
    const Hermitian a = random_hpd(pattern, 17);
    const StoredMatrix<Complex> s = stored(a);
    std::vector<Complex> of_one_thread;
    for (const int threads : {1, 2, 4}) {
      SCOPED_TRACE(pattern.name + ", threads: " + std::to_string(threads));
      ComplexSolver solver(on_host(threads));
      solver.compute(s.view());
      for (const std::int64_t columns : {1, 3, 16}) expect_solves(solver, a, columns);
      if (testing::Test::HasFatalFailure()) return;
      const std::vector<Complex> x = solution(solver, random_complex(a.n(), 5));
      if (threads == 1) of_one_thread = x;
      EXPECT_EQ(x, of_one_thread) << "the bits do not depend on the number of threads";
    }
  }
}

TEST(ComplexSolver, ReadsEveryStorageForm) {
  for (const char* spec : {"lap2d:9", "elas:3"}) {
    const Hermitian a = random_hpd(io::generate(spec), 3);
    for (const Form& form : all_forms()) {
      for (const Ordering ordering : {Ordering::automatic, Ordering::natural}) {
        SCOPED_TRACE(std::string(spec) + ": " + form.name());
        Options options = on_host();
        options.ordering = ordering;
        options.refinement.max_steps = ordering == Ordering::natural ? 2 : 0;
        ComplexSolver solver(options);
        solver.compute(stored(a, form).view());
        expect_solves(solver, a, 2);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

/// (D* L D)(D* L D)ᴴ = D* L Lᵀ D, so the factor of D* A D is D* L D, and the pivots are those of A.
TEST(ComplexSolver, FactorOfARotatedMatrixIsTheRotatedFactor) {
  for (const char* spec : {"lap2d:1", "lap2d:3", "lap2d:20", "lap3d:9", "shell:10"}) {
    SCOPED_TRACE(spec);
    const io::SymmetricMatrix a = io::generate(spec);
    const std::vector<Complex> d = phases(a.n, 8);
    Solver<double> real(on_host());
    real.compute(store<double>(a, Form()).view());
    ComplexSolver complex(on_host());
    complex.compute(stored(rotated(a, d)).view());
    ASSERT_EQ(complex.status(), Status::success);
    ASSERT_EQ(real.old_of_new(), complex.old_of_new());
    const auto l = real.extract_l();
    const auto rotated_l = complex.extract_l();
    ASSERT_EQ(l.rows, rotated_l.rows);
    const std::vector<std::int64_t> order = real.old_of_new();
    const double bound = 4.0 * static_cast<double>(a.n + 10) * std::numeric_limits<double>::epsilon() *
                         real.factor_report().largest_pivot / std::sqrt(real.factor_report().smallest_pivot);
    for (std::size_t j = 0; j + 1 < l.offsets.size(); ++j) {
      for (auto e = static_cast<std::size_t>(l.offsets[j]); e < static_cast<std::size_t>(l.offsets[j + 1]); ++e) {
        const Complex left = std::conj(d[static_cast<std::size_t>(order[static_cast<std::size_t>(l.rows[e])])]);
        const Complex right = d[static_cast<std::size_t>(order[j])];
        ASSERT_LE(std::abs(rotated_l.values[e] - left * l.values[e] * right), bound) << "entry " << e;
      }
      ASSERT_EQ(rotated_l.values[static_cast<std::size_t>(l.offsets[j])].imag(), 0.0) << "the diagonal is real";
    }
    EXPECT_NEAR(complex.factor_report().smallest_pivot, real.factor_report().smallest_pivot, bound);
    EXPECT_NEAR(complex.factor_report().largest_pivot, real.factor_report().largest_pivot, bound);
    EXPECT_NEAR(complex.log_determinant(), real.log_determinant(), bound * static_cast<double>(a.n));
    if (a.n <= 11) {  // Exact up to rounding.
      EXPECT_NEAR(complex.reciprocal_condition(stored(rotated(a, d)).view()),
                  real.reciprocal_condition(store<double>(a, Form()).view()), bound);
    }
  }
}

/// |A − L Lᴴ| ≤ 4 (n+1) eps |L| |Lᴴ| entry by entry [Higham02, Theorem 10.3]; and L agrees with that
/// of a dense reference.
TEST(ComplexSolver, ProductOfTheFactorIsTheMatrix) {
  for (const auto& pattern :
       {dense_spd(1, 1), dense_spd(33, 2), dense_spd(200, 2), random_spd(150, 400, 6), chain_spd(50)}) {
    SCOPED_TRACE(pattern.name);
    const Hermitian a = random_hpd(pattern, 9);
    ComplexSolver solver(on_host());
    solver.compute(stored(a).view());
    ASSERT_EQ(solver.status(), Status::success);
    const auto columns = solver.extract_l();
    DenseComplex l(a.n());
    for (std::size_t j = 0; j < l.n; ++j) {
      for (auto e = static_cast<std::size_t>(columns.offsets[j]); e < static_cast<std::size_t>(columns.offsets[j + 1]);
           ++e) {
        l(static_cast<std::size_t>(columns.rows[e]), j) = columns.values[e];
      }
    }
    const DenseComplex matrix = permuted(a, solver.old_of_new());
    DenseComplex reference = matrix;
    ASSERT_EQ(dense_cholesky(reference), -1);
    const double unit = 4.0 * static_cast<double>(l.n + 1) * std::numeric_limits<double>::epsilon();
    for (std::size_t j = 0; j < l.n; ++j) {
      for (std::size_t i = j; i < l.n; ++i) {
        Complex product = 0.0;
        double magnitude = 0.0;
        for (std::size_t k = 0; k <= j; ++k) {
          product += l(i, k) * std::conj(l(j, k));
          magnitude += std::abs(l(i, k)) * std::abs(l(j, k));
        }
        ASSERT_LE(std::abs(matrix(i, j) - product), unit * magnitude) << "row " << i << ", column " << j;
        ASSERT_LE(std::abs(l(i, j) - reference(i, j)), unit * std::abs(reference(j, j)) * static_cast<double>(l.n));
      }
    }
  }
}

TEST(ComplexSolver, PartsOfASolveComposeToTheWhole) {
  const Hermitian a = random_hpd(io::generate("elas:4"), 2);
  ComplexSolver solver(on_host());
  solver.compute(stored(a).view());
  const std::vector<Complex> b = random_complex(a.n() * 2, 4);
  const auto y = solution(solver, solution(solver, b, System::p), System::l);
  EXPECT_EQ(y, solution(solver, b, System::forward));
  const auto x = solution(solver, solution(solver, y, System::lt), System::pt);
  EXPECT_EQ(x, solution(solver, y, System::backward));
  EXPECT_EQ(x, solution(solver, b));
}

/// The parts of an executor against dense loops.
TEST(ComplexExecutor, AppliesTheScaledAndShiftedMatrix) {
  constexpr double scale = 2.0;
  constexpr double shift = 3.0;
  for (const StoredPart part : {StoredPart::lower, StoredPart::upper, StoredPart::full}) {
    const Hermitian a = random_hpd(random_spd(120, 300, 8), 4);
    Form form;
    form.part = part;
    const StoredMatrix<Complex> s = stored(a, form);
    const auto plan = make_plan(s.pattern(), PlanOptions());
    ExecutorOptions options;
    options.keep_a = true;
    const auto executor = make_host_executor<Complex>(plan->host_plan(), options);
    executor->factorization().factorize({s.values.data(), MemorySpace::host, scale, shift});
    ASSERT_EQ(executor->factorization().outcome().status, Status::success);
    const std::vector<Complex> x = random_complex(a.n(), 1);
    std::vector<Complex> expected(x.size());
    a.for_each([&](std::int64_t row, std::int64_t column, Complex value) {
      const auto i = static_cast<std::size_t>(row);
      const auto j = static_cast<std::size_t>(column);
      expected[i] += (scale * value + (i == j ? shift : 0.0)) * x[j];
      if (i != j) expected[j] += scale * std::conj(value) * x[i];
    });
    std::vector<Complex> y(x.size());
    const DenseView<Complex> product(y.data(), a.n());
    executor->matrix().apply(DenseView<const Complex>(x.data(), a.n()), product);
    VectorSpace<Complex>& vectors = executor->vectors();
    const double largest = vectors.max_norm(product);
    vectors.axpy(-1.0, DenseView<const Complex>(expected.data(), a.n()), product);
    EXPECT_GT(largest, 0.0);
    EXPECT_LE(vectors.max_norm(product), backward_error_bound<double>(a.n()) * largest);
  }
}

TEST(ComplexSolver, SolvesInPlace) {
  const Hermitian a = random_hpd(io::generate("lap3d:6"), 2);
  ComplexSolver solver(on_host());
  solver.compute(stored(a).view());
  const std::vector<Complex> b = random_complex(a.n() * 3, 4);
  std::vector<Complex> x = b;
  const DenseView<Complex> view(x.data(), a.n(), 3, a.n());
  solver.solve(view, view);
  EXPECT_EQ(x, solution(solver, b));
}

}  // namespace
}  // namespace gpusupernodal::test
