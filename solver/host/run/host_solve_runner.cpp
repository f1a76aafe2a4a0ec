#include "solver/host/run/host_solve_runner.hpp"

#include <algorithm>
#include <functional>

#include "gpusupernodal/build_config.hpp"
#include "solver/host/plan/order_of_starts.hpp"
#include "solver/host/run/host_trace.hpp"
#include "solver/host/run/ldlt_pivots.hpp"
#include "solver/model/cost_model.hpp"

namespace gpusupernodal {
namespace {

/// Entries of a vector that a worker permutes at a time.
constexpr std::int64_t permuted_at_a_time = 8192;

/// y[k] := scale[k]·source[order[k]] for begin ≤ k < end.
template <class Scaled, class T>
void gather(const Scaled& by, const T* source, std::int32_t begin, std::int32_t end, T* y) {
  const OldIndex* const order = by.order;
  const auto* const scale = by.scale;
  if (scale != nullptr) {
    for (std::int32_t k = begin; k < end; ++k) y[k] = scale[k] * source[order[k].value];
  } else {
    for (std::int32_t k = begin; k < end; ++k) y[k] = source[order[k].value];
  }
}

/// target[order[k]] := scale[k]·y[k] for begin ≤ k < end.
template <class Scaled, class T>
void scatter(const Scaled& by, const T* y, std::int32_t begin, std::int32_t end, T* target) {
  const OldIndex* const order = by.order;
  const auto* const scale = by.scale;
  if (scale != nullptr) {
    for (std::int32_t k = begin; k < end; ++k) target[order[k].value] = scale[k] * y[k];
  } else {
    for (std::int32_t k = begin; k < end; ++k) target[order[k].value] = y[k];
  }
}

template <class T>
void conjugate(T* begin, T* end) {
  for (T* entry = begin; entry != end; ++entry) *entry = ScalarTraits<T>::conjugate(*entry);
}

}  // namespace

template <class T>
HostSolveRunner<T>::HostSolveRunner(const HostPlan& plan, WorkerTeam& team, Trace* trace)
    : plan_(plan),
      team_(team),
      trace_(trace),
      pieces_((plan.structure->symbolic.order() + permuted_at_a_time - 1) / permuted_at_a_time),
      forward_(plan.solve.forward, team.count()),
      backward_(plan.solve.backward, team.count()) {}

template <class T>
int HostSolveRunner<T>::useful_workers(const SolveSteps& steps, const SolvePortion<T>& portion) const {
  const double columns = portion.vectors.nrhs;
  const bool shared = (steps.forward && forward_.pays(columns)) || (steps.backward && backward_.pays(columns));
  const double values = shared && !portion.failed ? static_cast<double>(plan_.structure->panels.values()) : 0.0;
  return host_solve_workers(plan_.structure->symbolic.order(), values, columns, team_.count());
}

template <class T>
typename HostSolveRunner<T>::Piece HostSolveRunner<T>::piece(std::int64_t number) const {
  const std::int64_t first = number % pieces_ * permuted_at_a_time;
  const std::int64_t n = plan_.structure->symbolic.order();
  return {NewIndex(first), NewIndex(std::min(first + permuted_at_a_time, n)), static_cast<std::int32_t>(number / pieces_)};
}

template <class T>
void HostSolveRunner<T>::permute_in(const SolvePanels<T>& panels, bool permute, const SolvePortion<T>& portion,
                                    const Piece& piece) const {
  const T* const source = portion.b + piece.column * portion.ldb;
  T* const y = portion.vectors.y + piece.column * std::int64_t{plan_.structure->symbolic.order()};
  if (permute) {
    gather(panels.in, source, piece.begin.value, piece.end.value, y);
  } else {
    std::copy(source + piece.begin.value, source + piece.end.value, y + piece.begin.value);
  }
  if (panels.conjugated) conjugate(y + piece.begin.value, y + piece.end.value);
}

template <class T>
void HostSolveRunner<T>::permute_out(const SolvePanels<T>& panels, bool permute, const SolvePortion<T>& portion,
                                     const Piece& piece) const {
  T* const y = portion.vectors.y + piece.column * std::int64_t{plan_.structure->symbolic.order()};
  T* const target = portion.x + piece.column * portion.ldx;
  if (panels.conjugated != panels.symmetric) conjugate(y + piece.begin.value, y + piece.end.value);
  if (portion.failed) {
    std::fill(target + piece.begin.value, target + piece.end.value, ScalarTraits<T>::not_a_number());
  } else if (permute) {
    scatter(panels.out, y, piece.begin.value, piece.end.value, target);
  } else {
    std::copy(y + piece.begin.value, y + piece.end.value, target + piece.begin.value);
  }
}

/// y := D⁻¹ y for the pivots that begin in a piece. A pair that reaches into the next one belongs to this piece. For complex
/// symmetric matrices y is then conjugated until permute_out, because backward substitution solves with Lᴴ.
template <class T>
void HostSolveRunner<T>::divide(const SolvePanels<T>& panels, const SolvePortion<T>& portion, const Piece& piece) const {
  const T* const d = panels.d;
  const std::int64_t n = plan_.structure->symbolic.order();
  T* const y = portion.vectors.y + piece.column * n;
  std::int64_t k = piece.begin.value;
  if (k > 0 && d[2 * k - 1] != T(0)) ++k;
  while (k < piece.end.value) {
    std::int64_t end = k + 1;
    if (d[2 * k + 1] == T(0)) {
      y[k] = divided_by_single(y[k], d[2 * k], panels.symmetric);
    } else {
      divide_by_pair(d + 2 * k, y[k], y[k + 1], panels.symmetric);
      ++end;
    }
    if (panels.symmetric) conjugate(y + k, y + end);
    k = end;
  }
}

template <class T>
void HostSolveRunner<T>::forward(const HostSolve<T>& tasks, const SolveTask& task, int worker) const {
  if (trace_ == nullptr) return tasks.forward(task, worker);
  traced(trace_, worker, forward_slice(plan_, task, worker), [&] { tasks.forward(task, worker); });
}

template <class T>
void HostSolveRunner<T>::backward(const HostSolve<T>& tasks, const SolveTask& task, int worker) const {
  if (trace_ == nullptr) return tasks.backward(task, worker);
  traced(trace_, worker, backward_slice(plan_, task, worker), [&] { tasks.backward(task, worker); });
}

template <class T>
void HostSolveRunner<T>::run(const SolveSteps& steps, const SolvePanels<T>& panels, const SolvePortion<T>& portion) {
  const HostSolve<T> tasks(plan_, panels.forward, panels.backward, panels.exchange, portion.vectors);
  const int workers = useful_workers(steps, portion);
  if (workers == 1) {
    alone(steps, panels, tasks, portion);
  } else {
    together(workers, steps, panels, tasks, portion);
  }
}

/// Graphs lie in a topological order in which neighbours share what is in the cache.
template <class T>
void HostSolveRunner<T>::alone(const SolveSteps& steps, const SolvePanels<T>& panels, const HostSolve<T>& tasks,
                               const SolvePortion<T>& portion) const {
  const std::int64_t pieces = pieces_ * portion.vectors.nrhs;
  for (std::int64_t i = 0; i < pieces; ++i) permute_in(panels, steps.permute_in, portion, piece(i));
  if (steps.forward && !portion.failed) {
    for (const SolveTask& task : plan_.solve.forward.tasks) forward(tasks, task, 0);
  }
  for (std::int64_t i = 0; panels.d != nullptr && !portion.failed && i < pieces; ++i) divide(panels, portion, piece(i));
  if (steps.backward && !portion.failed) {
    for (const SolveTask& task : plan_.solve.backward.tasks) backward(tasks, task, 0);
  }
  for (std::int64_t i = 0; i < pieces; ++i) permute_out(panels, steps.permute_out, portion, piece(i));
}

template <class T>
void HostSolveRunner<T>::together(int workers, const SolveSteps& steps, const SolvePanels<T>& panels,
                                  const HostSolve<T>& tasks, const SolvePortion<T>& portion) {
  const bool forwards = steps.forward && !portion.failed;
  const bool backwards = steps.backward && !portion.failed;
  in_.reset(pieces_ * portion.vectors.nrhs);
  const bool divides = panels.d != nullptr && !portion.failed;
  divided_.reset(pieces_ * portion.vectors.nrhs);
  out_.reset(pieces_ * portion.vectors.nrhs);
  if (forwards) forward_.start(portion.vectors.nrhs);
  if (backwards) backward_.start(portion.vectors.nrhs);
  const auto work = [&](int worker) {
    in_.work([&](std::int64_t i) { permute_in(panels, steps.permute_in, portion, piece(i)); });
    if (forwards) forward_.work(worker, [&](const SolveTask& task, int w) { forward(tasks, task, w); });
    if (divides) divided_.work([&](std::int64_t i) { divide(panels, portion, piece(i)); });
    if (backwards) backward_.work(worker, [&](const SolveTask& task, int w) { backward(tasks, task, w); });
    out_.work([&](std::int64_t i) { permute_out(panels, steps.permute_out, portion, piece(i)); });
  };
  team_.run(workers, std::ref(work));  // By reference: a std::function of the lambda would allocate.
  if (forwards) forward_.rethrow();
  if (backwards) backward_.rethrow();
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class HostSolveRunner<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
