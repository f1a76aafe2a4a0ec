#include "solver/cuda/run/several_devices.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "gpusupernodal/build_config.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/value_kernels.hpp"
#include "solver/common/fail.hpp"
#include "solver/cuda/run/level_progress.hpp"
#include "solver/cuda/run/ranges.hpp"

namespace gpusupernodal {
namespace cuda {
namespace {

/// Lets kernels on `device` use the memory of `other`.
void let_access(int device, int other) {
  if (device == other) return;
  int can = 0;
  GPUSUPERNODAL_CUDA_CHECK(cudaDeviceCanAccessPeer(&can, device, other));
  if (can == 0) {
    fail<BackendUnavailable>(
        "CUDA device {} cannot access the memory of device {}, which several devices need to factorize together; use one of "
        "them, or devices that are connected",
        device, other);
  }
  const DeviceGuard guard(device);
  const cudaError_t code = cudaDeviceEnablePeerAccess(other, 0);
  if (code == cudaErrorPeerAccessAlreadyEnabled) {
    static_cast<void>(cudaGetLastError());  // Not an error.
    return;
  }
  GPUSUPERNODAL_CUDA_CHECK(code);
}

/// Copies between any two devices, or within one.
template <class T>
void transfer(T* to, const T* from, std::int64_t count, cudaStream_t stream) {
  GPUSUPERNODAL_CUDA_CHECK(
      cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyDefault, stream));
}

}  // namespace

template <class T>
SeveralDevices<T>::SeveralDevices(std::shared_ptr<const DevicesPlan> plan, const ExecutorOptions& options,
                                  const std::vector<int>& devices)
    : plan_(std::move(plan)) {
  for (const int device : devices) {
    for (const int other : devices) let_access(device, other);
  }
  members_.reserve(devices.size());
  for (const int device : devices) add_member(options, device);
}

/// Makes the next member.
template <class T>
void SeveralDevices<T>::add_member(const ExecutorOptions& options, int device) {
  const DeviceGuard guard(device);
  ExecutorOptions of_member = options;
  of_member.keep_a = options.keep_a && members_.empty();  // Residuals are computed on the first device.
  const std::shared_ptr<const CudaPlan>& plan = plan_->plans[members_.size()];
  Member member;
  member.device = device;
  try {
    member.executor = std::make_unique<CudaExecutor<T>>(plan, of_member, device);
  } catch (const OutOfMemory& error) {
    throw OutOfMemory(fmt::format("CUDA device {}: {}", device, error.what()), __FILE__, __LINE__, error.bytes_needed(),
                      error.bytes_free());
  }
  member.copies = std::make_unique<Stream>(0);
  member.ready = std::make_unique<Event>();
  member.sent = std::make_unique<Event>();
  members_.push_back(std::move(member));
}

/// Waits for all devices before memory that others may read is freed.
template <class T>
SeveralDevices<T>::~SeveralDevices() {
  for (const Member& member : members_) {
    OnDevice on_device(member.device);
    on_device.enter();
    for (const Stream& stream : member->streams_.all()) static_cast<void>(cudaStreamSynchronize(stream.get()));
    static_cast<void>(cudaStreamSynchronize(member.copies->get()));
  }
}

template <class T>
template <class Work>
void SeveralDevices<T>::each(const Work& work) const {
  for (const Member& member : members_) {
    const DeviceGuard guard(member.device);
    work(member);
  }
}

template <class T>
std::string SeveralDevices<T>::device_name() const {
  std::string name = fmt::format("{} CUDA devices: ", members_.size());
  for (const Member& member : members_)
    name += fmt::format("{}{} ({})", &member == &members_.front() ? "" : ", ", member.device, describe_device(member.device));
  return name;
}

/// Marks what the member's main stream has been given so far.
template <class T>
void SeveralDevices<T>::record(const Member& of) const {
  const DeviceGuard guard(of.device);
  of.ready->record(of.main());
}

/// Makes all main streams wait for the first one.
template <class T>
void SeveralDevices<T>::begin_all() const {
  record(members_.front());
  for (std::size_t m = 1; m < members_.size(); ++m) members_.front().ready->make_wait(members_[m].main());
}

/// Makes the first main stream wait for all.
template <class T>
void SeveralDevices<T>::end_all() const {
  for (std::size_t m = 1; m < members_.size(); ++m) {
    record(members_[m]);
    members_[m].ready->make_wait(members_.front().main());
  }
}

template <class T>
void SeveralDevices<T>::wait_for_all() const {
  each([](const Member& member) { member->wait(); });
}

/// Runs `work` after everything on the caller's stream. If it throws, this waits for what has been launched.
template <class T>
template <class Work>
void SeveralDevices<T>::guarded(const char* call, const Work& work) const {
  const DeviceGuard guard(members_.front().device);
  if (first().caller_captures()) {
    fail<InvalidState>(
        "{} with several devices was called while a graph is captured on the solver's stream; end the capture first, or use "
        "one device",
        call);
  }
  try {
    first().fork();
    work();
  } catch (...) {
    each([](const Member& member) {
      member->wait_after_failure();
      static_cast<void>(cudaStreamSynchronize(member.copies->get()));
    });
    throw;
  }
}

/// Brings A's values to all devices and resets the status of all but the first. Returns A's values on the first.
template <class T>
const void* SeveralDevices<T>::take_values(const FactorInput<T>& input) const {
  const void* values = nullptr;
  const std::int64_t count = plan_->plans.front()->structure->assembly.entries_of_a;
  each([&](const Member& member) {
    CudaExecutor<T>& executor = *member;
    executor.scale_ = input.scale;
    executor.shift_ = input.shift;
    if (&member == &members_.front()) {
      values = executor.values_on_device(input);
      return;
    }
    transfer(executor.a_, reinterpret_cast<const Number*>(input.values), count, member.main());
    reset_status({executor.status_, executor.a_, static_cast<double>(input.scale)}, member.main());
  });
  if (input.space == MemorySpace::host) wait_for_all();
  return values;
}

template <class T>
void SeveralDevices<T>::factorize(const FactorInput<T>& input) {
  const Range range("factorize");
  guarded("factorize", [&] {
    if (input.report_progress != nullptr) (*input.report_progress)(0.0);
    launch(input);
    if (input.report_progress == nullptr) return;
    first().wait();
    (*input.report_progress)(1.0);
  });
}

/// As CudaExecutor::launch_factorization: from the second factorization on by one graph.
template <class T>
void SeveralDevices<T>::launch(const FactorInput<T>& input) {
  const cudaStream_t main = members_.front().main();
  begin_all();
  const ResetArguments arguments{first().status_, take_values(input), static_cast<double>(input.scale)};
  end_all();
  const bool plain = input.shift != Real(0) || input.report_progress != nullptr;
  if (!plain && factorized_ && !replay_.is_recorded() && !replay_.is_refused())
    replay_.record(main, arguments, [&] { run(Real(0), nullptr); });
  if (plain || !replay_.is_recorded() || !replay_.launch(arguments, main)) {
    reset_status(arguments, main);
    run(input.shift, input.report_progress);
  }
  factorized_ = factorized_ || !plain;
  first().status_known_.record(main);
  first().join();
}

/// Launches everything after the statuses have been reset.
template <class T>
void SeveralDevices<T>::run(Real shift, const ProgressCallback* report_progress) const {
  const auto top = static_cast<std::size_t>(plan_->map->first_top_level);
  const auto flops_of = [&](std::size_t level) {
    double flops = 0.0;
    for (const auto& plan : plan_->plans) flops += plan->launches.levels[level].flops;
    return flops;
  };
  double flops = 0.0;
  for (std::size_t level = 0; level < plan_->levels(); ++level) flops += flops_of(level);
  LevelProgress progress(flops, report_progress);
  const auto launched = [&](std::size_t level) {
    if (report_progress != nullptr && level + 1 < plan_->levels())
      progress.level_launched(flops_of(level), [&] { wait_for_all(); });
  };
  begin_all();
  each([&](const Member& member) { member->assemble_panels(shift); });
  for (std::size_t level = 0; level < top; ++level) {
    each([&](const Member& member) {
      member->runner_.begin_level(level, member->values_);
      member->runner_.end_level(level, member->values_);
    });
    launched(level);
  }
  if (top < plan_->levels()) add_contributions();
  for (std::size_t level = top; level < plan_->levels(); ++level) {
    each([&](const Member& member) { member->runner_.begin_level(level, member->values_); });
    send_pieces(static_cast<std::int32_t>(level));
    each([&](const Member& member) { member->runner_.end_level(level, member->values_); });
    launched(level);
  }
  each([&](const Member& member) {
    member->finish_factor();
    member->copy_status();
  });
  end_all();
  for (std::size_t m = 1; m < members_.size(); ++m)
    take_failure(first().status_, members_[m]->status_, members_.front().main());
}

/// Adds what the subtrees of other devices subtract from the block columns of each. Until then, a device has summed it in its
/// copy of the top.
template <class T>
void SeveralDevices<T>::add_contributions() const {
  each([&](const Member& member) {
    member->runner_.finish_products_before(static_cast<std::size_t>(plan_->map->first_top_level));
    member.ready->record(member.main());
  });
  for (const TopContribution& c : plan_->contributions) {
    const Member& to = member(c.to);
    const DeviceGuard guard(to.device);
    member(c.from).ready->make_wait(to.main());
    add_values(top_of(c.to) + c.first, top_of(c.from) + c.first, c.count, to.main());
  }
}

/// Sends the pieces that the level's launches factorize to all other devices, whose main streams then wait for them.
template <class T>
void SeveralDevices<T>::send_pieces(std::int32_t level) const {
  const auto [first_piece, last_piece] = plan_->pieces_of_level(level);
  std::set<PartId> owners;
  for (std::size_t i = first_piece; i < last_piece; ++i) {
    const TopPiece& piece = plan_->pieces[i];
    const Member& owner = member(piece.owner);
    const DeviceGuard guard(owner.device);
    if (owners.insert(piece.owner).second) {
      owner.ready->record(owner.main());
      owner.ready->make_wait(owner.copies->get());
    }
    for (PartId p : plan_->map->parts.shares.ids()) {
      if (p == piece.owner) continue;
      transfer(top_of(p) + piece.first, static_cast<const Number*>(top_of(piece.owner) + piece.first), piece.count,
               owner.copies->get());
    }
  }
  for (const PartId p : owners) {
    const Member& owner = member(p);
    const DeviceGuard guard(owner.device);
    owner.sent->record(owner.copies->get());
    for (const Member& other : members_) {
      if (&other != &owner) owner.sent->make_wait(other.main());
    }
  }
}

/// Whether `a` is reported rather than `b`.
bool precedes(const FactorOutcome& a, const FactorOutcome& b) {
  if (a.status == Status::success || b.status == Status::success) return b.status == Status::success && a.status != b.status;
  if (a.status != b.status) return a.status == Status::non_finite_input;
  return a.failed_column < b.failed_column;
}

template <class T>
FactorOutcome SeveralDevices<T>::outcome() {
  FactorOutcome all;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    FactorOutcome outcome = members_[m]->outcome();  // The first waits for all.
    if (outcome.failed_column.valid()) {
      const auto own = static_cast<std::size_t>(outcome.failed_column.value);
      outcome.failed_column = plan_->plans[m]->share->columns[own];
    }
    const bool has_pivots = outcome.largest_pivot > 0.0;
    const double smallest = all.largest_pivot > 0.0 && (!has_pivots || all.smallest_pivot < outcome.smallest_pivot)
                                ? all.smallest_pivot
                                : outcome.smallest_pivot;
    const double largest = std::max(all.largest_pivot, outcome.largest_pivot);
    if (m == 0 || precedes(outcome, all)) all = outcome;
    all.smallest_pivot = smallest;
    all.largest_pivot = largest;
  }
  return all;
}

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

/// Sends what the roots of subtrees contribute to the top.
template <class T>
void SeveralDevices<T>::exchange_contributions(int padded) const {
  for (const Member& member : members_) record(member);
  for (const Member& to : members_) {
    const DeviceGuard guard(to.device);
    for (const Member& from : members_) {
      if (&from != &to) from.ready->make_wait(to.main());
    }
    for (const RootRows& root : plan_->roots) {
      const Member& from = member(root.part);
      if (&from == &to) continue;
      const std::int64_t first = root.first * padded;
      transfer(to->vectors_.sums + first, static_cast<const Number*>(from->vectors_.sums + first), root.count * padded, to.main());
    }
  }
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
    transfer(to->solution_of(steps, padded) + first,
             static_cast<const Number*>(from->solution_of(steps, padded) + first),
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
  guarded("solve", [&] {
    const std::int64_t at_once = first().vectors_.columns;
    for (std::int64_t c = 0; c < b.cols; c += at_once) {
      const std::int64_t columns = std::min(at_once, b.cols - c);
      solve_batch(steps, DenseView<const T>(b.data + c * b.ld, b.rows, columns, b.ld, b.space),
                  DenseView<T>(x.data + c * x.ld, x.rows, columns, x.ld, x.space));
    }
    first().join();
    if (b.space == MemorySpace::host || x.space == MemorySpace::host) first().wait();
  });
}

template <class T>
void SeveralDevices<T>::reserve_right_hand_sides(std::int64_t columns) {
  each([&](const Member& member) { member->reserve_right_hand_sides(columns); });
}

template <class T>
void SeveralDevices<T>::copy_panels(Span<T> host) {
  first().forked([&] { first().wait(); });
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const CudaPlan& plan = *plan_->plans[m];
    const SymbolicFactor& factor = plan.structure->symbolic;
    const PanelLayout& layout = plan.structure->panels;
    std::vector<T> values(static_cast<std::size_t>(layout.values()));
    const DeviceGuard guard(members_[m].device);
    GPUSUPERNODAL_CUDA_CHECK(
        cudaMemcpy(values.data(), members_[m]->values_, values.size() * sizeof(T), cudaMemcpyDeviceToHost));
    for (SupernodeId s : factor.supernode_ids()) {
      const bool is_taken = plan.share->map->in_top(s) ? m == 0 : plan.share->stores(s);
      for (std::int32_t column = 0; is_taken && column < factor.width(s); ++column) {
        const std::int32_t first_row = first_of_block(column);
        const T* const from = values.data() + layout.index(s, first_row, column);
        std::copy_n(from, factor.front(s) - first_row, host.data() + plan_->panels.index(s, first_row, column));
      }
    }
  }
}

template <class T>
void SeveralDevices<T>::copy_diagonal(Span<T> host) {
  first().forked([&] { first().wait(); });
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const std::vector<NewIndex>& columns = plan_->plans[m]->share->columns;
    std::vector<T> own(columns.size());
    const DeviceGuard guard(members_[m].device);
    CudaExecutor<T>& executor = *members_[m];
    gather_diagonal<Number>(executor.values_, executor.tasks_.diagonal, executor.own_columns(), executor.vectors_.staging,
                            members_[m].main());
    executor.wait();
    GPUSUPERNODAL_CUDA_CHECK(
        cudaMemcpy(own.data(), executor.vectors_.staging, own.size() * sizeof(T), cudaMemcpyDeviceToHost));
    for (std::size_t j = 0; j < own.size(); ++j) host[static_cast<std::size_t>(columns[j].value)] = own[j];
  }
}

#define INSTANTIATE(T) template class SeveralDevices<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cuda

template <class T>
std::unique_ptr<Executor<T>> make_devices_executor(std::shared_ptr<const DevicesPlan> plan, const ExecutorOptions& options,
                                                   const std::vector<int>& devices) {
  for (const int device : devices) static_cast<void>(cuda::choose_device(device));
  static_cast<void>(cudaGetLastError());  // Drops an error that the caller left unread.
  return std::make_unique<cuda::SeveralDevices<T>>(std::move(plan), options, devices);
}

#define INSTANTIATE(T)                                                                                                     \
  template std::unique_ptr<Executor<T>> make_devices_executor(std::shared_ptr<const DevicesPlan>, const ExecutorOptions&, \
                                                              const std::vector<int>&);
GPUSUPERNODAL_FOR_EACH_SCALAR(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal
