#include "solver/cuda/run/upload.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <utility>

#include "kernels/cuda/check.hpp"
#include "solver/cuda/run/device.hpp"

namespace gpusupernodal::cuda {
namespace {

/// Bytes per copy from page-locked memory. At this size the transfer takes a few times as long as a copy's fixed
/// overhead.
constexpr std::int64_t piece_bytes = 512 * 1024;
/// Fewer bytes are copied faster than page-locked memory is allocated.
constexpr std::int64_t fewest_bytes = 4 << 20;
/// A thread fills 5 to 10 GB/s; the bus takes at most 55.
constexpr int max_lanes = 8;
/// Bytes that a thread fills in the half millisecond that a lane's stream, events and page-locked memory cost.
constexpr double lane_cost_in_bytes = 4e6;

/// Enough lanes that creating them does not dominate the copy.
int lanes_for(std::int64_t bytes, int threads) {
  const auto worth = static_cast<int>(std::sqrt(static_cast<double>(bytes) / lane_cost_in_bytes));
  return std::clamp(worth, 1, std::min(threads, max_lanes));
}

/// Page-locked memory, or pageable memory if the system refuses that; copies are slower then.
class RingMemory {
 public:
  explicit RingMemory(std::size_t bytes) {
    const cudaError_t code = cudaHostAlloc(&locked_, bytes, cudaHostAllocDefault);
    if (code == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      locked_ = nullptr;
      plain_.resize(bytes);
    } else {
      GPUSUPERNODAL_CUDA_CHECK(code);
    }
  }
  ~RingMemory() {
    if (locked_ != nullptr) static_cast<void>(cudaFreeHost(locked_));
  }
  RingMemory(const RingMemory&) = delete;
  RingMemory& operator=(const RingMemory&) = delete;

  unsigned char* data() { return locked_ != nullptr ? static_cast<unsigned char*>(locked_) : plain_.data(); }

 private:
  void* locked_ = nullptr;
  std::vector<unsigned char> plain_;
};

}  // namespace

/// One thread's stream and two buffers: one is filled while the bus copies the other.
class Upload::Lane {
 public:
  explicit Lane(unsigned char* memory) : memory_{memory, memory + piece_bytes}, stream_(0) {}
  ~Lane() { static_cast<void>(cudaStreamSynchronize(stream_.get())); }  // Memory must not be freed while a copy reads it.
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  void copy(const Piece& piece) {
    GPUSUPERNODAL_CUDA_CHECK(cudaEventSynchronize(copied_[next_].get()));
    const std::int64_t bytes = piece.part->element_bytes;
    piece.part->write(piece.first, piece.last, memory_[next_]);
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpyAsync(static_cast<unsigned char*>(piece.part->device) + piece.first * bytes,
                                             memory_[next_], static_cast<std::size_t>((piece.last - piece.first) * bytes),
                                             cudaMemcpyHostToDevice, stream_.get()));
    copied_[next_].record(stream_.get());
    next_ = 1 - next_;
  }
  void finish() const { GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(stream_.get())); }

 private:
  std::array<unsigned char*, 2> memory_;
  std::array<Event, 2> copied_;
  Stream stream_;
  std::size_t next_ = 0;
};

void Upload::run(ThreadTeam& team) {
  std::int64_t bytes = 0;
  for (const Part& part : parts_) bytes += part.bytes();
  if (bytes < fewest_bytes) {
    copy_by_one();
  } else {
    copy_by_lanes(lanes_for(bytes, team.threads()), team);
  }
  parts_.clear();
}

/// Copies all parts at once: they are adjacent in the slab, so one host image and one copy suffice.
void Upload::copy_by_one() const {
  if (parts_.empty()) return;
  auto* const begin = static_cast<unsigned char*>(parts_.front().device);
  const auto place = [&](const Part& part) { return static_cast<unsigned char*>(part.device) - begin; };
  std::vector<unsigned char> image(static_cast<std::size_t>(place(parts_.back()) + parts_.back().bytes()));
  for (const Part& part : parts_) part.write(0, part.count, image.data() + place(part));
  copy_to_device(begin, image.data(), image.size());
}

void Upload::copy_by_lanes(int lanes, ThreadTeam& team) const {
  std::vector<Piece> pieces;
  for (const Part& part : parts_) {
    const std::int64_t step = piece_bytes / part.element_bytes;
    for (std::int64_t first = 0; first < part.count; first += step)
      pieces.push_back({&part, first, std::min(part.count, first + step)});
  }
  int device = 0;
  GPUSUPERNODAL_CUDA_CHECK(cudaGetDevice(&device));
  RingMemory memory(static_cast<std::size_t>(2 * lanes * piece_bytes));
  std::atomic<std::size_t> next{0};
  team.for_intervals(lanes, 1, [&](std::int64_t begin, std::int64_t end) {
    const DeviceGuard guard(device);
    for (std::int64_t l = begin; l < end; ++l) {
      Lane lane(memory.data() + 2 * l * piece_bytes);
      for (std::size_t p = next++; p < pieces.size(); p = next++) lane.copy(pieces[p]);
      lane.finish();
    }
  });
}

}  // namespace gpusupernodal::cuda
