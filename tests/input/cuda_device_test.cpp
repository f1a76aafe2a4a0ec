/// Tests of requests for CUDA that the driver, the device, its age or its memory does not allow. Replacements of the
/// runtime's functions describe the devices, so no device is needed or used.

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/input/refusal.hpp"
#include "tests/input/too_large.hpp"

namespace {

/// A machine as the CUDA runtime describes it.
struct Machine {
  int driver = 12000;
  cudaError_t code = cudaSuccess;
  int devices = 1;
  int major = 9;
  int minor = 0;
  std::size_t free_bytes = std::size_t{1} << 30;
};
Machine machine;

constexpr std::size_t total_bytes = std::size_t{1} << 34;

}  // namespace

// These definitions precede those of the CUDA runtime in symbol resolution.
extern "C" {
cudaError_t cudaDriverGetVersion(int* version) {
  *version = machine.driver;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = machine.devices;
  return machine.code;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = cudaDeviceProp{};
  std::strcpy(properties->name, "Test device");
  properties->major = machine.major;
  properties->minor = machine.minor;
  properties->totalGlobalMem = total_bytes;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = attribute == cudaDevAttrComputeCapabilityMajor ? machine.major : machine.minor;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total) {
  *free_bytes = machine.free_bytes;
  *total = total_bytes;
  return cudaSuccess;
}
}

namespace gpusupernodal::test {
namespace {

struct Unavailable {
  Machine machine;
  const char* sentence;   ///< Sentence of the exception.
  const char* available;  ///< Sentence of cuda_availability.
};

std::vector<Unavailable> unavailable() {
  std::vector<Unavailable> all(5);
  all[0].machine.driver = 0;
  all[0].sentence = all[0].available = "no CUDA driver was found";
  all[1].machine.devices = 0;
  all[1].sentence = all[1].available = "no CUDA device was found";
  all[2].machine.code = cudaErrorNoDevice;
  all[2].sentence = all[2].available = "no CUDA device can be used: no CUDA-capable device is detected";
  all[3].machine.code = cudaErrorInsufficientDriver;
  all[3].sentence = all[3].available =
      "no CUDA device can be used: CUDA driver version is insufficient for CUDA runtime version";
  all[4].machine.major = 6;
  all[4].machine.minor = 1;
  all[4].sentence =
      "CUDA device 0 (Test device, compute capability 6.1, 16.0 GiB) is too old: compute capability 7.5 or newer is "
      "required";
  all[4].available = "no CUDA device has compute capability 7.5 or newer";
  return all;
}

TEST(CudaDevice, UnusableDeviceIsNamedAndTheHostStillWorks) {
  for (const Unavailable& that : unavailable()) {
    SCOPED_TRACE(that.sentence);
    machine = that.machine;
    EXPECT_FALSE(cuda_availability().available);
    EXPECT_EQ(cuda_availability().reason, that.available);
    const GoodSystems<double> good;
    Solver<double> solver(on(Backend::cuda));
    EXPECT_EQ(sentence_of<BackendUnavailable>([&] { solver.compute(good.after_stored.view()); }), that.sentence);
    EXPECT_FALSE(solver.is_analyzed());
    solver.set_options(on(Backend::host));
    solver.compute(good.before_stored.view());
    solver.set_options(on(Backend::cuda));
    EXPECT_EQ(sentence_of<BackendUnavailable>([&] { solver.compute(good.after_stored.view()); }), that.sentence);
    expect_solves(solver, good.before);
    solver.set_options(on(Backend::automatic));
    expect_takes(solver, good);
    EXPECT_EQ(solver.analyze_report().backend_reason, that.available);
  }
  machine = Machine();
}

TEST(CudaDevice, RefusesAnUnknownDeviceNumber) {
  machine = Machine();
  const GoodSystems<double> good;
  Options options = on(Backend::cuda);
  options.device = 3;
  Solver<double> solver(options);
  EXPECT_EQ(sentence_of<BackendUnavailable>([&] { solver.analyze(good.after_stored.view()); }),
            "CUDA device 3 was requested, but the devices of this machine are numbered 0 to 0");
  solver.set_options(on(Backend::host));
  expect_takes(solver, good);
}

TEST(CudaDevice, ReportsNeededAndFreeBytesWhenMemoryIsScarce) {
  machine = Machine();
  machine.free_bytes = 1000;
  const GoodSystems<double> good;
  Solver<double> solver(on(Backend::host));
  solver.compute(good.before_stored.view());
  solver.set_options(on(Backend::cuda));
  try {
    solver.compute(good.after_stored.view());
    FAIL() << "memory was taken";
  } catch (const OutOfMemory& error) {
    EXPECT_GT(error.bytes_needed(), 1000);
    EXPECT_EQ(error.bytes_free(), 1000);
    EXPECT_EQ(std::string(error.what()), "the factorization needs " + std::to_string(error.bytes_needed()) +
                                             " bytes of device memory, but only 1000 of 17179869184 bytes are free");
  }
  expect_solves(solver, good.before);
  solver.set_options(on(Backend::host));
  expect_takes(solver, good);
  machine = Machine();
}

TEST(CudaDevice, ReportsBytesWhenTheMatrixExceedsAllOfTheMemory) {
  machine = Machine();
  machine.free_bytes = total_bytes;
  const TooLarge<double> large;
  Solver<double> solver(TooLarge<double>::options(Backend::cuda));
  try {
    solver.compute(large.view());
    FAIL() << "memory was taken";
  } catch (const OutOfMemory& error) {
    EXPECT_GE(error.bytes_needed(), large.n * (large.n + 1) / 2 * 8) << "the lower triangle";
    EXPECT_EQ(error.bytes_free(), static_cast<std::int64_t>(total_bytes));
  }
  solver.set_options(on(Backend::host));
  expect_takes(solver, GoodSystems<double>());
}

}  // namespace
}  // namespace gpusupernodal::test
