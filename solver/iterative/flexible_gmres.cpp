#include "solver/iterative/flexible_gmres.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "gpusupernodal/build_config.hpp"
#include "solver/iterative/givens_columns.hpp"
#include "solver/iterative/richardson.hpp"

namespace gpusupernodal {
namespace {

/// Iterations between restarts.
constexpr int restart = 30;
/// The estimate of a residual is taken this much below its goal, because rounding separates it from the residual.
constexpr double margin = 0.1;

template <class S>
using Wide = typename ScalarTraits<S>::Wide;

template <class S>
double two_norm(const std::vector<S>& v) {
  double sum = 0.0;
  for (const S entry : v) sum += std::norm(entry);
  return std::sqrt(sum);
}

/// x^H y.
template <class S>
S inner_product(const std::vector<S>& x, const std::vector<S>& y) {
  S sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += ScalarTraits<S>::times_conjugate(y[i], x[i]);
  return sum;
}

/// One column of a system, in the memory of a backend, and the iterations between two restarts, on the host.
template <class S>
class Cycle {
 public:
  Cycle(LinearOperator<S>& a, ApproximateInverse<S>& m, VectorSpace<S>& vectors, std::int64_t n)
      : a_(a), m_(m), vectors_(vectors), n_(n), staged_(static_cast<std::size_t>(n)) {}

  DenseView<S> slot(int number) { return vectors_.scratch(number, n_, 1); }

  /// Finds a z with a small ‖r − A z‖₂ for the residual r in slot 2, and puts it there. Stops where the estimate of this
  /// norm is below `goal`. Returns the number of iterations.
  int run(double goal, int most) {
    basis_.assign(1, read(slot(2)));
    directions_.clear();
    const double norm = two_norm(basis_[0]);
    for (Wide<S>& entry : basis_[0]) entry /= norm;
    GivensColumns<Wide<S>> columns(norm);
    while (static_cast<int>(directions_.size()) < std::min(most, restart) && columns.residual() > goal) {
      if (!extend(columns)) break;
    }
    combine(columns.solution());
    return static_cast<int>(directions_.size());
  }

 private:
  std::vector<Wide<S>> read(const DenseView<S>& v) {
    vectors_.copy(v, DenseView<S>(staged_.data(), n_));
    return {staged_.begin(), staged_.end()};
  }

  /// Adds the direction M⁻¹ v of the last v. False if A maps it into the space that there is, or to a vector that is not
  /// finite.
  bool extend(GivensColumns<Wide<S>>& columns) {
    std::transform(basis_.back().begin(), basis_.back().end(), staged_.begin(),
                   [](Wide<S> entry) { return static_cast<S>(entry); });
    vectors_.copy(DenseView<const S>(staged_.data(), n_), slot(2));
    m_.apply(slot(2), slot(3));
    directions_.push_back(read(slot(3)));
    a_.apply(slot(3), slot(2));
    std::vector<Wide<S>> image = read(slot(2));
    std::vector<Wide<S>> coefficients(basis_.size());
    constexpr int passes = 2;  // The second one removes what rounding left of the first.
    for (int pass = 0; pass < passes; ++pass) {
      for (std::size_t k = 0; k < basis_.size(); ++k) {
        const Wide<S> part = inner_product(basis_[k], image);
        coefficients[k] += part;
        for (std::size_t i = 0; i < image.size(); ++i) image[i] -= part * basis_[k][i];
      }
    }
    const double beyond = two_norm(image);
    if (!std::isfinite(beyond)) {
      directions_.pop_back();
      return false;
    }
    columns.add(std::move(coefficients), beyond);
    if (beyond == 0.0) return false;
    for (Wide<S>& entry : image) entry /= beyond;
    basis_.push_back(std::move(image));
    return true;
  }

  void combine(const std::vector<Wide<S>>& weights) {
    std::vector<Wide<S>> sum(static_cast<std::size_t>(n_), Wide<S>(0));
    for (std::size_t k = 0; k < weights.size(); ++k) {
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weights[k] * directions_[k][i];
    }
    std::transform(sum.begin(), sum.end(), staged_.begin(), [](Wide<S> entry) { return static_cast<S>(entry); });
    vectors_.copy(DenseView<const S>(staged_.data(), n_), slot(2));
  }

  LinearOperator<S>& a_;
  ApproximateInverse<S>& m_;
  VectorSpace<S>& vectors_;
  std::int64_t n_;
  std::vector<S> staged_;
  std::vector<std::vector<Wide<S>>> basis_;
  std::vector<std::vector<Wide<S>>> directions_;
};

/// Sets x := 0 in slot 1.
template <class S>
void forget_solution(VectorSpace<S>& vectors, std::int64_t n) {
  const std::vector<S> zero(static_cast<std::size_t>(n), S(0));
  vectors.copy(DenseView<const S>(zero.data(), n), vectors.scratch(1, n, 1));
}

}  // namespace

template <class S>
void flexible_gmres(LinearOperator<S>& a, ApproximateInverse<S>& m, VectorSpace<S>& vectors, const KrylovLimits& limits,
                    std::int64_t n, SolveReport& report) {
  Cycle<S> cycle(a, m, vectors, n);
  const DenseView<S> b = cycle.slot(0);
  const DenseView<S> x = cycle.slot(1);
  const DenseView<S> r = cycle.slot(2);
  const DenseView<S> best = cycle.slot(4);
  ResidualNorms norms = a.residual(b, x, r);
  double error = normwise_error(norms);
  double best_error = error;
  vectors.copy(x, best);
  if (!(norms.r <= norms.b)) {  // Worse than no solution.
    forget_solution(vectors, n);
    norms = a.residual(b, x, r);
    error = normwise_error(norms);
  }
  int iterations = 0;
  while (iterations < limits.iterations && error > limits.backward_error) {
    const double goal = margin * limits.backward_error * (norms.a * norms.x + norms.b);
    const int done = cycle.run(goal, limits.iterations - iterations);
    iterations += done;
    vectors.axpy(S(1), r, x);
    norms = a.residual(b, x, r);
    const double previous = std::exchange(error, normwise_error(norms));
    if (std::isfinite(error) && !(error >= best_error)) {  // best_error may be NaN.
      best_error = error;
      vectors.copy(x, best);
    }
    if (done == 0 || !(error <= 0.5 * previous)) break;
  }
  vectors.copy(best, x);
  report.backward_error = best_error;
  report.fgmres_iterations += iterations;
}

#define GPUSUPERNODAL_INSTANTIATE(T)                                                                             \
  template void flexible_gmres(LinearOperator<T>&, ApproximateInverse<T>&, VectorSpace<T>&, const KrylovLimits&, \
                               std::int64_t, SolveReport&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
