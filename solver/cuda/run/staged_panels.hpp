#pragma once

/// \file
/// The panels of a device that cannot hold all of them (Stages): those in host memory, and how they come and go.

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <optional>

#include "kernels/cuda/check.hpp"
#include "solver/cuda/plan/stages.hpp"
#include "solver/cuda/run/device.hpp"

namespace gpusupernodal::cuda {

/// Page-locked host memory. Throws OutOfMemory.
class PinnedMemory {
 public:
  explicit PinnedMemory(std::int64_t bytes);
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  void* get() const { return data_; }

 private:
  void* data_ = nullptr;
};

/// Moves panels of type T between host memory and the two buffers on the device, on a stream of its own. All members return
/// at once; `main` is the stream that computes.
template <class T>
class StagedPanels {
 public:
  /// `values`: the values on the device. References must outlive this. Throws OutOfMemory.
  StagedPanels(const Stages& stages, T* values)
      : stages_(stages), values_(values), host_(stages.host_values * static_cast<std::int64_t>(sizeof(T))), copies_(0) {}

  /// Factorization: makes main wait until the buffer of a stage may be overwritten.
  void await_buffer(std::size_t stage, cudaStream_t main) const {
    if (stage >= 2) kept_[stages_.buffer_of(stage)].make_wait(main);
  }
  /// Factorization: copies the panels of a stage to host memory after the work on main.
  void keep(std::size_t stage, cudaStream_t main) const {
    const std::size_t buffer = stages_.buffer_of(stage);
    used_[buffer].record(main);
    used_[buffer].make_wait(copies_.get());
    copy(host(stage), device(stage), stage, cudaMemcpyDeviceToHost);
    kept_[buffer].record(copies_.get());
  }
  /// Factorization: makes main wait for all copies.
  void await_copies(cudaStream_t main) const {
    for (std::size_t stage = 0; stage < std::min<std::size_t>(stages_.stages.size(), 2); ++stage)
      kept_[stage].make_wait(main);
  }
  /// Says that a factorization has been launched on main, which leaves its last stages in the buffers.
  void set_factorized(cudaStream_t main) {
    for (std::size_t stage = 0; stage < stages_.stages.size(); ++stage) loaded_stage_[stages_.buffer_of(stage)] = stage;
    for (const Event& used : used_) used.record(main);
  }

  /// Solve: brings the panels of a stage into their buffer, unless they are there, and makes main wait for them.
  void load(std::size_t stage, cudaStream_t main) {
    const std::size_t buffer = stages_.buffer_of(stage);
    if (loaded_stage_[buffer] == stage) return;
    loaded_stage_[buffer] = stage;
    used_[buffer].make_wait(copies_.get());
    copy(device(stage), host(stage), stage, cudaMemcpyHostToDevice);
    kept_[buffer].record(copies_.get());
    kept_[buffer].make_wait(main);
  }
  /// Solve: says that main needs the panels of a stage until here.
  void release(std::size_t stage, cudaStream_t main) const { used_[stages_.buffer_of(stage)].record(main); }

  /// The panels of a stage in host memory, in the layout of the device.
  T* host(std::size_t stage) const { return static_cast<T*>(host_.get()) + stages_.stages[stage].host_value; }
  cudaStream_t stream() const { return copies_.get(); }

 private:
  T* device(std::size_t stage) const { return values_ + stages_.stages[stage].first_value; }
  void copy(T* to, const T* from, std::size_t stage, cudaMemcpyKind kind) const {
    const auto bytes = static_cast<std::size_t>(stages_.stages[stage].values) * sizeof(T);
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, kind, copies_.get()));
  }

  const Stages& stages_;
  T* values_;
  PinnedMemory host_;
  Stream copies_;
  std::array<Event, 2> used_;                               ///< By buffer: main needs it no longer.
  std::array<Event, 2> kept_;                               ///< By buffer: its copy has ended.
  std::array<std::optional<std::size_t>, 2> loaded_stage_;  ///< What main finds in each buffer.
};

}  // namespace gpusupernodal::cuda
