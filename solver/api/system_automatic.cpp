#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/thread_team.hpp"
#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/api/backend_choice.hpp"
#include "solver/api/pcg_state.hpp"
#include "solver/api/row_iteration.hpp"
#include "solver/api/staging.hpp"
#include "solver/api/system_state.hpp"
#include "solver/api/system_watch.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {
namespace {

/// Iterations of a trial on the host, before a device begins.
constexpr std::int64_t iterations_of_trial = 8;
/// A trial takes about three iterations. It is left out if the fastest other method takes less time than so many.
constexpr double iterations_worth_a_trial = 16.0;

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

/// Where `pcg` iterates with the options of this pattern.
template <class S>
Backend SystemSolver<S>::Impl::backend_of_iterations() const {
  return backend_of_pcg<S>(pcg_options(false), static_cast<std::int64_t>(analyzed->rows->source.size()), false);
}

/// Bytes per second at which iterations on the host read A and the vectors; 0: not known.
template <class S>
double SystemSolver<S>::Impl::host_read_rate() const {
  const Analyzed& of = *analyzed;
  const bool on_host = of.pcg ? of.pcg->backend() == Backend::host : !of.tries_on_host;
  const double seconds = on_host ? of.times.iteration : of.times.product;
  if (!(seconds > 0.0)) return 0.0;
  const double bytes = bytes_of_iteration(of.rows->n, static_cast<double>(of.rows->source.size()), scalar_type_of<S>);
  return read_rate(bytes, seconds, worker_count(of.options.threads));
}

/// What each method takes from here on. Precondition: the plan is there. Measured times replace estimates.
template <class S>
SystemPrices SystemSolver<S>::Impl::prices(double iterations_left, double iterations_each) {
  Analyzed& of = *analyzed;
  const Preview& made = of.plan.get();
  if (!of.factor_prices) of.factor_prices.emplace(*made.plan, made.report.backend, solver_options());
  const auto entries = static_cast<double>(of.rows->source.size());
  const double iteration = std::max(of.times.iteration, 0.0);
  const double verification = of.times.product > 0.0 ? of.times.product : iteration;
  const double rate = made.report.backend == Backend::host ? host_read_rate() : 0.0;
  const auto known = [](double measured, double estimate) { return measured >= 0.0 ? measured : estimate; };
  const double setup_of_pcg = of.tries_on_host ? device_setup_of_pcg(entries) : 0.0;
  SystemPrices result;
  if (!of.direct_failed) {
    const FactorPrice direct = of.factor_prices->of(scalar_type_of<S>, rate);
    const double solve = known(of.times.direct_solve, direct.solve + verification);
    const double setup = known(of.times.factorize, of.direct ? direct.factorize : direct.first_factorize);
    result.direct = {of.direct_current ? 0.0 : setup, solve, solve};
  }
  if (!of.direct_failed && !of.mixed_failed && has_mixed) {
    const FactorPrice mixed = of.factor_prices->of(ScalarType::real_single, rate);
    const double solve =
        known(of.times.mixed_solve, mixed_iterations(of.ritz, default_tolerance()) * (mixed.solve + iteration));
    const double takes_over = of.mixed ? 0.0 : of.tries_on_host ? setup_of_pcg : host_setup_of_pcg(entries);
    const double setup = known(of.times.mixed_setup, mixed.first_factorize) + takes_over;
    result.mixed = {of.mixed_current ? 0.0 : setup, solve, solve};
  }
  if (!of.pcg_failed || of.direct_failed)
    result.pcg = {setup_of_pcg, iterations_left * iteration, iterations_each * iteration};
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

/// Estimated seconds of an iteration where `pcg` iterates.
template <class S>
double SystemSolver<S>::Impl::estimated_iteration() const {
  const Analyzed& of = *analyzed;
  const CostFigures figures = figures_of_device(solver_options());
  const auto entries = static_cast<double>(of.rows->source.size());
  return backend_of_iterations() == Backend::host
             ? host_iteration(figures.host, of.rows->n, entries, scalar_type_of<S>, worker_count(of.options.threads))
             : device_iteration(figures.cuda, of.rows->n, entries, scalar_type_of<S>);
}

/// Bound of the iterations for one right-hand side that is known without any; infinite if there is none.
template <class S>
double SystemSolver<S>::Impl::most_iterations() const {
  const bool by_jacobi = pcg_options(false).preconditioner == Preconditioner::jacobi;
  const RowNorms& norms = analyzed->norms;
  return most_iterations_by_jacobi(by_jacobi ? norms.besides : 1.0, norms.largest / norms.smallest, default_tolerance());
}

/// Chooses another method without any iteration if the plan is there and that method takes no longer than a few iterations,
/// unless so few are known to be enough. Returns whether it did.
template <class S>
bool SystemSolver<S>::Impl::needs_no_trial(double solves) {
  Analyzed& of = *analyzed;
  if (of.iterated || !of.plan.ready() || of.direct_failed) return false;
  const bool on_device = backend_of_iterations() == Backend::cuda;
  const double iteration = estimated_iteration();
  of.tries_on_host = on_device;
  SystemPrices without = prices(0.0, 0.0);
  of.tries_on_host = false;
  const double setup = without.pcg.setup;
  without.pcg = impossible;
  const double seconds = std::min(without.direct.total(solves), without.mixed.total(solves));
  const double few = (seconds - setup) / iteration;
  const double most = on_device ? static_cast<double>(iterations_of_trial) : few;
  if (few >= iterations_worth_a_trial || most_iterations() <= most) return false;
  choose(without, solves);
  report.reason = fmt::format("{} was chosen without an iteration: for {:.0f} solve{} it is forecast to take {:.3g} s, {}",
                              name_of(of.choice), solves, solves == 1.0 ? "" : "s", seconds,
                              few > 0.0 ? fmt::format("as long as {:.0f} iterations of pcg", few)
                                        : std::string("less than pcg takes before its first iteration"));
  return true;
}

/// Solves for one column on the host by conjugate gradients with A's rows where they are. Returns nothing if the
/// preconditioner does not exist or costs more than a copy of A.
template <class S>
std::optional<PcgReport> SystemSolver<S>::Impl::iterate_rows(const Call& call, std::int64_t column, const PcgOptions& with) {
  const Analyzed& of = *analyzed;
  if (with.preconditioner != Preconditioner::jacobi && with.preconditioner != Preconditioner::none) return std::nullopt;
  RowIteration<S> rows(*of.rows, of.values.data(), with);
  if (!rows.has_preconditioner()) return std::nullopt;
  const S* const b = call.host_b.data + column * call.host_b.ld;
  if (call.x.space == MemorySpace::host) {
    call.before->keep(stream);
    return rows.solve(b, call.x.data + column * call.x.ld, with);
  }
  HostResult<S> out(DenseView<S>(call.x.data + column * call.x.ld, call.x.rows, call.x.space));
  const PcgReport done = rows.solve(b, out.view().data, with);
  call.before->keep(stream);
  out.write_back(stream);
  return done;
}

/// Iterates a few times on the host, where that needs no copy of A, before a device begins: what it needs for that takes as
/// long as many iterations. Returns a report if they were enough.
template <class S>
std::optional<PcgReport> SystemSolver<S>::Impl::try_on_host(const Call& call, std::int64_t column, const PcgOptions& with) {
  Analyzed& of = *analyzed;
  PcgOptions few = with;
  few.max_iterations = with.max_iterations > 0 ? std::min(with.max_iterations, iterations_of_trial) : iterations_of_trial;
  of.times.iteration = estimated_iteration();
  of.tries_on_host = true;
  std::optional<PcgReport> done = iterate_rows(call, column, few);
  if (done && !done->converged()) done.reset();
  return done;
}

/// Solves for one column by conjugate gradients: for the first one of a pattern with A's rows where they are, since other
/// methods may replace the iteration; then with Pcg, whose products take less time.
template <class S>
PcgReport SystemSolver<S>::Impl::iterate_column(const Call& call, std::int64_t column, const PcgOptions& with,
                                                Watch& watch) {
  Analyzed& of = *analyzed;
  if (!of.iterated) {
    of.iterated = true;
    const bool on_host = backend_of_iterations() == Backend::host;
    const std::optional<PcgReport> done = on_host ? iterate_rows(call, column, with) : try_on_host(call, column, with);
    if (done) return *done;
    watch.restart();
  }
  of.tries_on_host = false;
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
  if (of.choice == Method::automatic && needs_no_trial(std::max(1.0, solves_left(call.b.cols)))) return 0;
  for (std::int64_t c = 0; c < call.b.cols; ++c) {
    Watch watch(*this, std::max(1.0, solves_left(call.b.cols) - static_cast<double>(c)));
    PcgOptions with = pcg_options(false);
    with.progress = watched_by(watch);
    try {
      const PcgReport done = iterate_column(call, c, with, watch);
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
