#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "base/stopwatch.hpp"
#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/api/system_state.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {
namespace {

/// Ends an iteration whose preconditioner, a factor of earlier values, is no longer worth keeping.
struct FactorIsOld {};
constexpr FactorIsOld factor_is_old{};

std::function<bool(const PcgProgress&)> watch_of_mixed(const SystemOptions& options, double limit) {
  return [&options, limit](const PcgProgress& progress) {
    if (static_cast<double>(progress.iterations) > limit) throw factor_is_old;
    return !options.progress || options.progress(Progress{"iterate", 0.0});
  };
}

}  // namespace

/// Iterations after which an old factor is renewed: those that a new factor needs, plus the work of a new factor in
/// iterations, divided by the number of remaining solves. Measured times do not count, so that equal input gives equal bits.
template <class S>
std::int64_t SystemSolver<S>::Impl::renewal_iterations() const {
  const Analyzed& of = *analyzed;
  const Preview& made = of.plan.get();
  const double bytes_of_product = static_cast<double>(of.rows->source.size() * (sizeof(S) + sizeof(std::int32_t)));
  const double worth =
      iterations_worth_a_factor(*made.plan, made.report.backend, solver_options(), bytes_of_product) / solves_left(1);
  return static_cast<std::int64_t>(of.times.mixed_iterations + std::min(worth, 1e6));
}

/// The single-precision factor: of the present values, or of earlier ones as long as its iterations cost less than renewing
/// it; with `renew`, of the present values.
template <class S>
void SystemSolver<S>::Impl::prepare_mixed(bool renew) {
  Analyzed& of = *analyzed;
  PcgOptions with = pcg_options(true);
  with.factor_plan = plan().plan;
  if (of.plan.get().report.backend == Backend::host) with.backend = Backend::host;
  if (!of.mixed) {
    auto fresh = std::make_unique<Pcg<S>>(with);
    fresh->set_stream(stream);
    fresh->analyze(of.view());
    of.mixed = std::move(fresh);
    of.mixed_most = -1;
  }
  const std::int64_t most = of.times.mixed_iterations >= 0.0 ? renewal_iterations() : -1;
  const bool updates = renew || !of.mixed_current;
  if (updates) of.mixed_lags = !renew && of.mixed_most >= 0 && of.mixed_most <= most;
  with.renewal = of.mixed_lags ? Renewal::never : Renewal::always;
  with.progress =
      watch_of_mixed(options, of.mixed_lags ? 2.0 * static_cast<double>(most) : std::numeric_limits<double>::infinity());
  of.mixed->set_options(std::move(with));
  if (!updates) return;
  of.mixed_current = false;
  if (!of.mixed_lags) of.mixed_most = -1;
  of.mixed->update(Span<const S>(of.values.data(), of.values.size()));
  of.mixed_current = true;
  if (of.mixed_lags) return;
  of.mixed_most = 0;
  of.mixed_fresh = true;
}

/// Solves for one column. Returns whether x is a solution; otherwise the report's reason says why not.
template <class S>
bool SystemSolver<S>::Impl::solve_mixed_column(const Call& call, std::int64_t column) {
  Analyzed& of = *analyzed;
  PcgReport done;
  Stopwatch watch;
  try {
    done = iterate(*of.mixed, call, column);
    if (!done.converged() && of.mixed_lags) throw factor_is_old;
  } catch (const FactorIsOld&) {
    prepare_mixed(true);
    watch.lap();
    done = iterate(*of.mixed, call, column);
  }
  const double seconds = watch.seconds();
  const bool fresh = std::exchange(of.mixed_fresh, false);
  of.mixed_most = std::max(of.mixed_most, done.iterations);
  if (fresh) {
    ++of.factorizations;
    of.times.mixed_setup = report.seconds_factorize = done.seconds_setup;
  }
  report.factor_shift = done.factor_shift;
  if (finish_pcg_column(call, column, done, Unsolved::is_replaced)) {
    if (fresh) of.times.mixed_iterations = static_cast<double>(done.iterations);
    of.times.mixed_solve = seconds;
    return true;
  }
  of.mixed_failed = true;
  report.reason += fmt::format("; mixed gave way to direct: {}", failure_of(done));
  return false;
}

template <class S>
void SystemSolver<S>::Impl::solve_mixed(const Call& call, std::int64_t first) {
  report.method = Method::mixed;
  if (report.reason.empty()) report.reason = "mixed was requested";
  prepare_mixed(false);
  for (std::int64_t c = first; c < call.b.cols; ++c) {
    if (solve_mixed_column(call, c)) continue;
    analyzed->mixed.reset();  // Gives its memory back before the other factor takes more.
    analyzed->mixed_current = false;
    solve_direct(call, c);
    return;
  }
}

#define GPUSUPERNODAL_INSTANTIATE(T) template struct SystemSolver<T>::Impl;
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
