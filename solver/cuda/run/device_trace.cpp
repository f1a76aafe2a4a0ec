#include "solver/cuda/run/device_trace.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "kernels/cuda/check.hpp"
#include "solver/cuda/run/factor_replay.hpp"

namespace gpusupernodal::cuda {
namespace {

constexpr std::int64_t capacity = std::int64_t{1} << 20;  // 32 MiB.
constexpr std::int64_t slab_bytes = Slab::alignment + capacity * static_cast<std::int64_t>(sizeof(TraceRecord));
static_assert(sizeof(TraceBuffer) <= Slab::alignment && sizeof(TraceRecord) == 32);

constexpr std::array<const char*, 7> work_names{"front", "diagonal", "scale", "column", "product", "forward", "backward"};

/// Returns a sampling stride with which a whole factorization and a solve fit into the buffer.
std::uint32_t stride_for(const CudaPlan& plan) {
  const auto listed = static_cast<std::int64_t>(plan.launches.scale.size() + plan.launches.product.size());
  const std::int64_t tasks = listed + 4 * std::int64_t{plan.structure->symbolic.supernodes()};
  return static_cast<std::uint32_t>(2 * tasks / capacity + 1);
}

}  // namespace

DeviceTrace::DeviceTrace(const CudaPlan& plan, const std::shared_ptr<Allocator>& allocator)
    : plan_(plan), slab_(allocator, slab_bytes, "the trace"), calls_(1), all_(1) {
  prepare_trace();
  buffer_ = slab_.take<TraceBuffer>(1);
  records_ = slab_.take<TraceRecord>(capacity);
  TraceBuffer buffer;
  buffer.records = records_;
  buffer.capacity = static_cast<std::uint32_t>(capacity);
  buffer.stride = stride_for(plan);
  copy_to_device(buffer_, &buffer, sizeof(buffer));
}

void DeviceTrace::start(cudaStream_t stream) {
  running_ = false;
  paused_ = false;
  marks_.clear();
  begin_trace(buffer_, stream);
  origin_.record(stream);
  GPUSUPERNODAL_CUDA_CHECK(cudaEventSynchronize(origin_.get()));
  origin_time_ = calls_.now();
  running_ = true;
}

std::int32_t DeviceTrace::lane_of(cudaStream_t stream) {
  const auto found = std::find(streams_.begin(), streams_.end(), stream);
  const auto lane = static_cast<std::int32_t>(found - streams_.begin());
  if (found == streams_.end()) streams_.push_back(stream);
  return lane;
}

std::size_t DeviceTrace::begin_mark(const char* name, cudaStream_t stream, std::int64_t tasks) {
  const std::size_t mark = marks_.size();
  while (events_.size() < 2 * (mark + 1)) events_.emplace_back(cudaEventDefault);
  events_[2 * mark].record(stream);
  marks_.push_back({name, lane_of(stream), tasks, false});
  return mark;
}

void DeviceTrace::end_mark(std::size_t mark, cudaStream_t stream) noexcept {
  if (cudaEventRecord(events_[2 * mark + 1].get(), stream) == cudaSuccess) {
    marks_[mark].ended = true;
  } else {
    static_cast<void>(cudaGetLastError());
  }
}

const Trace& DeviceTrace::collect() {
  GPUSUPERNODAL_CUDA_CHECK(synchronize_device());
  all_.clear();
  for (const TraceSlice& call : calls_.slices()) all_.add(0, call);
  if (running_) {
    collect_marks();
    collect_records();
  }
  return all_;
}

void DeviceTrace::collect_marks() {
  const auto time_of = [&](const Event& event) -> std::int64_t {
    float milliseconds = 0.0F;
    GPUSUPERNODAL_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, origin_.get(), event.get()));
    return origin_time_ + std::llround(static_cast<double>(milliseconds) * 1e6);
  };
  for (std::size_t m = 0; m < marks_.size(); ++m) {
    if (!marks_[m].ended) continue;
    TraceSlice slice;
    slice.name = marks_[m].name;
    slice.group = TraceGroup::streams;
    slice.lane = marks_[m].lane;
    slice.task = marks_[m].tasks;
    slice.begin = time_of(events_[2 * m]);
    slice.end = std::max(slice.begin, time_of(events_[2 * m + 1]));
    all_.add(0, slice);
  }
}

void DeviceTrace::collect_records() {
  TraceBuffer header;
  GPUSUPERNODAL_CUDA_CHECK(cudaMemcpy(&header, buffer_, sizeof(header), cudaMemcpyDeviceToHost));
  std::vector<TraceRecord> records(std::min(header.count, header.capacity));
  if (records.empty()) return;
  GPUSUPERNODAL_CUDA_CHECK(
      cudaMemcpy(records.data(), records_, records.size() * sizeof(TraceRecord), cudaMemcpyDeviceToHost));
  std::vector<TraceSlice> slices;
  slices.reserve(records.size());
  for (const TraceRecord& record : records) {
    const bool solve = record.work == TracedWork::forward || record.work == TracedWork::backward;
    const SupernodeId s = solve ? plan_.structure->symbolic.supernode_of[NewIndex(record.panel)] : SupernodeId(record.panel);
    TraceSlice slice;
    slice.name = work_names[static_cast<std::size_t>(record.work)];
    slice.group = TraceGroup::multiprocessors;
    if (!solve) slice.regime = regime_of(plan_.structure->symbolic, plan_.schedule, s);
    slice.lane = record.multiprocessor;
    slice.task = record.task;
    slice.supernode = s.value;
    slice.begin = origin_time_ + static_cast<std::int64_t>(record.begin - header.origin);
    slice.end = std::max(slice.begin, origin_time_ + static_cast<std::int64_t>(record.end - header.origin));
    slices.push_back(slice);
  }
  for (const TraceSlice& slice : spread_over_lanes(std::move(slices))) all_.add(0, slice);
}

}  // namespace gpusupernodal::cuda
