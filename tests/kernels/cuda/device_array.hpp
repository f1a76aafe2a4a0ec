#pragma once

/// \file
/// Device arrays for tests, and a macro that skips a test if no device is available.

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "kernels/common/device_complex.hpp"
#include "kernels/cuda/check.hpp"

namespace gpusupernodal::test {

inline bool has_device() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

#define SKIP_WITHOUT_DEVICE()                           \
  do {                                                  \
    if (!::gpusupernodal::test::has_device()) {         \
      GTEST_SKIP() << "no CUDA device on this machine"; \
    }                                                   \
  } while (false)

/// Device copy of a host vector.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& host) : size_(host.size()) {
    GPUSUPERNODAL_CUDA_CHECK(cudaMalloc(&data_, bytes() + 1));
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpy(data_, host.data(), bytes(), cudaMemcpyHostToDevice));
    // A copy from pageable memory may return before the data has arrived. Synchronize this stream only: other threads may be
    // capturing graphs, and CUDA refuses to wait for a capturing stream.
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(cudaStreamLegacy));
  }
  ~DeviceArray() { static_cast<void>(cudaFree(data_)); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* get() const { return static_cast<T*>(data_); }
  std::vector<T> host() const {
    std::vector<T> copy(size_);
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpy(copy.data(), data_, bytes(), cudaMemcpyDeviceToHost));
    return copy;
  }

 private:
  std::size_t bytes() const { return size_ * sizeof(T); }
  std::size_t size_;
  void* data_ = nullptr;
};

/// Uniform random values in [−1, 1], for complex scalars of both parts.
template <class T>
std::vector<T> random_values(std::size_t count, std::uint64_t seed) {
  using Real = typename ScalarTraits<T>::Real;
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto next = [&] { return static_cast<Real>(uniform(generator)); };
  std::vector<T> values(count);
  for (T& value : values) {
    if constexpr (ScalarTraits<T>::is_complex) {
      const Real real = next();
      value = T(real, next());
    } else {
      value = next();
    }
  }
  return values;
}

/// Scalars in which tests compute what kernels should have computed.
template <class T>
using Wide = typename ScalarTraits<T>::Wide;
template <class T>
constexpr double epsilon_of = static_cast<double>(std::numeric_limits<typename ScalarTraits<T>::Real>::epsilon());

/// What a bound of sums of n real products grows by for complex ones, whose parts have twice as many terms and add up to
/// twice as much, in the kernel and in the sum that it is compared with.
template <class T>
constexpr double complex_terms = ScalarTraits<T>::is_complex ? 8.0 : 1.0;

inline double modulus(double value) { return std::abs(value); }
inline double modulus(cuda::Complex<double> value) { return std::hypot(value.re, value.im); }
template <class W>
W adjoint(W value) {
  return ScalarTraits<W>::conjugate(value);
}

}  // namespace gpusupernodal::test
