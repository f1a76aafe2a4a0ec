/// Tests that creating and destroying solvers leaks nothing on the device.

#include <cuda_runtime_api.h>

#include <iostream>

#include "tests/faults/cuda_hooks.hpp"
#include "tests/faults/cycles.hpp"

namespace gpusupernodal::test {
namespace {

std::int64_t used_device_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  return static_cast<std::int64_t>(total - free);
}

/// cudaMalloc gets memory from the driver in pieces of 2 MiB. Factor and index of one cycle take more than 300 kB: if a
/// hundred cycles leaked them, at least 30 MiB would be missing; the bound is one piece.
void run_cycles(CudaSchedule schedule, int count) {
  constexpr std::int64_t max_growth = 2 << 20;
  const io::SymmetricMatrix a = io::generate("lap3d:9");
  const StoredMatrix<double> s = stored<double>(a);
  Options options = on(Backend::cuda);
  options.cuda_schedule = schedule;
  for (int cycle = 0; cycle < 20; ++cycle) one_cycle(options, a, s);
  const std::int64_t used = used_device_bytes();
  const std::int64_t objects = cuda_objects();
  for (int cycle = 0; cycle < count; ++cycle) one_cycle(options, a, s);
  const std::int64_t growth = used_device_bytes() - used;
  std::cout << count << " cycles on the device: " << growth / 1024 << " KiB more, " << cuda_objects() - objects
            << " objects more\n";
  EXPECT_LE(growth, max_growth);
  EXPECT_EQ(cuda_objects(), objects);
}

TEST(CudaCycles, AThousandWithLevelsLeakNothing) {
  if (device_is_simulated()) GTEST_SKIP() << "no CUDA device on this machine";
  run_cycles(CudaSchedule::levels, 1000);
}

/// Fewer cycles, because each makes four handles of cuBLAS and of cuSOLVER.
TEST(CudaCycles, AHundredWithStreamsLeakNothing) {
  if (device_is_simulated()) GTEST_SKIP() << "no CUDA device on this machine";
  run_cycles(CudaSchedule::streams, 100);
}

}  // namespace
}  // namespace gpusupernodal::test
