#pragma once

/// \file
/// SystemSolver<S>::Impl::Watch: looks at an iteration of `automatic`, and ends it when another method is forecast to end
/// first. Only system_automatic.cpp includes this.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/stopwatch.hpp"
#include "base/thread_team.hpp"
#include "solver/api/system_state.hpp"
#include "solver/iterative/lanczos.hpp"

namespace gpusupernodal {

/// Ends an iteration, because another method is forecast to end first.
struct MethodChanges {};
inline constexpr MethodChanges method_changes{};

/// Rules of the looks. Each number of iterations was tried on recorded residuals of 28 matrices, with factorizations that
/// take as long as 10 to 1500 iterations.
namespace looks {
/// Iterations before the first look. If even that forecasts more time than a usual plan takes, the plan is begun.
inline constexpr std::int64_t first = 4;
/// Iterations before another method may be chosen, if no earlier solver has made the plan.
inline constexpr std::int64_t fewest = 8;
/// Iterations before another method may be chosen if the plan is in the cache. A choice may come after as few as
/// fewest_of_all, once they have taken part_of_trial of the time of the fastest other method.
inline constexpr std::int64_t fewest_with_plan = 4;
inline constexpr std::int64_t fewest_of_all = 2;
inline constexpr double part_of_trial = 0.04;
/// A further look follows when the number of iterations has grown by this factor, and by at least two.
inline constexpr double growth = 1.3;
/// Without Ritz values, residuals that did not fall say nothing before so many iterations.
inline constexpr std::int64_t patience_with_residuals = 64;

constexpr std::int64_t next(std::int64_t iterations) {
  return std::max(iterations + 2, static_cast<std::int64_t>(growth * static_cast<double>(iterations)));
}
}  // namespace looks

/// When a plan is begun, and when an iteration pauses for it, so that the thread that makes it gets all cores.
namespace plans {
/// A usual plan takes this time per row of A with two threads; the time falls with the fourth root of their number. No plan
/// is begun if the iteration is forecast to end sooner.
inline constexpr double seconds_per_row = 1e-6;
/// An iteration that is forecast to take so many times as long as a usual plan pauses. On a device fewer times are enough,
/// because its set-up cannot be stopped.
inline constexpr double pause = 2.0;
inline constexpr double pause_of_device = 1.4;
/// It goes on when the plan has taken so many times as long as the forecast says.
inline constexpr double patience = 1.0;
/// A plan that an earlier solve stopped is begun again for an iteration that is forecast to take so many times as long.
inline constexpr double worth_another = 3.0;
inline constexpr double seconds_between_calls = 0.05;
}  // namespace plans

template <class S>
class SystemSolver<S>::Impl::Watch {
 public:
  /// `solves` right-hand sides are still to come.
  Watch(Impl& impl, double solves)
      : impl_(impl),
        of_(*impl.analyzed),
        solves_(solves),
        plan_was_there_(of_.plan.ready()),
        trusted_(trusted_iterations()) {}

  bool look(const PcgProgress& progress) {
    const double seconds = watch_.lap();
    impl_.tell("iterate", 0.0);
    const std::int64_t done = progress.iterations - iterations_;
    iterations_ = progress.iterations;
    iterating_ += seconds;
    if (done > 0) iteration_seconds_.push_back(seconds / static_cast<double>(done));
    lanczos_.add(progress.iterations, progress.alpha, progress.beta, progress.residual);
    if (progress.residual <= progress.target) return true;
    if (is_due()) {
      forecast(progress);
      next_look_ = looks::next(iterations_);
    }
    watch_.lap();  // Neither the caller's function nor waiting is part of an iteration.
    return true;
  }

  /// Begins anew, for an iteration on a device with the same right-hand side.
  void restart() {
    lanczos_.clear();
    iteration_seconds_.clear();
    iterations_ = 0;
    next_look_ = looks::fewest;
    watch_.lap();
  }

  /// Keeps what the iteration showed about the spectrum and about its speed.
  void keep() {
    if (!iteration_seconds_.empty()) {
      if (of_.tries_on_host) {
        of_.times.product = iteration_seconds();
      } else {
        of_.times.iteration = iteration_seconds();
      }
    }
    impl_.report.probe_iterations = iterations_;
    if (lanczos_.order() == 0) return;
    of_.ritz = lanczos_.ritz();
    impl_.report.smallest_ritz = of_.ritz.smallest;
    impl_.report.largest_ritz = of_.ritz.largest;
  }

 private:
  /// Iterations that an earlier right-hand side took with these values: no forecast is better.
  double trusted_iterations() const { return of_.solves > 0 && of_.choice == Method::pcg ? of_.times.pcg_iterations : 0.0; }

  bool is_due() {
    if (static_cast<double>(iterations_) <= trusted_) return false;
    if (!of_.plan.ready()) return iterations_ >= next_look_;
    if (has_compared_) return iterations_ >= next_look_;
    if (!plan_was_there_) return iterations_ >= looks::fewest;
    if (iterations_ >= looks::fewest_with_plan) return true;
    return iterations_ >= looks::fewest_of_all && iterating_ >= looks::part_of_trial * price_of_others();
  }

  double price_of_others() {
    keep();
    const SystemPrices prices = impl_.prices(0.0, 0.0);
    return std::min(prices.direct.total(solves_), prices.mixed.total(solves_));
  }

  void forecast(const PcgProgress& progress) {
    keep();
    const double bound = std::max(1.0, impl_.most_iterations() - static_cast<double>(iterations_));
    const double left = std::min(lanczos_.forecast(progress.target), bound);
    if (lanczos_.order() == 0 && std::isinf(left) && iterations_ < looks::patience_with_residuals) return;
    const double each = left + static_cast<double>(iterations_);
    of_.times.pcg_iterations = each;
    const double setup = of_.tries_on_host ? device_setup_of_pcg(static_cast<double>(of_.rows->source.size())) : 0.0;
    if (!has_plan(setup + (left + (solves_ - 1.0) * each) * of_.times.iteration)) return;
    if (!plan_was_there_ && iterations_ < looks::fewest) return;
    SystemPrices prices = impl_.prices(left, each);
    // A forecast that proves too low time and again may not go on for long: it counts more, the longer it did.
    const double others = std::min(prices.direct.total(solves_), prices.mixed.total(solves_));
    if (since_plan_ < 0.0) since_plan_ = iterating_;
    prices.pcg.first *= std::max(1.0, (iterating_ - since_plan_) / others);
    has_compared_ = true;
    impl_.choose(prices, solves_);
    if (of_.choice != Method::pcg) throw method_changes;
  }

  /// Mean of the faster half of the iterations: the others shared the cores with the thread that makes the plan.
  double iteration_seconds() {
    const auto middle = iteration_seconds_.begin() + static_cast<std::ptrdiff_t>((iteration_seconds_.size() - 1) / 2);
    std::nth_element(iteration_seconds_.begin(), middle, iteration_seconds_.end());
    double sum = *middle;
    for (auto seconds = iteration_seconds_.begin(); seconds != middle; ++seconds) sum += *seconds;
    return sum / static_cast<double>(middle - iteration_seconds_.begin() + 1);
  }

  double usual_plan() const {
    const double threads = std::max(2, worker_count(of_.options.threads));
    return plans::seconds_per_row * static_cast<double>(of_.rows->n) * std::pow(2.0 / threads, 0.25);
  }

  void start_if_worth(double forecast) {
    BackgroundPlan& plan = of_.plan;
    const bool again = plan.stopped() && forecast > plans::worth_another * plan.seconds();
    if (again || (!plan.started() && forecast > usual_plan())) impl_.start_plan();
  }

  /// Whether the plan is there. Waits for it if the iteration is forecast to take long.
  bool has_plan(double forecast) {
    BackgroundPlan& plan = of_.plan;
    start_if_worth(forecast);
    if (!plan.started()) return false;
    const double pause = of_.tries_on_host ? plans::pause_of_device : plans::pause;
    while (!plan.ended() && forecast > pause * usual_plan() && forecast > plans::patience * plan.seconds()) {
      plan.wait_for(std::min(plans::seconds_between_calls, forecast));
      impl_.tell("analyze", 0.0);
    }
    return plan.ready();
  }

  Impl& impl_;
  Analyzed& of_;
  double solves_;
  bool plan_was_there_;
  double trusted_;
  Lanczos lanczos_;
  Stopwatch watch_;
  std::int64_t iterations_ = 0;
  std::int64_t next_look_ = looks::first;
  bool has_compared_ = false;
  double iterating_ = 0.0;
  double since_plan_ = -1.0;
  std::vector<double> iteration_seconds_;
};

}  // namespace gpusupernodal
