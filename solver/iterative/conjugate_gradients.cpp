#include "solver/iterative/conjugate_gradients.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "kernels/common/scalar_traits.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {
namespace {

/// A restart must reduce the true residual by this factor, or the solve has stagnated.
constexpr double least_reduction = 0.5;
/// The recursive residual aims at this part of the threshold, so that a little drift needs no restart.
constexpr double aim = 0.99;

/// A power of two that brings magnitudes outside of the safe range close to 1, since squares would over- or underflow;
/// else 1.
template <class S>
double safe_scale(double largest) {
  using Real = typename ScalarTraits<S>::Real;
  const double border = std::sqrt(std::sqrt(static_cast<double>(std::numeric_limits<Real>::max())));
  if (largest <= border && largest >= 1.0 / border) return 1.0;
  constexpr int most = std::numeric_limits<Real>::max_exponent - 10;  // The scale must be finite in S.
  return std::ldexp(1.0, std::min(-std::ilogb(largest), most));
}

/// Status of a converged solve whose x, with this largest magnitude, is divided by `scale`: it may overflow, or lose digits
/// as a subnormal number.
template <class S>
PcgStatus status_of_scaled(double largest, double scale) {
  using Real = typename ScalarTraits<S>::Real;
  if (largest == 0.0) return PcgStatus::converged;
  if (!(largest / scale <= static_cast<double>(std::numeric_limits<Real>::max()))) return PcgStatus::not_finite;
  const bool normal = largest / scale >= static_cast<double>(std::numeric_limits<Real>::min());
  return normal ? PcgStatus::converged : PcgStatus::stagnated;
}

PcgStatus status_of(PcgStop stop) { return stop == PcgStop::breakdown ? PcgStatus::breakdown : PcgStatus::not_finite; }

/// Shows the caller each look at a run that begins after `before` iterations.
PcgMonitor monitor_for(const PcgCriteria& criteria, std::int64_t before, double norm, double target) {
  if (!criteria.progress) return nullptr;
  return [&criteria, before, norm, target](const PcgStep& step) {
    const PcgProgress progress{before + step.iterations, step.residual / norm, target / norm, step.alpha, step.beta};
    if (!criteria.progress(progress))
      fail<Cancelled>("conjugate gradients were cancelled after {} iteration{}", progress.iterations,
                      progress.iterations == 1 ? "" : "s");
  };
}

/// Runs and looks at the true residual in turns. The threshold belongs to the scaled b, whose norm is `norm`.
template <class S>
void iterate(PcgEngine<S>& engine, const PcgCriteria& criteria, double norm, double threshold, PcgReport& report) {
  const std::int64_t limit = criteria.max_iterations;
  report.recursive_residual = report.residual = engine.residual();
  for (bool first = true;; first = false) {
    const double before = report.residual;
    if (!std::isfinite(before)) {
      report.status = PcgStatus::not_finite;
      return;
    }
    if (before <= threshold) {
      report.status = PcgStatus::converged;
      return;
    }
    if (report.iterations >= limit) {
      report.status = PcgStatus::max_iterations;
      return;
    }
    if (!first) ++report.restarts;
    const PcgRun run = engine.run(limit - report.iterations, aim * threshold,
                                  monitor_for(criteria, report.iterations, norm, aim * threshold));
    report.iterations += run.iterations;
    report.recursive_residual = run.residual;
    report.residual = engine.residual();
    if (report.residual <= threshold) continue;
    if (run.stop == PcgStop::breakdown || run.stop == PcgStop::not_finite) {
      report.status = status_of(run.stop);
      return;
    }
    if (run.stop == PcgStop::reached && !(report.residual <= least_reduction * before) && std::isfinite(report.residual)) {
      report.status = PcgStatus::stagnated;
      return;
    }
  }
}

}  // namespace

template <class S>
PcgReport conjugate_gradients(PcgEngine<S>& engine, const PcgCriteria& criteria, const DenseView<const S>& b,
                              const DenseView<S>& x, bool use_start) {
  PcgReport report;
  const double largest = engine.load(b.data, b.space, use_start ? x.data : nullptr, x.space);
  if (!std::isfinite(largest)) {
    report.status = PcgStatus::not_finite;
    report.right_hand_side = report.residual = report.recursive_residual = largest;
    return report;
  }
  if (largest == 0.0) {  // x = 0 is the solution, whatever the start.
    engine.load(b.data, b.space, nullptr, x.space);
    engine.store(x.data, x.space, 1.0);
    report.status = PcgStatus::converged;
    return report;
  }
  const double scale = safe_scale<S>(largest);
  if (scale != 1.0) engine.scale(scale);
  const double norm = engine.norm_of_b();
  const double threshold = std::max(criteria.tolerance * norm, criteria.absolute * scale);
  iterate(engine, criteria, norm, threshold, report);
  if (scale != 1.0 && report.converged()) report.status = status_of_scaled<S>(engine.largest_of_x(), scale);
  engine.store(x.data, x.space, 1.0 / scale);
  report.right_hand_side = norm / scale;
  report.residual /= scale;
  report.recursive_residual /= scale;
  return report;
}

#define GPUSUPERNODAL_INSTANTIATE(T)                                                                                        \
  template PcgReport conjugate_gradients(PcgEngine<T>&, const PcgCriteria&, const DenseView<const T>&, const DenseView<T>&, \
                                         bool);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
