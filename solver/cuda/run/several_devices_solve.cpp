/// \file
/// Solves of several devices.

#include <algorithm>

#include "gpusupernodal/build_config.hpp"
#include "solver/cuda/run/ranges.hpp"
#include "solver/cuda/run/several_devices.hpp"

namespace gpusupernodal::cuda {

/// As CudaExecutor::take_right_hand_sides, on all devices.
template <class T>
void SeveralDevices<T>::take_right_hand_sides(const SolveSteps& steps, const DenseView<const T>& b) const {
  each([&](const Member& member) {
    DenseView<const T> from = b;
    if (b.space == MemorySpace::device && &member != &members_.front()) {
      Number* const staging = member->vectors_.staging;
      for (std::int64_t c = 0; c < b.cols; ++c)
        transfer(staging + c * order(), reinterpret_cast<const Number*>(b.data) + c * b.ld, order(), member.main());
      from = DenseView<const T>(reinterpret_cast<const T*>(staging), b.rows, b.cols, order(), MemorySpace::device);
    }
    member->take_right_hand_sides(steps, from);
  });
}

/// Makes every device wait for all others.
template <class T>
void SeveralDevices<T>::await_each_other() const {
  for (const Member& member : members_) record(member);
  for (const Member& member : members_) {
    const DeviceGuard guard(member.device);
    for (const Member& other : members_) {
      if (&other != &member) other.ready->make_wait(member.main());
    }
  }
}

/// Sends what the roots of subtrees contribute to the top.
template <class T>
void SeveralDevices<T>::exchange_contributions(int padded) const {
  await_each_other();
  for (const Member& to : members_) {
    const DeviceGuard guard(to.device);
    for (const RootRows& root : plan_->roots) {
      const Member& from = member(root.part);
      if (&from == &to) continue;
      const std::int64_t first = root.first * padded;
      transfer(to->vectors_.sums + first, static_cast<const Number*>(from->vectors_.sums + first), root.count * padded,
               to.main());
    }
  }
  // With several right-hand sides, backward sweeps write partial sums where others may still read contributions.
  if (padded > 1) await_each_other();
}

/// Brings the solutions of all subtrees to the first device.
template <class T>
void SeveralDevices<T>::collect_solutions(const SolveSteps& steps, int padded) const {
  end_all();
  const Member& to = members_.front();
  for (const SubtreeColumns& columns : plan_->subtrees) {
    const Member& from = member(columns.part);
    if (&from == &to) continue;
    const std::int64_t first = std::int64_t{columns.first.value} * padded;
    transfer(to->solution_of(steps, padded) + first, static_cast<const Number*>(from->solution_of(steps, padded) + first),
             std::int64_t{columns.count} * padded, to.main());
  }
}

template <class T>
void SeveralDevices<T>::solve_batch(const SolveSteps& steps, const DenseView<const T>& b, const DenseView<T>& x) const {
  if (!steps.forward && !steps.backward) return first().solve_batch(steps, b, x);
  const int padded = padded_columns(static_cast<int>(b.cols));
  const auto sweep_forward = [&](Fronts fronts) {
    each([&](const Member& member) { member->sweep_forward(steps, padded, fronts); });
  };
  const auto sweep_backward = [&](Fronts fronts) {
    each([&](const Member& member) { member->sweep_backward(steps, padded, fronts); });
  };
  begin_all();
  take_right_hand_sides(steps, b);
  if (steps.forward) {
    sweep_forward(Fronts::all);
    exchange_contributions(padded);
    sweep_forward(Fronts::top);
  }
  if (steps.backward) {
    sweep_backward(Fronts::top);
    sweep_backward(Fronts::all);
  }
  collect_solutions(steps, padded);
  first().give_solutions(steps, x);
}

template <class T>
void SeveralDevices<T>::solve(const SolveSteps& steps, const DenseView<const T>& b, const DenseView<T>& x) {
  if (order() == 0 || b.cols == 0) return;
  const Range range("solve", b.cols);
  guarded([&] {
    std::int64_t at_once = first().vectors_.columns;
    for (const Member& member : members_) at_once = std::min(at_once, member->vectors_.columns);
    for (std::int64_t c = 0; c < b.cols; c += at_once) {
      const std::int64_t columns = std::min(at_once, b.cols - c);
      solve_batch(steps, DenseView<const T>(b.data + c * b.ld, b.rows, columns, b.ld, b.space),
                  DenseView<T>(x.data + c * x.ld, x.rows, columns, x.ld, x.space));
    }
    first().join();
    if (b.space == MemorySpace::host || x.space == MemorySpace::host) first().wait();
  });
}

#define INSTANTIATE(T) \
  template void SeveralDevices<T>::solve(const SolveSteps&, const DenseView<const T>&, const DenseView<T>&);
GPUSUPERNODAL_FOR_EACH_SCALAR(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
