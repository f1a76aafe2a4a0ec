#include "solver/api/lu_verification.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <new>
#include <vector>

#include "gpusupernodal/build_config.hpp"
#include "solver/backend/accepted_growth.hpp"
#include "solver/factor/factor_structure.hpp"
#include "solver/iterative/richardson.hpp"

namespace gpusupernodal {
namespace {

constexpr int min_steps = 10;

/// Calls change(data) with a vector's entries in host memory, and writes them back.
template <class T, class Change>
auto on_host(VectorSpace<T>& vectors, const DenseView<T>& v, const Change& change) {
  if (v.space == MemorySpace::host) return change(v.data);
  std::vector<T> copy(static_cast<std::size_t>(v.rows));
  vectors.copy(v, DenseView<T>(copy.data(), v.rows));
  const auto result = change(copy.data());
  vectors.copy(DenseView<const T>(copy.data(), v.rows), v);
  return result;
}

/// Fills b with ±1 by the bits of a multiplicative hash, so that no structure of A is matched by it.
template <class T>
void fill_signs(VectorSpace<T>& vectors, const DenseView<T>& b) {
  constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15;  // 2⁶⁴ divided by the golden ratio.
  on_host(vectors, b, [n = b.rows](T* entry) {
    for (std::int64_t i = 0; i < n; ++i)
      entry[i] = ((static_cast<std::uint64_t>(i) + 1) * multiplier >> 63) != 0 ? T(1) : T(-1);
    return true;
  });
}

/// Adds numbers between 1/2 and 1, by the bits of a hash, to the entries of a v with ‖v‖∞ = 1. A solution of a singular
/// system can be zero wherever pivots were replaced, and then it leads to no null vector.
template <class T>
void make_generic(VectorSpace<T>& vectors, const DenseView<T>& v) {
  constexpr std::uint64_t multiplier = 0xD1342543DE82EF95;
  constexpr double scale = 0x1p-65;
  on_host(vectors, v, [n = v.rows](T* entry) {
    for (std::int64_t i = 0; i < n; ++i) {
      const auto hash = static_cast<double>((static_cast<std::uint64_t>(i) + 1) * multiplier);
      entry[i] += static_cast<T>(static_cast<typename ScalarTraits<T>::Real>(0.5 + scale * hash));
    }
    return true;
  });
}

/// Divides v by ‖v‖∞; false if v is zero or not finite.
template <class T>
bool normalize(VectorSpace<T>& vectors, const DenseView<T>& v) {
  using Real = typename ScalarTraits<T>::Real;
  return on_host(vectors, v, [n = v.rows](T* entry) {
    Real largest = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const Real magnitude = ScalarTraits<T>::abs(entry[i]);
      if (!(magnitude <= largest)) largest = magnitude;
    }
    if (!(largest > 0 && std::isfinite(largest))) return false;
    for (std::int64_t i = 0; i < n; ++i) entry[i] /= largest;
    return true;
  });
}

/// Probe::null_residual, for steps that begin at v. L·U = A + E, where E has the changes of the replaced pivots alone, so a
/// step gives (LU)⁻¹E·v: a null vector of A is kept, and other directions are left only where E has them.
template <class T>
double null_residual(Executor<T>& executor, FactorPreconditioner<T>& factor, const DenseView<T>& v) {
  constexpr int steps = 2;
  VectorSpace<T>& vectors = executor.vectors();
  const DenseView<T> zero = vectors.scratch(0, v.rows, 1);
  const DenseView<T> residual = vectors.scratch(1, v.rows, 1);
  const DenseView<T> correction = vectors.scratch(2, v.rows, 1);
  on_host(vectors, zero, [n = v.rows](T* entry) { return std::fill_n(entry, n, T(0)) != nullptr; });
  if (!normalize(vectors, v)) return std::numeric_limits<double>::infinity();
  make_generic(vectors, v);
  for (int step = 0; normalize(vectors, v); ++step) {
    const ResidualNorms norms = executor.matrix().residual(zero, v, residual);
    if (step == steps) return norms.a > 0.0 ? norms.r / (norms.a * norms.x) : 0.0;
    factor.apply(residual, correction);
    vectors.axpy(T(1), correction, v);
  }
  return std::numeric_limits<double>::infinity();
}

/// Norms of a residual whose vectors lie in another memory space than the matrix reads.
template <class T>
ResidualNorms residual_of_copies(LinearOperator<T>& matrix, VectorSpace<T>& vectors, const DenseView<const T>& b,
                                 const DenseView<const T>& x) {
  const DenseView<T> right = vectors.scratch(0, b.rows, 1);
  const DenseView<T> solution = vectors.scratch(1, b.rows, 1);
  vectors.copy(b, right);
  vectors.copy(x, solution);
  return matrix.residual(right, solution, vectors.scratch(2, b.rows, 1));
}

/// Improves the solution that richardson has left in the scratch slots, and copies it to x.
template <class T>
void iterate(LinearOperator<T>& matrix, ApproximateInverse<T>& factor, VectorSpace<T>& vectors, const KrylovLimits& limits,
             const DenseView<T>& x, SolveReport& report) {
  if (limits.iterations == 0 || report.backward_error <= limits.backward_error) return;
  try {
    flexible_gmres<T>(matrix, factor, vectors, limits, x.rows, report);
  } catch (const std::bad_alloc&) {  // Without these vectors, what refinement has reached stays.
    return;
  }
  vectors.copy(DenseView<const T>(vectors.scratch(1, x.rows, 1)), x);
}

/// Refines all columns of x, one after another.
template <class T>
SolveReport refined_solve(LinearOperator<T>& matrix, ApproximateInverse<T>& factor, VectorSpace<T>& vectors,
                          const SolveRules& rules, const DenseView<const T>& b, const DenseView<T>& x) {
  SolveReport worst;
  for (std::int64_t c = 0; c < b.cols; ++c) {
    const DenseView<T> solution(x.data + c * x.ld, x.rows, x.space);
    SolveReport column = richardson<T>(matrix, factor, vectors, rules.refinement,
                                       DenseView<const T>(b.data + c * b.ld, b.rows, b.space), solution);
    iterate(matrix, factor, vectors, rules.krylov, solution, column);
    take_worse(column, worst);
  }
  return worst;
}

}  // namespace

template <class T>
LinearOperator<T>& matrix_of(Executor<T>& executor, const SolveSteps& steps) {
  if (!steps.transposed) return executor.matrix();
  return steps.conjugated ? executor.adjoint_matrix() : executor.transposed_matrix();
}

template <class T>
bool share_memory(const DenseView<const T>& b, const DenseView<T>& x) {
  if (b.space != x.space) return false;
  const T* const b_end = b.data + (b.cols - 1) * b.ld + b.rows;
  const T* const x_end = x.data + (x.cols - 1) * x.ld + x.rows;
  const std::less<const T*> before;
  return before(b.data, x_end) && before(x.data, b_end);
}

template <class T>
double trusted_backward_error(std::int64_t n) {
  constexpr double c = 100.0;
  const auto eps = static_cast<double>(std::numeric_limits<typename ScalarTraits<T>::Real>::epsilon());
  return c * std::sqrt(static_cast<double>(std::max<std::int64_t>(n, 1))) * eps;
}

bool is_doubtful(const FactorOutcome& outcome) {
  return outcome.perturbed_pivots > 0 || !(outcome.growth <= accepted_growth);
}

Refinement verifying(const Refinement& refinement, double target) {
  Refinement result;
  result.max_steps = std::max(refinement.max_steps, min_steps);
  result.backward_error = refinement.max_steps > 0 ? std::min(refinement.backward_error, target) : target;
  return result;
}

template <class T>
SolveReport verified_solve(Executor<T>& executor, const SolveSteps& steps, const SolveRules& rules,
                           const DenseView<const T>& b, const DenseView<T>& x) {
  FactorPreconditioner<T> factor(executor.factorization(), steps);
  LinearOperator<T>& matrix = matrix_of(executor, steps);
  VectorSpace<T>& vectors = executor.vectors();
  if (rules.refinement.backward_error == 0.0 || share_memory(b, x))
    return refined_solve<T>(matrix, factor, vectors, rules, b, x);
  executor.factorization().solve(steps, b, x);
  const DenseView<T> residual = vectors.scratch(2, b.rows, 1);
  const bool in_place = b.space == vectors.space() && x.space == vectors.space();
  constexpr std::int64_t columns_at_once = 16;
  ResidualNorms norms[columns_at_once];
  SolveReport worst;
  for (std::int64_t c = 0; c < b.cols; ++c) {
    const DenseView<const T> right(b.data + c * b.ld, b.rows, b.space);
    const DenseView<T> solution(x.data + c * x.ld, x.rows, x.space);
    const std::int64_t at = c % columns_at_once;
    if (!in_place) {
      norms[at] = residual_of_copies(matrix, vectors, right, DenseView<const T>(solution));
    } else if (at == 0) {
      const std::int64_t columns = std::min(columns_at_once, b.cols - c);
      matrix.residual_norms({right.data, b.rows, columns, b.ld, b.space}, {solution.data, x.rows, columns, x.ld, x.space},
                            residual, {norms, static_cast<std::size_t>(columns)});
    }
    SolveReport column;
    column.backward_error = normwise_error(norms[at]);
    if (!(column.backward_error <= rules.refinement.backward_error))
      column = refined_solve<T>(matrix, factor, vectors, rules, right, solution);
    take_worse(column, worst);
  }
  return worst;
}

template <class T>
Probe probe_factorization(Executor<T>& executor, std::int64_t n, const KrylovLimits& krylov) {
  VectorSpace<T>& vectors = executor.vectors();
  const DenseView<T> b = vectors.scratch(refinement_vectors, n, 1);
  const DenseView<T> x = vectors.scratch(refinement_vectors + 1, n, 1);
  fill_signs(vectors, b);
  FactorPreconditioner<T> factor(executor.factorization());
  const SolveReport report =
      refined_solve<T>(executor.matrix(), factor, vectors, {verifying({}, 0.0), krylov}, DenseView<const T>(b), x);
  Probe probe;
  probe.backward_error = report.backward_error;
  probe.fgmres_iterations = report.fgmres_iterations;
  const ResidualNorms norms = executor.matrix().residual(b, x, b);
  probe.condition = norms.a * norms.x / norms.b;
  probe.residual = norms.r / norms.b;
  probe.null_residual = null_residual(executor, factor, x);
  return probe;
}

template <class T>
Status status_of(const Probe& probe, const FactorOutcome& outcome, std::int64_t n) {
  constexpr double c = 10.0;
  const auto eps = static_cast<double>(std::numeric_limits<typename ScalarTraits<T>::Real>::epsilon());
  const double rounding = c * std::sqrt(static_cast<double>(n)) * eps;
  const double trusted = trusted_backward_error<T>(n);
  const bool accurate = probe.backward_error <= trusted;
  const bool is_null_vector = probe.null_residual <= rounding || (accurate && probe.condition > 1.0 / (c * eps));
  if (is_null_vector && outcome.smallest_pivot <= trusted * outcome.largest_in_a) return Status::singular;
  constexpr double reproduced = 0.01;
  if (accurate && outcome.perturbed_pivots > 0 && probe.residual > reproduced)
    return probe.fgmres_iterations > 0 ? Status::singular : Status::unstable;
  return accurate ? Status::success : Status::unstable;
}

#define GPUSUPERNODAL_INSTANTIATE(T)                                                                                 \
  template bool share_memory(const DenseView<const T>&, const DenseView<T>&);                                        \
  template LinearOperator<T>& matrix_of(Executor<T>&, const SolveSteps&);                                            \
  template double trusted_backward_error<T>(std::int64_t);                                                           \
  template Probe probe_factorization(Executor<T>&, std::int64_t, const KrylovLimits&);                               \
  template SolveReport verified_solve(Executor<T>&, const SolveSteps&, const SolveRules&, const DenseView<const T>&, \
                                      const DenseView<T>&);                                                          \
  template Status status_of<T>(const Probe&, const FactorOutcome&, std::int64_t);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
