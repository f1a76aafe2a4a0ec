#include "solver/api/checks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/names.hpp"
#include "kernels/common/scalar_traits.hpp"
#include "solver/api/check_enumerator.hpp"
#include "solver/api/hermitian_diagonal.hpp"
#include "solver/common/built.hpp"
#include "solver/common/fail.hpp"
#include "solver/model/cost_figures.hpp"

namespace gpusupernodal {
namespace {

constexpr std::array<const char*, 3> stored_part_names{{"full", "lower", "upper"}};
constexpr std::array<const char*, 2> compression_names{{"columns", "rows"}};
constexpr std::array<const char*, 2> memory_space_names{{"host", "device"}};
constexpr std::array<const char*, 9> system_names{
    {"a", "l", "lt", "p", "pt", "forward", "backward", "transposed", "adjoint"}};

void check_enumerators(const Options& options) {
  check_enumerator(options.backend, backend_names, "backend");
  check_enumerator(options.form, form_names, "form");
  check_enumerator(options.symmetry, symmetry_names, "symmetry");
  check_enumerator(options.matching, matching_names, "matching");
  check_enumerator(options.lu_schedule, lu_schedule_names, "lu_schedule");
  check_enumerator(options.repivot, repivot_names, "repivot");
  check_enumerator(options.ordering, ordering_names, "ordering");
  check_enumerator(options.merging, merging_names, "merging");
  check_enumerator(options.cuda_schedule, cuda_schedule_names, "cuda_schedule");
  check_enumerator(options.memory, factor_memory_names, "memory");
}

/// What keeps a factor from being divided between devices, or between a device and the host; nullptr if nothing does.
const char* needed_for_division(const Options& options) {
  if (options.form != Form::llt) return "the form is llt";
  if (options.cuda_schedule != CudaSchedule::levels) return "cuda_schedule is levels";
  if (options.deterministic) return "deterministic is off";
  return options.trace ? "trace is off" : nullptr;
}

/// Checks the options about device memory.
void check_memory(const Options& options) {
  if (options.device_memory_limit < 0)
    fail<InvalidInput>("device_memory_limit is {}; it must not be negative", options.device_memory_limit);
  const char* const needed = options.memory == FactorMemory::hybrid ? needed_for_division(options) : nullptr;
  if (needed != nullptr)
    fail<InvalidInput>("memory is hybrid, which is possible only if {}; change that option, or set memory to auto", needed);
}

/// Checks the options about several devices.
void check_devices(const Options& options) {
  if (options.devices.empty()) return;
  for (const int device : options.devices) {
    if (device < 0) fail<InvalidInput>("devices lists {}; a device's number is at least 0", device);
  }
  if (options.device != -1) {
    fail<InvalidInput>("device is {} and devices lists {}; set one of the two options", options.device,
                       options.devices.size());
  }
  if (options.devices.size() == 1) return;
  const char* needed = needed_for_division(options);
  if (options.memory == FactorMemory::hybrid) needed = "memory is auto or device";
  if (options.device_memory_limit > 0) needed = "device_memory_limit is 0";
  if (options.device_allocator) needed = "there is no device_allocator";
  if (needed != nullptr) {
    fail<InvalidInput>("devices lists {} devices, which factorize together only if {}; change that option, or list one",
                       options.devices.size(), needed);
  }
}

}  // namespace

void check_space(MemorySpace space, const char* what) { check_enumerator(space, memory_space_names, what, "the space of "); }

void check_system(System part) { check_enumerator(part, system_names, "the part of the solve"); }

template <class T>
void check_matrix(const MatrixView<T>& a) {
  check_enumerator(a.part, stored_part_names, "the matrix's part");
  check_enumerator(a.compression, compression_names, "the matrix's compression");
  check_space(a.value_space, "the matrix's values");
  check_space(a.pattern_space, "the matrix's pattern");
  if (a.pattern_space == MemorySpace::device) {
    fail<InvalidInput>(
        "the pattern (offsets and indices) is in device memory; analyze and checks of the pattern need it on the host");
  }
}

void check_options(const Options& options) {
  check_enumerators(options);
  require_built(options.form);
  if (!(options.perturbation >= 0.0 && options.perturbation <= 1.0))
    fail<InvalidInput>("perturbation is {}; it must be 0 (the default) to 1", options.perturbation);
  if (options.merge_width < 1) fail<InvalidInput>("merge_width is {}; it must be at least 1", options.merge_width);
  if (options.block_width != 0 && (options.block_width < 8 || options.block_width > 65536)) {
    fail<InvalidInput>("block_width is {}; it must be 0 (the backend's default) or 8 to 65536", options.block_width);
  }
  if (options.expected_factorizations < 1) {
    fail<InvalidInput>("expected_factorizations is {}; it must be at least 1", options.expected_factorizations);
  }
  if (options.threads < 0 || options.threads > max_threads) {
    fail<InvalidInput>("threads is {}; it must be 0 (all) or 1 to {}", options.threads, max_threads);
  }
  if (options.device < -1)
    fail<InvalidInput>("device is {}; it must be -1 (the current one) or a device's number", options.device);
  check_memory(options);
  check_devices(options);
  if (!options.device_profile.empty() && !is_measured_device(options.device_profile)) {
    fail<InvalidInput>("device_profile is '{}'; it must be empty or one of {}", options.device_profile, measured_devices());
  }
  if (options.streams < 1 || options.streams > 32) fail<InvalidInput>("streams is {}; it must be 1 to 32", options.streams);
  if (options.refinement.max_steps < 0) {
    fail<InvalidInput>("refinement.max_steps is {}; it must not be negative", options.refinement.max_steps);
  }
  if (!(options.refinement.backward_error >= 0.0)) {
    fail<InvalidInput>("refinement.backward_error is {}; it must not be negative", options.refinement.backward_error);
  }
}

template <class T>
void check_dense(const DenseView<T>& view, std::int64_t order, const char* name) {
  check_space(view.space, name);
  if (view.rows != order) fail<InvalidInput>("{} has {} rows, but the matrix is of order {}", name, view.rows, order);
  if (view.cols < 0) fail<InvalidInput>("{} has {} columns", name, view.cols);
  if (view.cols > 0 && view.ld < view.rows) {
    fail<InvalidInput>("{} has leading dimension {}, less than its {} rows", name, view.ld, view.rows);
  }
  // From here on places of entries are computed without overflow.
  constexpr std::int64_t max_entries = std::numeric_limits<std::ptrdiff_t>::max() / static_cast<std::int64_t>(sizeof(T));
  if (view.cols > 1 && view.ld > (max_entries - view.rows) / (view.cols - 1)) {
    fail<InvalidInput>("{} has {} columns with leading dimension {}, more than any memory holds", name, view.cols, view.ld);
  }
  if (view.data == nullptr && view.rows > 0 && view.cols > 0) fail<InvalidInput>("{} has no data (a null pointer)", name);
}

template <class T>
void check_alignment(const T* data, MemorySpace space, const char* what) {
  if constexpr (ScalarTraits<T>::is_complex) {
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    if (space == MemorySpace::host || address % sizeof(T) == 0) return;
    fail<InvalidInput>(
        "{} in device memory begins at the address {:#x}, which is no multiple of {}, the bytes of a complex number; copy "
        "it to memory that cudaMalloc returned, or to a multiple of {} bytes after it",
        what, address, sizeof(T), sizeof(T));
  }
}

template <class T>
void check_right_hand_sides(const DenseView<const T>& b) {
  for (std::int64_t c = 0; c < b.cols; ++c) {
    const T* const column = b.data + c * b.ld;
    const T* const bad =
        std::find_if_not(column, column + b.rows, [](T value) { return ScalarTraits<T>::is_finite(value); });
    if (bad != column + b.rows) {
      fail<InvalidInput>("b has the value {} in row {} of right-hand side {} (counted from 0)",
                         ScalarTraits<T>::non_finite_part(*bad), bad - column, c);
    }
  }
}

template <class T>
void require_real_diagonal_entry(T value, std::int64_t row, std::int64_t order) {
  if constexpr (ScalarTraits<T>::is_complex) {
    if (is_real_up_to_rounding(value, order)) return;
    fail<InvalidInput>(
        "the diagonal entry of row {} (counted from 0) has the real part {} and the imaginary part {}, but the diagonal "
        "of a Hermitian matrix is real; for a complex symmetric matrix, set the options form to ldlt and symmetry to "
        "symmetric; for a general one, set the option form to lu",
        row, value.real(), value.imag());
  }
}

template <class T>
void require_real_diagonal(const T* values, const FactorPlan& plan) {
  if constexpr (ScalarTraits<T>::is_complex) {
    const AssemblyMap& map = plan.assembly;
    for (std::size_t e = 0; e < map.source.size(); ++e) {
      if (map.row[e] != map.column[e]) continue;
      require_real_diagonal_entry(values[map.source[e]], plan.symbolic.permutation.old_of_new[map.row[e]].value,
                                  plan.symbolic.order());
    }
  }
}

void check_reserved_columns(std::int64_t columns) {
  // More are solved in portions; up to here sizes in bytes cannot overflow.
  constexpr std::int64_t max_columns = 65536;
  if (columns < 1 || columns > max_columns) {
    fail<InvalidInput>("{} right-hand sides cannot be reserved; it must be 1 to {} (a solve takes any number)", columns,
                       max_columns);
  }
}

#define GPUSUPERNODAL_INSTANTIATE(T)                                         \
  template void require_real_diagonal_entry(T, std::int64_t, std::int64_t);  \
  template void require_real_diagonal(const T*, const FactorPlan&);          \
  template void check_matrix(const MatrixView<T>&);                          \
  template void check_right_hand_sides(const DenseView<const T>&);           \
  template void check_alignment(const T*, MemorySpace, const char*);         \
  template void check_dense(const DenseView<T>&, std::int64_t, const char*); \
  template void check_dense(const DenseView<const T>&, std::int64_t, const char*);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE
#if !GPUSUPERNODAL_HAVE_DOUBLE
template void check_matrix(const MatrixView<double>&);  // The tuner of formats takes matrices in double precision.
#endif

}  // namespace gpusupernodal
