#pragma once

/// \file
/// RAII owners of CUDA resources: the current device, streams, events, pinned memory.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "kernels/cuda/check.hpp"

namespace gpusupernodal::cuda {

/// Makes a device current and restores the caller's device when destroyed.
class DeviceGuard {
 public:
  explicit DeviceGuard(int device);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  int previous_ = -1;
};

/// Makes a device current while an object is destroyed, because its members release device resources. It is a member above
/// those; the object's destructor calls enter(), and the caller's device is restored after they are gone. Throws nothing,
/// as destructors must not, even if the device is lost.
class OnDevice {
 public:
  explicit OnDevice(int device) noexcept : device_(device) {}
  ~OnDevice() { static_cast<void>(cudaSetDevice(previous_)); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  void enter() noexcept {
    static_cast<void>(cudaGetDevice(&previous_));
    static_cast<void>(cudaSetDevice(device_));
  }

 private:
  int device_;
  int previous_ = device_;
};

/// While it lives, this thread may query events even if a graph is captured from some stream in CUDA's global mode.
/// Otherwise CUDA would refuse the query and invalidate the capture, which may belong to another thread and to
/// unrelated streams.
class RelaxedCapture {
 public:
  RelaxedCapture() noexcept : is_changed_(cudaThreadExchangeStreamCaptureMode(&mode_) == cudaSuccess) {}
  ~RelaxedCapture() {
    if (is_changed_) static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_));
  }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
  bool is_changed_;
};

/// A stream that does not synchronize with the legacy default stream. Lower values of `priority` are more urgent.
class Stream {
 public:
  explicit Stream(int priority);
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&&) = delete;
  ~Stream();
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Copies from any host memory and returns when all bytes have arrived. cudaMemcpy returns once it has read memory that
/// is not page-locked, and streams that do not synchronize with the default stream could overtake the copy.
void copy_to_device(void* device, const void* host, std::size_t bytes);

/// An event; it records times only if the flags ask for them.
class Event {
 public:
  explicit Event(unsigned flags = cudaEventDisableTiming);
  Event(Event&& other) noexcept;
  Event& operator=(Event&&) = delete;
  ~Event();
  cudaEvent_t get() const { return event_; }
  void record(cudaStream_t stream) const;
  void make_wait(cudaStream_t stream) const;

 private:
  cudaEvent_t event_ = nullptr;
};

/// One object in page-locked host memory, to which a device copies without blocking the host.
template <class Object>
class Pinned {
 public:
  Pinned();
  ~Pinned();
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  Object* get() const { return object_; }

 private:
  Object* object_ = nullptr;
};

template <class Object>
Pinned<Object>::Pinned() {
  void* memory = nullptr;
  GPUSUPERNODAL_CUDA_CHECK(cudaHostAlloc(&memory, sizeof(Object), cudaHostAllocDefault));
  object_ = new (memory) Object();
}

template <class Object>
Pinned<Object>::~Pinned() {
  static_cast<void>(cudaFreeHost(object_));
}

/// Returns the device to use for `requested` (−1: the caller's current device). Throws BackendUnavailable, with the
/// reason, if no device is available or it is too old.
int choose_device(int requested);

/// Returns a description such as "NVIDIA H200, compute capability 9.0, 139.7 GiB".
std::string describe_device(int device);

}  // namespace gpusupernodal::cuda
