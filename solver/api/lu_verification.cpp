#include "solver/api/lu_verification.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/factor/factor_structure.hpp"
#include "solver/iterative/richardson.hpp"

namespace gpusupernodal {
namespace {

constexpr double growth_limit = 100.0;
constexpr int min_steps = 10;

/// Fills b with ±1 by the bits of a multiplicative hash, so that no structure of A is matched by it.
template <class T>
void fill_signs(T* b, std::int64_t n) {
  constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15;  // 2⁶⁴ divided by the golden ratio.
  for (std::int64_t i = 0; i < n; ++i) b[i] = ((static_cast<std::uint64_t>(i) + 1) * multiplier >> 63) != 0 ? T(1) : T(-1);
}

/// Returns ‖A‖∞‖d‖∞ / ‖A d‖∞ for the direction d in which refinement stalls with the residual r: a lower bound for the
/// condition number, since d is a vector of A's null space up to rounding if A is singular. Overwrites r and d.
template <class T>
double condition_where_it_stalls(LinearOperator<T>& matrix, FactorPreconditioner<T>& factor, const DenseView<T>& r,
                                 const DenseView<T>& d) {
  constexpr int steps = 3;  // r keeps its part that no step reduces; each step reduces the others by orders of magnitude.
  for (int step = 0; step < steps; ++step) {
    factor.apply(r, d);
    matrix.residual(r, d, r);
  }
  factor.apply(r, d);
  matrix.apply(d, r);
  const ResidualNorms norms = matrix.residual(r, d, r);
  return norms.a * norms.x / norms.b;
}

}  // namespace

template <class T>
double trusted_backward_error(std::int64_t n) {
  constexpr double c = 100.0;
  const auto eps = static_cast<double>(std::numeric_limits<typename ScalarTraits<T>::Real>::epsilon());
  return c * std::sqrt(static_cast<double>(std::max<std::int64_t>(n, 1))) * eps;
}

bool is_doubtful(const FactorOutcome& outcome) {
  return outcome.perturbed_pivots > 0 || !(outcome.largest_in_u <= growth_limit * outcome.largest_in_a);
}

Refinement verifying(const Refinement& refinement) {
  Refinement result;
  result.max_steps = std::max(refinement.max_steps, min_steps);
  if (refinement.max_steps > 0) result.backward_error = refinement.backward_error;
  return result;
}

template <class T>
Probe probe_factorization(Executor<T>& executor, std::int64_t n) {
  VectorSpace<T>& vectors = executor.vectors();
  const DenseView<T> b = vectors.scratch(refinement_vectors, n, 1);
  const DenseView<T> x = vectors.scratch(refinement_vectors + 1, n, 1);
  fill_signs(b.data, n);
  FactorPreconditioner<T> factor(executor.factorization());
  Probe probe;
  probe.backward_error = richardson<T>(executor.matrix(), factor, vectors, verifying({}), b, x).backward_error;
  const ResidualNorms norms = executor.matrix().residual(b, x, b);
  probe.condition = norms.a * norms.x / norms.b;
  if (!(probe.backward_error <= trusted_backward_error<T>(n)))
    probe.condition = condition_where_it_stalls(executor.matrix(), factor, b, x);
  return probe;
}

template <class T>
Status status_of(const Probe& probe, std::int64_t n) {
  constexpr double c = 10.0;
  const auto eps = static_cast<double>(std::numeric_limits<typename ScalarTraits<T>::Real>::epsilon());
  if (probe.condition > 1.0 / (c * eps)) return Status::singular;
  return probe.backward_error <= trusted_backward_error<T>(n) ? Status::success : Status::unstable;
}

#define GPUSUPERNODAL_INSTANTIATE(T)                              \
  template double trusted_backward_error<T>(std::int64_t);        \
  template Probe probe_factorization(Executor<T>&, std::int64_t); \
  template Status status_of<T>(const Probe&, std::int64_t);
GPUSUPERNODAL_INSTANTIATE(float)
GPUSUPERNODAL_INSTANTIATE(double)
GPUSUPERNODAL_INSTANTIATE(std::complex<double>)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
