#pragma once

/// \file
/// The type lists on which the executor tests run: every backend and CUDA schedule with every scalar type.

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "solver/backend/executor.hpp"
#include "solver/cuda/plan/devices_plan.hpp"
#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal::test {

template <Backend B, class T, CudaSchedule S = CudaSchedule::levels>
struct On {
  static constexpr CudaSchedule schedule = S;
  static constexpr Backend backend = B;
  static constexpr int devices = 1;
  using Scalar = T;
};
/// On one device that is taken for three.
template <class T>
struct OnDevices : On<Backend::cuda, T> {
  static constexpr int devices = 3;
};

using HostBackends = testing::Types<On<Backend::host, float>, On<Backend::host, double>>;
/// Without CUDA in the build, its tests would only be skipped.
using AllBackends =
    std::conditional_t<GPUSUPERNODAL_TESTS_ON_CUDA,
                       testing::Types<On<Backend::host, float>, On<Backend::host, double>, On<Backend::cuda, float>,
                                      On<Backend::cuda, double>, OnDevices<double>>,
                       HostBackends>;
using AllExecutors = std::conditional_t<
    GPUSUPERNODAL_TESTS_ON_CUDA,
    testing::Types<On<Backend::host, float>, On<Backend::host, double>, On<Backend::cuda, float>, On<Backend::cuda, double>,
                   On<Backend::cuda, float, CudaSchedule::streams>, On<Backend::cuda, double, CudaSchedule::streams>>,
    HostBackends>;

struct BackendNames {
  template <class OnBackend>
  static std::string GetName(int) {
    const bool streams = OnBackend::schedule == CudaSchedule::streams;
    const bool several = OnBackend::devices > 1;
    return std::string(OnBackend::backend == Backend::host ? "host"
                       : several                           ? "devices"
                       : streams                           ? "cuda_streams"
                                                           : "cuda") +
           (sizeof(typename OnBackend::Scalar) == 4 ? "_float" : "_double");
  }
};

/// Fixture of executor tests. Skips the tests of an unavailable backend and gives the reason.
template <class OnBackend>
class ExecutorTest : public testing::Test {
 protected:
  using Scalar = typename OnBackend::Scalar;
  static constexpr bool on_host = OnBackend::backend == Backend::host;

  void SetUp() override {
    if constexpr (!on_host) {
      const CudaAvailability cuda = cuda_availability();
      if (!cuda.available) GTEST_SKIP() << cuda.reason;
    }
  }

  static std::unique_ptr<Executor<Scalar>> make(const std::shared_ptr<const FactorPlan>& plan,
                                                const ExecutorOptions& options = {}) {
    if (on_host) return make_host_executor<Scalar>(plan->host_plan(), options);
    CudaPlanOptions cuda;
    cuda.schedule = OnBackend::schedule;
    if constexpr (OnBackend::devices > 1) {
      PartMapOptions parts = device_parts(OnBackend::devices, ScalarType::real_double, CudaFigures());
      parts.seconds_per_top_column = 0.0;  // Divides small problems too.
      ThreadTeam one(1);
      return make_devices_executor<Scalar>(build_devices_plan(with_cuda(plan, cuda, 1)->cuda(), parts, one), options,
                                           std::vector<int>(OnBackend::devices, 0));
    }
    return make_cuda_executor<Scalar>(with_cuda(plan, cuda, 1)->cuda_plan(), options);
  }
};

}  // namespace gpusupernodal::test
