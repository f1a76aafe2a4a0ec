/// \file
/// Norms of residuals with the transpose of a Hermitian matrix.

#include <complex>
#include <vector>

#include "solver/backend/executor.hpp"
#include "tests/kernels/cuda/device_array.hpp"
#include "tests/solver/api/hermitian.hpp"
#include "tests/solver/cuda/plan/plans.hpp"
#include "tests/support/accuracy.hpp"

namespace gpusupernodal::test {
namespace {

/// The transpose of a Hermitian matrix is its conjugate, also where norms of several residuals are wanted.
TEST(ComplexCudaExecutor, NormsOfResidualsAreThoseOfTheTranspose) {
  SKIP_WITHOUT_DEVICE();
  using T = std::complex<double>;
  const Hermitian a = random_hpd(io::generate("lap2d:9"), 4);
  ExecutorOptions options;
  options.keep_a = true;
  const auto plan = cuda_plan_of(a.pattern);
  const auto executor = make_cuda_executor<T>(plan->cuda_plan(), options);
  executor->factorization().factorize({a.values.data(), MemorySpace::host, 1.0, 0.0});
  constexpr std::int64_t columns = 3;
  const std::vector<T> solution = random_complex(a.n() * columns, 7);
  std::vector<T> right(solution.size());  // conj(A) x.
  a.for_each([&](std::int64_t i, std::int64_t j, T value) {
    for (std::int64_t c = 0; c < columns; ++c) {
      const auto at = [&](std::int64_t row) { return static_cast<std::size_t>(row + c * a.n()); };
      right[at(i)] += std::conj(value) * solution[at(j)];
      if (i != j) right[at(j)] += value * solution[at(i)];
    }
  });
  VectorSpace<T>& vectors = executor->vectors();
  const DenseView<T> b = vectors.scratch(0, a.n(), columns), x = vectors.scratch(1, a.n(), columns);
  vectors.copy(DenseView<const T>(right.data(), a.n(), columns, a.n()), b);
  vectors.copy(DenseView<const T>(solution.data(), a.n(), columns, a.n()), x);
  std::vector<ResidualNorms> norms(columns);
  executor->transposed_matrix().residual_norms(b, x, vectors.scratch(2, a.n(), 1), norms);
  for (const ResidualNorms& of : norms) EXPECT_LE(of.r, backward_error_bound<double>(a.n()) * (of.a * of.x + of.b));
  executor->matrix().residual_norms(b, x, vectors.scratch(2, a.n(), 1), norms);
  for (const ResidualNorms& of : norms) EXPECT_GT(of.r, 0.01 * (of.a * of.x + of.b)) << "A is not its transpose";
}

}  // namespace
}  // namespace gpusupernodal::test
