#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/stopwatch.hpp"
#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/api/backend_choice.hpp"
#include "solver/api/checks.hpp"
#include "solver/api/kept_plan.hpp"
#include "solver/api/row_iteration.hpp"
#include "solver/api/system_state.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {
namespace {

/// Iterations before the first forecast by Ritz values.
constexpr std::int64_t probe_iterations = 30;
/// Iterations before the first look, which takes the lower of two forecasts. If even that exceeds the time of a plan, the
/// plan is begun, and the iteration waits for it.
constexpr std::int64_t first_look = 8;
/// Iterations before the first look if an earlier solver made the plan: without an ordering, a factorization takes less
/// time.
constexpr std::int64_t first_look_with_plan = 4;
/// A later forecast follows after this fraction of the iterations so far.
constexpr double part_between_forecasts = 0.1;
/// The iteration waits for the plan if it is forecast to take this many times as long as the plan has taken so far: the
/// plan then gets all cores.
constexpr double patience = 3.0;
constexpr double seconds_between_calls = 0.05;
/// Lower bound of a plan's time per row of A, in seconds. No plan is begun for an iteration that will end sooner, because
/// it would compete for the cores.
constexpr double least_seconds_per_row = 1e-6;

/// Ends an iteration, because another method is forecast to end first.
struct MethodChanges {};
constexpr MethodChanges method_changes{};

}  // namespace

/// Looks at an iteration, and ends it by MethodChanges when another method is forecast to end first.
template <class S>
class SystemSolver<S>::Impl::Watch {
 public:
  Watch(Impl& impl, double solves)
      : impl_(impl),
        of_(*impl.analyzed),
        solves_(solves),
        next_look_(of_.plan_was_kept ? first_look_with_plan : first_look) {}

  bool look(const PcgProgress& progress) {
    const double seconds = watch_.lap();
    impl_.tell("iterate", 0.0);
    const std::int64_t done = progress.iterations - iterations_;
    iterations_ = progress.iterations;
    iterating_ += seconds;
    if (done > 0) iteration_seconds_.push_back(seconds / static_cast<double>(done));
    lanczos_.add(progress.iterations, progress.alpha, progress.beta, progress.residual);
    if (progress.residual <= progress.target) return true;
    if (progress.iterations >= next_look_) {
      forecast(progress);
      next_look_ = next_look(progress.iterations);
    }
    watch_.lap();  // Neither the caller's function nor waiting is part of an iteration.
    return true;
  }

  /// Keeps what the iteration showed about the spectrum and about its speed.
  void keep() {
    if (!iteration_seconds_.empty()) of_.times.iteration = iteration_seconds();
    of_.ritz = lanczos_.ritz();
    impl_.report.smallest_ritz = of_.ritz.smallest;
    impl_.report.largest_ritz = of_.ritz.largest;
    impl_.report.probe_iterations = iterations_;
  }

 private:
  void forecast(const PcgProgress& progress) {
    keep();
    const bool early = progress.iterations < probe_iterations;
    const double by_spectrum = lanczos_.remaining_iterations(progress.target);
    const double left = early ? std::min(by_spectrum, lanczos_.remaining_by_residuals(progress.target)) : by_spectrum;
    const double each = left + static_cast<double>(progress.iterations);
    of_.times.pcg_iterations = each;
    if (!has_plan((left + (solves_ - 1.0) * each) * of_.times.iteration)) return;
    SystemPrices prices = impl_.prices(left, each);
    // A forecast that proves too low time and again may not go on for long: it counts more, the longer it did.
    const double others = std::min(prices.direct.total(solves_), prices.mixed.total(solves_));
    if (since_plan_ < 0.0) since_plan_ = iterating_;
    prices.pcg.first *= std::max(1.0, (iterating_ - since_plan_) / others);
    impl_.choose(prices, solves_);
    if (of_.choice != Method::pcg) throw method_changes;
  }

  /// Mean of the faster half of the iterations: the others shared the cores with the thread that makes the plan.
  double iteration_seconds() {
    const auto middle = iteration_seconds_.begin() + static_cast<std::ptrdiff_t>(iteration_seconds_.size() / 2);
    std::nth_element(iteration_seconds_.begin(), middle, iteration_seconds_.end());
    double sum = *middle;
    for (auto seconds = iteration_seconds_.begin(); seconds != middle; ++seconds) sum += *seconds;
    return sum / static_cast<double>(middle - iteration_seconds_.begin() + 1);
  }

  static std::int64_t next_look(std::int64_t iterations) {
    if (iterations < probe_iterations) return iterations < first_look ? first_look : probe_iterations;
    return iterations +
           std::max<std::int64_t>(5, static_cast<std::int64_t>(part_between_forecasts * static_cast<double>(iterations)));
  }

  void start_if_worth(double forecast) {
    BackgroundPlan& plan = of_.plan;
    const double least = least_seconds_per_row * static_cast<double>(of_.rows->n);
    const bool again = plan.stopped() && forecast > patience * plan.seconds();
    if (again || (!plan.started() && forecast > least)) impl_.start_plan();
  }

  /// Whether the plan is there. Waits for it if the iteration is forecast to take long, or if it is only looked up.
  bool has_plan(double forecast) {
    BackgroundPlan& plan = of_.plan;
    start_if_worth(forecast);
    if (!plan.started()) return false;
    while (!plan.ended() && (of_.plan_was_kept || forecast > patience * plan.seconds())) {
      plan.wait_for(std::min(seconds_between_calls, forecast / patience));
      impl_.tell("analyze", 0.0);
    }
    return plan.ready();
  }

  Impl& impl_;
  Analyzed& of_;
  double solves_;
  Lanczos lanczos_;
  Stopwatch watch_;
  std::int64_t iterations_ = 0;
  std::int64_t next_look_;
  double iterating_ = 0.0;
  double since_plan_ = -1.0;
  std::vector<double> iteration_seconds_;
};

namespace {

/// A free function, because the library would export a closure that a member of an exported class creates.
template <class Watch>
std::function<bool(const PcgProgress&)> watched_by(Watch& watch) {
  return [&watch](const PcgProgress& progress) { return watch.look(progress); };
}

}  // namespace

/// Right-hand sides that are still to come, with these `columns`: the expected number; beyond it, as many again as there
/// were.
template <class S>
double SystemSolver<S>::Impl::solves_left(std::int64_t columns) const {
  const std::int64_t done = analyzed->solves;
  return static_cast<double>(std::max({options.expected_solves - done, done, columns, std::int64_t{1}}));
}

/// Bytes per second at which an iteration on the host read A and the vectors; 0: not known.
template <class S>
double SystemSolver<S>::Impl::read_rate() const {
  const Analyzed& of = *analyzed;
  if (!(of.times.iteration > 0.0) || (of.pcg && of.pcg->backend() != Backend::host)) return 0.0;
  constexpr double vectors = 12.0;  // Read or written in an iteration.
  const double bytes =
      static_cast<double>(of.rows->source.size()) * (sizeof(S) + sizeof(std::int32_t)) + vectors * sizeof(S) * of.rows->n;
  return bytes / of.times.iteration;
}

/// What each method takes from here on. Precondition: the plan is there. Measured times replace estimates.
template <class S>
SystemPrices SystemSolver<S>::Impl::prices(double iterations_left, double iterations_each) const {
  const Analyzed& of = *analyzed;
  const Preview& made = of.plan.get();
  const Options with = solver_options();
  const double iteration = std::max(of.times.iteration, 0.0);
  const double rate = made.report.backend == Backend::host ? read_rate() : 0.0;
  const auto known = [](double measured, double estimate) { return measured >= 0.0 ? measured : estimate; };
  SystemPrices result;
  if (!of.direct_failed) {
    const FactorPrice direct = factor_price(*made.plan, made.report.backend, with, scalar_type_of<S>, rate);
    const double solve = known(of.times.direct_solve, direct.solve + iteration);
    const double setup = known(of.times.factorize, of.direct ? direct.factorize : direct.first_factorize);
    result.direct = {of.direct_current ? 0.0 : setup, solve, solve};
  }
  if (!of.direct_failed && !of.mixed_failed && has_mixed) {
    const FactorPrice mixed = factor_price(*made.plan, made.report.backend, with, ScalarType::real_single, rate);
    const double solve =
        known(of.times.mixed_solve, mixed_iterations(of.ritz, default_tolerance()) * (mixed.solve + iteration));
    const double setup = known(of.times.mixed_setup, mixed.first_factorize);
    result.mixed = {of.mixed_current ? 0.0 : setup, solve, solve};
  }
  if (!of.pcg_failed || of.direct_failed) result.pcg = {0.0, iterations_left * iteration, iterations_each * iteration};
  return result;
}

/// Takes the method with the lowest price, and reports why.
template <class S>
void SystemSolver<S>::Impl::choose(const SystemPrices& of, double solves) {
  const auto reported = [](double seconds) { return std::isfinite(seconds) ? seconds : -1.0; };
  analyzed->choice = cheapest(of, solves);
  report.forecast_direct = reported(of.direct.total(solves));
  report.forecast_mixed = reported(of.mixed.total(solves));
  report.forecast_pcg = reported(of.pcg.total(solves));
  report.forecast_iterations = reported(analyzed->times.pcg_iterations);
  report.reason = forecast_sentence(of, solves, analyzed->times.pcg_iterations, analyzed->choice);
}

/// Revises the choice by what is known without an iteration.
template <class S>
void SystemSolver<S>::Impl::choose_again(std::int64_t columns) {
  Analyzed& of = *analyzed;
  of.choice_is_old = false;
  if (!of.plan.ready() || of.times.iteration < 0.0 || of.times.pcg_iterations < 0.0) return;
  choose(prices(of.times.pcg_iterations, of.times.pcg_iterations), solves_left(columns));
}

/// Begins the plan if an earlier solver made it, unless a plan was begun. Looks once for each set of values, because a look
/// costs O(nnz), which may be as much as an iteration.
template <class S>
void SystemSolver<S>::Impl::start_kept_plan() {
  Analyzed& of = *analyzed;
  if (of.plan.started() || of.looked_for_plan) return;
  if (has_kept_plan(pattern_of(of.view()), solver_options())) {
    of.plan_was_kept = true;
    start_plan();
  }
  of.looked_for_plan = true;
}

/// Solves for one column by conjugate gradients: for the first one of a pattern with A's rows where they are, since other
/// methods may replace the iteration; then with Pcg, whose products take less time. A device has no such products, and other
/// preconditioners than these cost more than a copy of A.
template <class S>
PcgReport SystemSolver<S>::Impl::iterate_column(const Call& call, std::int64_t column, const PcgOptions& with) {
  Analyzed& of = *analyzed;
  const bool simple = with.preconditioner == Preconditioner::jacobi || with.preconditioner == Preconditioner::none;
  if (!of.iterated && simple && call.x.space == MemorySpace::host && !allows_device(solver_options())) {
    of.iterated = true;
    RowIteration<S> rows(*of.rows, of.values.data(), with);
    if (rows.has_preconditioner()) {
      call.before->keep(stream);
      return rows.solve(call.host_b.data + column * call.host_b.ld, call.x.data + column * call.x.ld, with);
    }
  }
  prepare_pcg();
  of.pcg->set_options(with);
  return iterate(*of.pcg, call, column);
}

/// Solves column after column by conjugate gradients. Returns the number of columns that are solved when another method is
/// chosen, or that of all.
template <class S>
std::int64_t SystemSolver<S>::Impl::iterate_columns(const Call& call) {
  Analyzed& of = *analyzed;
  report.method = Method::pcg;
  start_kept_plan();
  for (std::int64_t c = 0; c < call.b.cols; ++c) {
    Watch watch(*this, std::max(1.0, solves_left(call.b.cols) - static_cast<double>(c)));
    PcgOptions with = pcg_options(false);
    with.progress = watched_by(watch);
    try {
      const PcgReport done = iterate_column(call, c, with);
      watch.keep();
      if (!finish_pcg_column(call, c, done, Unsolved::is_replaced)) {
        of.choice = Method::direct;
        of.pcg_failed = true;
        report.reason = fmt::format("pcg gave way to direct: {}", failure_of(done));
        return c;
      }
      of.times.pcg_iterations = static_cast<double>(done.iterations);
      of.choice = Method::pcg;
      if (report.reason.empty())
        report.reason = fmt::format("pcg converged after {} iteration{}, before a factorization was worth it",
                                    done.iterations, done.iterations == 1 ? "" : "s");
    } catch (const MethodChanges&) {
      return c;
    }
  }
  return call.b.cols;
}

template <class S>
void SystemSolver<S>::Impl::solve_automatic(const Call& call) {
  Analyzed& of = *analyzed;
  if (of.choice_is_old || (of.choice == Method::pcg && of.solves > 0)) choose_again(call.b.cols);
  std::int64_t first = 0;
  if (of.choice == Method::automatic || of.choice == Method::pcg) first = iterate_columns(call);
  if (first == call.b.cols) {
    if (of.solves + first >= options.expected_solves) of.plan.stop();
    return;
  }
  if (report.reason.empty()) report.reason = fmt::format("{} was chosen by an earlier solve", name_of(of.choice));
  try {
    of.choice == Method::mixed ? solve_mixed(call, first) : solve_direct(call, first);
    if (report.method == Method::direct) of.choice = Method::direct;  // Mixed may have fallen back to it.
  } catch (const OutOfMemory& refused) {
    of.direct.reset();
    of.mixed.reset();
    of.direct_current = of.mixed_current = false;
    of.direct_failed = true;
    of.choice = Method::pcg;
    report.reason = fmt::format("pcg, because memory for a factorization was refused: {}", refused.what());
    solve_pcg(call, first);
  }
}

#define GPUSUPERNODAL_INSTANTIATE(T) template struct SystemSolver<T>::Impl;
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
