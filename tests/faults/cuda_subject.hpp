#pragma once

/// \file
/// Matrices, options and allocators for the fault tests of the CUDA backend.

#include <cuda_runtime_api.h>

#include <cstdlib>

#include "tests/faults/cuda_hooks.hpp"
#include "tests/faults/life.hpp"

namespace gpusupernodal::test {

inline Options cuda_options(CudaSchedule schedule) {
  Options options = on(Backend::cuda);
  options.cuda_schedule = schedule;
  options.streams = 3;
  options.block_width = 16;
  return options;
}

/// A grid whose top supernodes are wider than the leaf subtrees' 64 columns, or the matrix named by
/// GPUSUPERNODAL_TEST_MATRIX; lap3d:24 has enough products for side streams.
inline std::string cuda_matrix() {
  const char* const wanted = std::getenv("GPUSUPERNODAL_TEST_MATRIX");
  return wanted != nullptr ? wanted : "lap3d:9";
}

inline Subject cuda_subject(const Options& options, const std::string& spec = cuda_matrix()) {
  Subject subject(spec);
  Options host = options;
  host.backend = Backend::host;
  host.device_allocator = nullptr;
  Solver<double> planner(host);
  planner.analyze(subject.stored.view());
  subject.plan = planner.plan();
  return subject;
}

/// An allocator of device memory that refuses its k-th request and counts bytes.
class FailingDeviceAllocator final : public Allocator {
 public:
  void* allocate(std::size_t bytes, std::size_t) override {
    void* pointer = nullptr;
    if (faults.fails() || cudaMalloc(&pointer, bytes) != cudaSuccess) return nullptr;
    bytes_ += static_cast<std::int64_t>(bytes);
    return pointer;
  }
  void deallocate(void* pointer, std::size_t bytes, std::size_t) noexcept override {
    bytes_ -= static_cast<std::int64_t>(bytes);
    static_cast<void>(cudaFree(pointer));
  }
  std::int64_t bytes() const { return bytes_; }  ///< Bytes allocated and not freed.

  Injection faults;

 private:
  std::atomic<std::int64_t> bytes_{0};
};

}  // namespace gpusupernodal::test
