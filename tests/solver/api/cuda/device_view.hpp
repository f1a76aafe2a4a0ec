#pragma once

/// \file
/// A sparse matrix whose arrays are in device memory.

#include <cstdint>

#include "tests/kernels/cuda/device_array.hpp"
#include "tests/solver/sparse/sparse_problem.hpp"

namespace gpusupernodal::test::sparse {

/// The arrays of a view in device memory.
template <class T>
struct OnDevice {
  explicit OnDevice(const Stored<T>& from)
      : stored(from), offsets(from.offsets), indices(from.indices), values(from.values) {}
  SparseView<T> view() const {
    SparseView<T> v = stored.shape;
    v.offsets = offsets.get();
    v.indices = indices.get();
    v.values = values.get();
    v.value_space = v.pattern_space = MemorySpace::device;
    return v;
  }
  Span<const T> span() const { return {values.get(), stored.values.size()}; }

  Stored<T> stored;
  DeviceArray<std::int64_t> offsets;
  DeviceArray<std::int32_t> indices;
  DeviceArray<T> values;
};

}  // namespace gpusupernodal::test::sparse
