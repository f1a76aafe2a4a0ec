#include "tests/solver/api/cuda/delayed_launches.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <atomic>
#include <mutex>
#include <random>

#include "tests/solver/api/cuda/beside.hpp"

namespace gpusupernodal::test {
namespace {

std::mutex guard;
std::mt19937_64 random;
int one_in = 0;  ///< 0: no launch is delayed.
double longest = 0.0;
std::atomic<std::int64_t> delayed{0};
thread_local bool inside = false;

template <class Function>
Function* real_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

double drawn_delay() {
  const std::lock_guard lock(guard);
  if (one_in == 0 || random() % static_cast<std::uint64_t>(one_in) != 0) return 0.0;
  return longest * static_cast<double>(random() >> 11) * 0x1p-53;
}

/// Sometimes delays a launch on `stream`. The delay is a launch itself, hence the guard against recursion.
void perhaps_delay(cudaStream_t stream) {
  if (inside) return;
  const double microseconds = drawn_delay();
  if (microseconds == 0.0) return;
  inside = true;
  delay(stream, microseconds);
  inside = false;
  ++delayed;
}

}  // namespace

DelayedLaunches::DelayedLaunches(int every, double microseconds, std::uint64_t seed) {
  const std::lock_guard lock(guard);
  random.seed(seed);
  one_in = every;
  longest = microseconds;
  delayed = 0;
}

DelayedLaunches::~DelayedLaunches() {
  const std::lock_guard lock(guard);
  one_in = 0;
}

std::int64_t DelayedLaunches::count() const { return delayed; }

}  // namespace gpusupernodal::test

using gpusupernodal::test::perhaps_delay;
using gpusupernodal::test::real_function;

// These functions precede those of the CUDA runtime in symbol resolution. Code compiled by nvcc 13 calls the first; code
// compiled by earlier versions calls the second.
extern "C" {

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                               cudaStream_t stream) {
  perhaps_delay(stream);
  return real_function<decltype(__cudaLaunchKernel)>("__cudaLaunchKernel")(kernel, grid, block, arguments, shared, stream);
}
cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                             cudaStream_t stream) {
  perhaps_delay(stream);
  return real_function<decltype(cudaLaunchKernel)>("cudaLaunchKernel")(kernel, grid, block, arguments, shared, stream);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** arguments) {
  perhaps_delay(config->stream);
  return real_function<decltype(cudaLaunchKernelExC)>("cudaLaunchKernelExC")(config, kernel, arguments);
}
}
