#include "solver/cuda/run/several_devices.hpp"

#include <algorithm>
#include <utility>

#include "gpusupernodal/build_config.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/value_kernels.hpp"
#include "solver/common/fail.hpp"

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
  member.assembled = std::make_unique<Event>();
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
std::string SeveralDevices<T>::device_name() const {
  std::string name = fmt::format("{} CUDA devices: ", members_.size());
  for (const Member& member : members_)
    name +=
        fmt::format("{}{} ({})", &member == &members_.front() ? "" : ", ", member.device, describe_device(member.device));
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

namespace {

/// Whether `a` is reported rather than `b`.
bool precedes(const FactorOutcome& a, const FactorOutcome& b) {
  if (a.status == Status::success || b.status == Status::success) return b.status == Status::success && a.status != b.status;
  if (a.status != b.status) return a.status == Status::non_finite_input;
  return a.failed_column < b.failed_column;
}

}  // namespace

template <class T>
FactorOutcome SeveralDevices<T>::outcome() {
  FactorOutcome all;
  bool is_any = false;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    FactorOutcome outcome = members_[m]->outcome();         // The first waits for all.
    if (plan_->plans[m]->share->columns.empty()) continue;  // It has inspected nothing.
    if (outcome.failed_column.valid()) {
      const auto own = static_cast<std::size_t>(outcome.failed_column.value);
      outcome.failed_column = plan_->plans[m]->share->columns[own];
    }
    const bool has_pivots = outcome.largest_pivot > 0.0;
    const double smallest = all.largest_pivot > 0.0 && (!has_pivots || all.smallest_pivot < outcome.smallest_pivot)
                                ? all.smallest_pivot
                                : outcome.smallest_pivot;
    const double largest = std::max(all.largest_pivot, outcome.largest_pivot);
    if (!is_any || precedes(outcome, all)) all = outcome;
    is_any = true;
    all.smallest_pivot = smallest;
    all.largest_pivot = largest;
  }
  return all;
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
  for (const int device : devices) {
    const cuda::DeviceGuard guard(cuda::choose_device(device));
    cuda::require_kernels_for<T>(*plan->plans.front());
  }
  static_cast<void>(cudaGetLastError());  // Drops an error that the caller left unread.
  return std::make_unique<cuda::SeveralDevices<T>>(std::move(plan), options, devices);
}

#define INSTANTIATE(T)                                                                                                    \
  template std::unique_ptr<Executor<T>> make_devices_executor(std::shared_ptr<const DevicesPlan>, const ExecutorOptions&, \
                                                              const std::vector<int>&);
GPUSUPERNODAL_FOR_EACH_SCALAR(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal
