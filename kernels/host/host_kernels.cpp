#include "kernels/host/host_kernels.hpp"

#include <type_traits>

namespace gpusupernodal {

#if defined(__x86_64__)
namespace host_v2 {
extern const HostKernels<float> float_kernels;
extern const HostKernels<double> double_kernels;
extern const HostKernels<std::complex<float>> complex_float_kernels;
extern const HostKernels<std::complex<double>> complex_double_kernels;
}  // namespace host_v2
namespace host_v3 {
extern const HostKernels<float> float_kernels;
extern const HostKernels<double> double_kernels;
extern const HostKernels<std::complex<float>> complex_float_kernels;
extern const HostKernels<std::complex<double>> complex_double_kernels;
}  // namespace host_v3
namespace host_v4 {
extern const HostKernels<float> float_kernels;
extern const HostKernels<double> double_kernels;
extern const HostKernels<std::complex<float>> complex_float_kernels;
extern const HostKernels<std::complex<double>> complex_double_kernels;
}  // namespace host_v4
#else
namespace host_baseline {
extern const HostKernels<float> float_kernels;
extern const HostKernels<double> double_kernels;
extern const HostKernels<std::complex<float>> complex_float_kernels;
extern const HostKernels<std::complex<double>> complex_double_kernels;
}  // namespace host_baseline
#endif

namespace {

#if defined(__x86_64__)
bool processor_has(HostIsa isa) {
  __builtin_cpu_init();
  switch (isa) {
    case HostIsa::v2:
      return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
    case HostIsa::v3:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
             __builtin_cpu_supports("bmi2");
    case HostIsa::v4:
      return processor_has(HostIsa::v3) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    case HostIsa::baseline:
      return false;
  }
  return false;
}
#endif

/// The one of these tables that is for T.
template <class T, class First, class... Others>
const HostKernels<T>* pick(const First& first, const Others&... others) {
  if constexpr (std::is_same_v<First, HostKernels<T>>) {
    return &first;
  } else {
    return pick<T>(others...);
  }
}

#if defined(__x86_64__)
template <class T>
const HostKernels<T>& pick_best() {
  if (processor_has(HostIsa::v4)) {
    return *pick<T>(host_v4::float_kernels, host_v4::double_kernels, host_v4::complex_float_kernels,
                    host_v4::complex_double_kernels);
  }
  if (processor_has(HostIsa::v3)) {
    return *pick<T>(host_v3::float_kernels, host_v3::double_kernels, host_v3::complex_float_kernels,
                    host_v3::complex_double_kernels);
  }
  return *pick<T>(host_v2::float_kernels, host_v2::double_kernels, host_v2::complex_float_kernels,
                  host_v2::complex_double_kernels);
}
#endif

}  // namespace

template <class T>
const HostKernels<T>* host_kernels(HostIsa isa) {
#if defined(__x86_64__)
  if (!processor_has(isa)) {
    return nullptr;
  }
  switch (isa) {
    case HostIsa::v2:
      return pick<T>(host_v2::float_kernels, host_v2::double_kernels, host_v2::complex_float_kernels,
                     host_v2::complex_double_kernels);
    case HostIsa::v3:
      return pick<T>(host_v3::float_kernels, host_v3::double_kernels, host_v3::complex_float_kernels,
                     host_v3::complex_double_kernels);
    case HostIsa::v4:
      return pick<T>(host_v4::float_kernels, host_v4::double_kernels, host_v4::complex_float_kernels,
                     host_v4::complex_double_kernels);
    case HostIsa::baseline:
      return nullptr;
  }
  return nullptr;
#else
  return isa == HostIsa::baseline ? pick<T>(host_baseline::float_kernels, host_baseline::double_kernels,
                                            host_baseline::complex_float_kernels, host_baseline::complex_double_kernels)
                                  : nullptr;
#endif
}

template <class T>
const HostKernels<T>& host_kernels() {
#if defined(__x86_64__)
  static const HostKernels<T>& best = pick_best<T>();
  return best;
#else
  return *pick<T>(host_baseline::float_kernels, host_baseline::double_kernels, host_baseline::complex_float_kernels,
                  host_baseline::complex_double_kernels);
#endif
}

template const HostKernels<float>* host_kernels<float>(HostIsa isa);
template const HostKernels<double>* host_kernels<double>(HostIsa isa);
template const HostKernels<std::complex<float>>* host_kernels<std::complex<float>>(HostIsa isa);
template const HostKernels<std::complex<double>>* host_kernels<std::complex<double>>(HostIsa isa);
template const HostKernels<float>& host_kernels<float>();
template const HostKernels<double>& host_kernels<double>();
template const HostKernels<std::complex<float>>& host_kernels<std::complex<float>>();
template const HostKernels<std::complex<double>>& host_kernels<std::complex<double>>();

}  // namespace gpusupernodal
