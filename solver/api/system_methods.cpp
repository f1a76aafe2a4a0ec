#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/stopwatch.hpp"
#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/api/checks.hpp"
#include "solver/api/kept_plan.hpp"
#include "solver/api/staging.hpp"
#include "solver/api/system_state.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {
namespace {

/// Steps of refinement that a direct solution gets if it is not accurate.
constexpr int max_refinement_steps = 3;
/// How often a caller that waits for a plan is asked whether to go on.
constexpr double seconds_between_calls = 0.05;

/// An ordering that is made in another thread. This is a free function, as those below, because the library would export
/// closures that members of an exported class create.
template <class S>
BackgroundPlan::Make plan_maker(std::shared_ptr<const SymmetricRows> rows, const Options& options) {
  return [rows = std::move(rows), options](const std::function<bool(const Progress&)>& progress) {
    MatrixView<S> a;
    a.n = rows->n;
    a.offsets = rows->offsets.data();
    a.indices = rows->columns.data();
    a.part = StoredPart::full;
    a.compression = Compression::rows;
    Options with = options;
    with.progress = progress;
    with.factor_progress = nullptr;
    return Solver<S>::preview(a, with);
  };
}

std::function<bool(const PcgProgress&)> progress_to(const SystemOptions& options) {
  return [&options](const PcgProgress&) { return options.progress(Progress{"iterate", 0.0}); };
}

SystemStatus status_of(PcgStatus status) {
  if (status == PcgStatus::converged) return SystemStatus::solved;
  if (status == PcgStatus::breakdown) return SystemStatus::not_positive_definite;
  return status == PcgStatus::not_finite ? SystemStatus::not_finite : SystemStatus::not_converged;
}

}  // namespace

std::string failure_of(const PcgReport& done) {
  return fmt::format("{} after {} iteration{} with the preconditioner {}{}", name_of(done.status), done.iterations,
                     done.iterations == 1 ? "" : "s", name_of(done.preconditioner),
                     done.converged() ? ", but x misses the tolerance in rows of A with small entries" : "");
}

template <class S>
Options SystemSolver<S>::Impl::solver_options() const {
  const SystemOptions& of = analyzed->options;
  Options result;
  result.backend = of.backend;
  result.ordering = of.ordering;
  result.expected_factorizations = of.expected_factorizations;
  result.threads = of.threads;
  result.device = of.device;
  result.host_allocator = of.host_allocator;
  result.device_allocator = of.device_allocator;
  result.check_right_hand_sides = false;  // Done for all methods.
  result.factor_progress = of.progress;
  return result;
}

template <class S>
PcgOptions SystemSolver<S>::Impl::pcg_options(bool mixed) const {
  const SystemOptions& of = analyzed->options;
  PcgOptions result;
  result.tolerance = options.tolerance;
  result.absolute_tolerance = options.absolute_tolerance;
  result.max_iterations = options.max_iterations;
  result.preconditioner = mixed                                            ? Preconditioner::factor
                          : of.preconditioner == Preconditioner::automatic ? Preconditioner::jacobi
                                                                           : of.preconditioner;
  result.factor_precision = mixed ? FactorPrecision::single : FactorPrecision::same;
  result.backend = of.backend;
  result.threads = of.threads;
  result.device = of.device;
  result.host_allocator = of.host_allocator;
  result.device_allocator = of.device_allocator;
  return result;
}

template <class S>
void SystemSolver<S>::Impl::start_plan() {
  analyzed->plan.start(plan_maker<S>(analyzed->rows, solver_options()));
}

/// Takes the plan if an earlier solver made it, unless a plan was begun. Looks once for each set of values, because a look
/// costs O(nnz), which may be as much as an iteration.
template <class S>
void SystemSolver<S>::Impl::start_kept_plan() {
  Analyzed& of = *analyzed;
  if (of.plan.started() || of.looked_for_plan) return;
  if (has_kept_plan(pattern_of(of.view()), solver_options())) of.plan.make_here(plan_maker<S>(of.rows, solver_options()));
  of.looked_for_plan = true;
}

/// Returns the plan and waits for it. A plan that failed or was stopped is made again.
template <class S>
const Preview& SystemSolver<S>::Impl::plan() {
  BackgroundPlan& plan = analyzed->plan;
  do {
    if (!plan.started() || (plan.ended() && !plan.ready())) start_plan();
    try {
      while (!plan.wait_for(seconds_between_calls)) tell("analyze", 0.0);
    } catch (...) {
      plan.stop();
      throw;
    }
  } while (plan.stopped());  // An earlier solve may have stopped it as unneeded.
  return plan.get();
}

/// Factorizes the present values. Returns whether a factor exists; otherwise the report says why.
template <class S>
bool SystemSolver<S>::Impl::factorize() {
  Analyzed& of = *analyzed;
  if (!of.direct) {
    const Preview& made = plan();
    auto fresh = std::make_unique<Solver<S>>(solver_options());
    fresh->set_stream(stream);
    fresh->analyze(of.view(), made.plan);
    of.direct = std::move(fresh);
  }
  Options with = of.direct->options();
  with.factor_progress = options.progress;
  of.direct->set_options(std::move(with));
  Stopwatch watch;
  of.direct->refactorize(Span<const S>(of.values.data(), of.values.size()));
  const FactorReport done = of.direct->factor_report();
  of.times.factorize = report.seconds_factorize = watch.seconds();
  ++of.factorizations;
  if (done.status == Status::success) return of.direct_current = true;
  report.status = SystemStatus::not_positive_definite;
  report.failed_column = done.failed_column;
  report.reason = fmt::format(
      "the matrix is not positive definite: the pivot of column {} is {:.3g}; factorize it with the form ldlt or lu",
      done.failed_column, done.failed_value);
  return false;
}

/// x := x + A⁻¹(b − A x) while that is needed, for one column.
template <class S>
void SystemSolver<S>::Impl::refine(const Call& call, std::int64_t column, const DenseView<S>& x) {
  Analyzed& of = *analyzed;
  const SystemReport before = report;
  RawVector<S> r;
  int steps = 0;
  while (!is_accurate(call, column, &r)) {
    if (steps == max_refinement_steps) {
      report.status = SystemStatus::inaccurate;
      report.reason += fmt::format("; the backward error of right-hand side {} is {:.2g}", column, report.backward_error);
      break;
    }
    ++steps;
    const HostCopy<S> old(x.data, x.space, x.rows, stream);
    of.direct->solve(DenseView<const S>(r.data(), x.rows), DenseView<S>(r.data(), x.rows));
    HostResult<S> out(x);
    for (std::int64_t i = 0; i < x.rows; ++i) out.view().data[i] = old.data()[i] + r[static_cast<std::size_t>(i)];
    if (x.space == MemorySpace::host) {
      std::copy_n(out.view().data, x.rows, x.data);
    } else {
      out.write_back(stream);
    }
    report.residual = before.residual;  // They belong to the x that is returned.
    report.backward_error = before.backward_error;
  }
  report.refinement_steps = std::max(report.refinement_steps, steps);
}

template <class S>
void SystemSolver<S>::Impl::solve_direct(const Call& call, std::int64_t first) {
  Analyzed& of = *analyzed;
  report.method = Method::direct;
  if (report.reason.empty()) report.reason = "direct was requested";
  tell("factorize", 0.0);
  if (!of.direct_current && !factorize()) return;
  report.backend = of.direct->backend();
  const std::int64_t columns = call.b.cols - first;
  const Stopwatch watch;
  of.direct->solve(DenseView<const S>(call.b.data + first * call.b.ld, call.b.rows, columns, call.b.ld, call.b.space),
                   DenseView<S>(call.x.data + first * call.x.ld, call.x.rows, columns, call.x.ld, call.x.space));
  for (std::int64_t c = first; c < call.b.cols; ++c)
    refine(call, c, DenseView<S>(call.x.data + c * call.x.ld, call.x.rows, call.x.space));
  of.times.direct_solve = watch.seconds() / static_cast<double>(columns);
}

template <class S>
const PcgReport& SystemSolver<S>::Impl::iterate(Pcg<S>& with, const Call& call, std::int64_t column) {
  call.before->keep(stream);
  return with.solve(DenseView<const S>(call.b.data + column * call.b.ld, call.b.rows, call.b.space),
                    DenseView<S>(call.x.data + column * call.x.ld, call.x.rows, call.x.space));
}

/// Adds an iteration's report to the report of the solve. Returns whether x is a solution. If it is not, but is returned,
/// the report has its error.
template <class S>
bool SystemSolver<S>::Impl::finish_pcg_column(const Call& call, std::int64_t column, const PcgReport& done, Unsolved x) {
  report.backend = done.backend;
  report.iterations = std::max(report.iterations, done.iterations);
  if (done.converged()) {
    const double relative = done.right_hand_side > 0.0 ? done.residual / done.right_hand_side : done.residual;
    const bool solved = is_accurate_by_rows(call, column, done.residual);
    if (solved || x == Unsolved::is_returned) report.residual = std::max(report.residual, relative);
    return solved;
  }
  const double residual = report.residual, error = report.backward_error;
  if (x == Unsolved::is_replaced && done.status != PcgStatus::stagnated) return false;
  const bool accurate = is_accurate(call, column, nullptr);
  if (accurate && done.status == PcgStatus::stagnated && is_accurate_by_rows(call, column, done.residual)) return true;
  if (x == Unsolved::is_replaced) {
    report.residual = residual;
    report.backward_error = error;
  }
  return false;
}

template <class S>
void SystemSolver<S>::Impl::prepare_pcg() {
  Analyzed& of = *analyzed;
  if (!of.pcg) {
    auto fresh = std::make_unique<Pcg<S>>(pcg_options(false));
    fresh->set_stream(stream);
    fresh->analyze(of.view());
    of.pcg = std::move(fresh);
  }
  of.pcg->set_options(pcg_options(false));
  if (of.pcg_current) return;
  of.pcg->update(Span<const S>(of.values.data(), of.values.size()));
  of.pcg_current = true;
}

template <class S>
void SystemSolver<S>::Impl::solve_pcg(const Call& call, std::int64_t first) {
  report.method = Method::pcg;
  if (report.reason.empty()) report.reason = "pcg was requested";
  prepare_pcg();
  PcgOptions with = pcg_options(false);
  if (options.progress) with.progress = progress_to(options);
  analyzed->pcg->set_options(std::move(with));
  for (std::int64_t c = first; c < call.b.cols; ++c) {
    const PcgReport& done = iterate(*analyzed->pcg, call, c);
    if (finish_pcg_column(call, c, done, Unsolved::is_returned) || report.status != SystemStatus::not_solved) continue;
    report.status = done.converged() ? SystemStatus::inaccurate : status_of(done.status);
    report.failed_column = done.bad_row;
    report.reason += fmt::format("; right-hand side {}: {}", c, failure_of(done));
  }
}

#define GPUSUPERNODAL_INSTANTIATE(T) template struct SystemSolver<T>::Impl;
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
