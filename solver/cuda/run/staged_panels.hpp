#pragma once

/// \file
/// The panels of a device that cannot hold all of them (Stages): those in host memory, and how they come and go.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

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

/// Moves panels of type T between host memory and their places on the device, on a stream of its own. All members return at
/// once; `main` is the stream that computes.
template <class T>
class StagedPanels {
 public:
  /// `values`: the values on the device. References must outlive this. Throws OutOfMemory.
  StagedPanels(const Stages& stages, T* values)
      : stages_(stages.stages),
        values_(values),
        host_(stages.host_values * static_cast<std::int64_t>(sizeof(T))),
        copies_(0),
        used_(stages_.size()),
        copied_(stages_.size()),
        is_loaded_(stages_.size(), false) {}

  /// Factorization: makes main wait until the place of a stage may be overwritten.
  void await_place(std::size_t stage, cudaStream_t main) const {
    if (stages_[stage].follows >= 0) copied_[static_cast<std::size_t>(stages_[stage].follows)].make_wait(main);
  }
  /// Factorization: copies the panels of a stage to host memory after the work on main, unless they stay.
  void save(std::size_t stage, cudaStream_t main) const {
    if (stages_[stage].stays()) return;
    used_[stage].record(main);
    used_[stage].make_wait(copies_.get());
    copy(host(stage), device(stage), stage, cudaMemcpyDeviceToHost);
    copied_[stage].record(copies_.get());
  }
  /// Factorization: makes main wait for all copies. They end in their order.
  void await_copies(cudaStream_t main) const {
    for (std::size_t k = stages_.size(); k-- > 0;) {
      if (stages_[k].stays()) continue;
      copied_[k].make_wait(main);
      return;
    }
  }
  /// Says that a factorization has been launched on main.
  void set_factorized(cudaStream_t main) {
    launched_.record(main);
    launched_.make_wait(copies_.get());  // A graph's copies are not in this stream.
    for (std::size_t k = 0; k < stages_.size(); ++k) {
      is_loaded_[k] = stages_[k].on_device_at_end;
      if (is_loaded_[k]) used_[k].record(main);
    }
  }

  /// Solve: brings the panels of a stage to their place, unless they are there, and makes main wait for them.
  void load(std::size_t stage, cudaStream_t main) {
    if (is_loaded_[stage]) return;
    for (const std::size_t other : stages_[stage].shares_with) {
      if (!is_loaded_[other]) continue;
      is_loaded_[other] = false;
      used_[other].make_wait(copies_.get());
    }
    copy(device(stage), host(stage), stage, cudaMemcpyHostToDevice);
    is_loaded_[stage] = true;
    copied_[stage].record(copies_.get());
    copied_[stage].make_wait(main);
  }
  /// Solve: says that main needs the panels of a stage until here.
  void release(std::size_t stage, cudaStream_t main) const { used_[stage].record(main); }

  /// The panels of a stage that does not stay, in host memory, in the layout of the device.
  T* host(std::size_t stage) const { return static_cast<T*>(host_.get()) + stages_[stage].host_value; }
  cudaStream_t stream() const { return copies_.get(); }

 private:
  T* device(std::size_t stage) const { return values_ + stages_[stage].first_value; }
  void copy(T* to, const T* from, std::size_t stage, cudaMemcpyKind kind) const {
    const auto bytes = static_cast<std::size_t>(stages_[stage].values) * sizeof(T);
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, kind, copies_.get()));
  }

  const std::vector<Stage>& stages_;
  T* values_;
  PinnedMemory host_;
  Stream copies_;
  Event launched_;               ///< The last factorization has ended.
  std::vector<Event> used_;      ///< By stage: main needs its panels no longer.
  std::vector<Event> copied_;    ///< By stage: its last copy has ended.
  std::vector<bool> is_loaded_;  ///< By stage: whether the next work on main finds its panels in their place.
};

}  // namespace gpusupernodal::cuda
