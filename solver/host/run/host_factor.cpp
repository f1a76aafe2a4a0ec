#include "solver/host/run/host_factor.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "gpusupernodal/built_with.hpp"
#include "solver/backend/factor_progress.hpp"
#include "solver/host/plan/host_plan.hpp"
#include "solver/host/run/float_mode.hpp"
#include "solver/host/run/host_factorization.hpp"
#include "solver/host/run/host_trace.hpp"
#include "solver/host/run/require_host.hpp"
#include "solver/host/run/subnormals.hpp"
#include "solver/model/cost_model.hpp"

namespace gpusupernodal {

template <class T>
HostFactor<T>::HostFactor(std::shared_ptr<const HostPlan> plan, const ExecutorOptions& options, HostContext& context,
                          HostOperator<T>* matrix)
    : plan_(std::move(plan)),
      context_(context),
      matrix_(matrix),
      factor_workers_(
          host_factor_workers(plan_->structure->stored_flops, plan_->schedule.graph.critical_path_flops, context.workers())),
      check_finite_(options.check_finite),
      perturbation_(options.perturbation > 0.0 ? options.perturbation : std::sqrt(std::numeric_limits<Real>::epsilon())),
      runner_(plan_->schedule.graph.tasks.size()),
      monitor_(context.workers()),
      vectors_(context.allocator(), host_solve_elements(*plan_, context.workers()), "one right-hand side"),
      solves_(*plan_, context.team(), context.writable_trace()) {
  const auto n = static_cast<std::size_t>(plan_->structure->symbolic.order());
  if (options.ldlt) ldlt_workspace_.resize(n, plan_->structure->assembly.source.size());
  if (plan_->structure->general) {
    scales_workspace_.row.resize(n);
    scales_workspace_.column.resize(n);
    scales_workspace_.largest.resize(n);
  }
}

template <class T>
Form HostFactor<T>::form() const {
  if (system_->ldlt) return Form::ldlt;
  return system_->scales ? Form::lu : Form::llt;
}

template <class T>
void HostFactor<T>::factorize(const FactorInput<T>& input) {
  if (input.space == MemorySpace::device) {
    fail<InvalidInput>("the values of A are in device memory, but the solver runs on the host backend; copy them first");
  }
  if (matrix_ != nullptr) matrix_->set_values(input);
  monitor_.reset();
  system_->outcome = FactorOutcome();
  Trace* const trace = context_.writable_trace();
  if (trace != nullptr) trace->clear();
  traced(trace, 0, call_slice("factorize"), [&] { run_factorization(input); });
  system_->outcome = monitor_.outcome(form());
  if (system_->scales) {
    system_->outcome.largest_in_a = system_->scales->largest_entry();
    system_->outcome.growth = growth();
  }
  if constexpr (built_with(Form::ldlt)) {
    if (system_->ldlt) system_->ldlt->describe(system_->outcome);
  }
}

/// A solve makes an error in A of at most about n·eps·|L|·|U| [Higham02, Theorem 9.4], and |L|·|U| is the sum of the
/// products of L's columns with U's rows. So it does not matter whether L or U is large.
template <class T>
double HostFactor<T>::growth() const {
  const std::int64_t n = plan_->structure->symbolic.order();
  double largest = 0.0;
  for (std::int64_t k = 0; k < n; ++k)
    largest = std::max(largest, static_cast<double>(system_->largest[k]) * static_cast<double>(system_->largest[n + k]));
  return system_->outcome.largest_in_a > 0.0 ? largest / system_->outcome.largest_in_a : 0.0;
}

template <class T>
void HostFactor<T>::run_factorization(const FactorInput<T>& input) {
  if constexpr (built_with(Form::ldlt)) {
    if (system_->ldlt) {
      system_->ldlt->set(input, perturbation_, ldlt_workspace_);
      return run_tasks<Form::ldlt>(input);
    }
  }
  if constexpr (built_with(Form::lu)) {
    if (system_->scales) {
      system_->scales->set(input, scales_workspace_);
      return run_tasks<Form::lu>(input);
    }
  }
  run_tasks<Form::llt>(input);
}

template <class T>
LuRules<T> HostFactor<T>::lu_rules() const {
  if (!system_->scales) return {};
  const double largest = system_->scales->largest_entry() > 0.0 ? system_->scales->largest_entry() : 1.0;
  return {system_->scales->row(), system_->scales->column(),
          std::max(static_cast<Real>(perturbation_ * largest), std::numeric_limits<Real>::min()), system_->largest.data(),
          system_->largest.data() + plan_->structure->symbolic.order()};
}

template <class T>
LdltRules<T> HostFactor<T>::ldlt_rules() const {
  if constexpr (built_with(Form::ldlt)) {
    if (system_->ldlt) return system_->ldlt->rules();
  }
  return {};
}

template <class T>
template <Form form>
void HostFactor<T>::run_tasks(const FactorInput<T>& input) {
  const TaskGraph& graph = plan_->schedule.graph;
  Trace* const trace = context_.writable_trace();
  const HostFactorization<T, form> factorization(*plan_, input, check_finite_, system_->factor.data(), monitor_, lu_rules(),
                                                 ldlt_rules());
  FactorProgress progress(input.report_progress, input.report_progress != nullptr ? total_flops(graph) : 0.0);
  const FloatMode callers = FloatMode::of_this_thread();
  const bool flushing = form == Form::llt && subnormals_are_negligible(*plan_, input, context_.team());
  const FloatMode mode = flushing ? callers.flushing() : callers;
  runner_.run(graph, context_.team(), factor_workers_, [&](const Task& task, int worker) {
    const WithFloatMode with(mode);
    if (trace != nullptr) {
      traced(trace, worker, task_slice(*plan_, task, worker), [&] { factorization.run(task, worker); });
    } else {
      factorization.run(task, worker);
    }
    progress.done(worker, task.flops);
  });
  progress.end();
}

template <class T>
void HostFactor<T>::solve(const SolveSteps& steps, const DenseView<const T>& b, const DenseView<T>& x) {
  require_host(b, "b");
  require_host(x, "x");
  const bool failed = system_->outcome.status != Status::success && (steps.forward || steps.backward);
  traced(context_.writable_trace(), 0, call_slice("solve"), [&] {
    for (std::int64_t first = 0; first < b.cols; first += reserved_columns_) {
      const auto columns = static_cast<std::int32_t>(std::min(reserved_columns_, b.cols - first));
      solves_.run(steps, panels_for(steps),
                  {b.data + first * b.ld, b.ld, x.data + first * x.ld, x.ld, solve_vectors(columns), failed});
    }
  });
}

/// The adjoint of P B Pᵀ = L U is Uᴴ Lᴴ: the partners change places, and so do the scales and orders of rows and columns. A
/// solve with the conjugate of a matrix is one with the matrix between two conjugations.
template <class T>
SolvePanels<T> HostFactor<T>::panels_for(const SolveSteps& steps) const {
  SolvePanels<T> panels = unconjugated_panels(steps);
  panels.symmetric = system_->ldlt && system_->ldlt->symmetric();
  const bool of_the_conjugate = panels.symmetric ? steps.conjugated : steps.transposed != steps.conjugated;
  panels.conjugated = ScalarTraits<T>::is_complex && of_the_conjugate;
  return panels;
}

template <class T>
SolvePanels<T> HostFactor<T>::unconjugated_panels(const SolveSteps& steps) const {
  const auto& columns = plan_->structure->symbolic.permutation.old_of_new;
  if (system_->ldlt) {
    const typename SolvePanels<T>::Scaled scaled{columns.data(), system_->ldlt->scale()};
    return {system_->factor.data(), system_->factor.data(), scaled, scaled, system_->ldlt->d(), system_->ldlt->exchange()};
  }
  if (!system_->scales)
    return {system_->factor.data(), system_->factor.data(), {columns.data(), nullptr}, {columns.data(), nullptr}};
  const T* const l = system_->factor.data();
  const T* const u = l + plan_->structure->panels.values();
  const typename SolvePanels<T>::Scaled row{plan_->structure->general->old_row_of_new.data(), system_->scales->row()};
  const typename SolvePanels<T>::Scaled column{columns.data(), system_->scales->column()};
  if (steps.transposed) return {u, l, column, row};
  return {l, u, row, column};
}

template <class T>
SolveVectors<T> HostFactor<T>::solve_vectors(std::int32_t columns) const {
  SolveVectors<T> vectors;
  vectors.y = vectors_.data();
  vectors.boundary = vectors.y + plan_->structure->symbolic.order() * std::int64_t{columns};
  vectors.scratch = vectors.boundary + plan_->solve.boundary_entries * columns;
  vectors.nrhs = columns;
  return vectors;
}

template <class T>
void HostFactor<T>::reserve_right_hand_sides(std::int64_t columns) {
  if (columns <= reserved_columns_) return;
  vectors_ =
      Buffer<T>(context_.allocator(), host_solve_elements(*plan_, context_.workers()) * columns, "the right-hand sides");
  reserved_columns_ = columns;
}

template <class T>
void HostFactor<T>::copy_panels(Span<T> host) {
  std::copy(system_->factor.data(), system_->factor.data() + system_->factor.size(), host.data());
}

template <class T>
void HostFactor<T>::copy_diagonal(Span<T> host) {
  const FactorStructure& structure = *plan_->structure;
  const T* const diagonal = system_->factor.data() + (system_->scales ? structure.panels.values() : 0);
  for (SupernodeId s : structure.symbolic.supernode_ids()) {
    const std::int32_t first = structure.symbolic.first_column[s].value;
    for (std::int32_t c = 0; c < structure.symbolic.width(s); ++c) {
      T& entry = host[static_cast<std::size_t>(first + c)];
      entry = diagonal[structure.panels.index(s, c, c)];
      if (!system_->scales) continue;
      const T pivot = ScalarTraits<T>::conjugate(entry);  // Partners hold the adjoint of U.
      entry = pivot / system_->scales->row()[first + c] / system_->scales->column()[first + c];
    }
  }
}

template <class T>
void HostFactor<T>::copy_pivots(Span<T> diagonal, Span<T> beside) {
  if constexpr (built_with(Form::ldlt)) system_->ldlt->copy_pivots(diagonal, beside);
}

template <class T>
std::vector<SmallPivot> HostFactor<T>::small_pivots(double magnitude) {
  if constexpr (built_with(Form::ldlt)) return system_->ldlt->small_pivots(magnitude);
  return {};
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class HostFactor<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
