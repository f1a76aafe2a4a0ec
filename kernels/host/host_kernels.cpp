#include "kernels/host/host_kernels.hpp"

#include "gpusupernodal/build_config.hpp"

namespace gpusupernodal {

// The tables that isa_*.cpp and complex_*.cpp define.
#define GPUSUPERNODAL_INSTANTIATE(T) \
  template <>                        \
  const HostKernels<T> Table<T>::kernels;
#define GPUSUPERNODAL_DECLARE_TABLES(isa)                  \
  namespace isa {                                          \
  template <class T>                                       \
  struct Table {                                           \
    static const HostKernels<T> kernels;                   \
  };                                                       \
  GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE) \
  }
#if defined(__x86_64__)
GPUSUPERNODAL_DECLARE_TABLES(host_v2)
GPUSUPERNODAL_DECLARE_TABLES(host_v3)
GPUSUPERNODAL_DECLARE_TABLES(host_v4)
#else
GPUSUPERNODAL_DECLARE_TABLES(host_baseline)
#endif
#undef GPUSUPERNODAL_DECLARE_TABLES
#undef GPUSUPERNODAL_INSTANTIATE

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

#if defined(__x86_64__)
template <class T>
const HostKernels<T>& pick_best() {
  if (processor_has(HostIsa::v4)) {
    return host_v4::Table<T>::kernels;
  }
  if (processor_has(HostIsa::v3)) {
    return host_v3::Table<T>::kernels;
  }
  return host_v2::Table<T>::kernels;
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
      return &host_v2::Table<T>::kernels;
    case HostIsa::v3:
      return &host_v3::Table<T>::kernels;
    case HostIsa::v4:
      return &host_v4::Table<T>::kernels;
    case HostIsa::baseline:
      return nullptr;
  }
  return nullptr;
#else
  return isa == HostIsa::baseline ? &host_baseline::Table<T>::kernels : nullptr;
#endif
}

template <class T>
const HostKernels<T>& host_kernels() {
#if defined(__x86_64__)
  static const HostKernels<T>& best = pick_best<T>();
  return best;
#else
  return host_baseline::Table<T>::kernels;
#endif
}

#define GPUSUPERNODAL_INSTANTIATE(T)                           \
  template const HostKernels<T>* host_kernels<T>(HostIsa isa); \
  template const HostKernels<T>& host_kernels<T>();
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
