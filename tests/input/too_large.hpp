#pragma once

/// \file
/// A small matrix whose factor exceeds any memory.

#include <cstdint>
#include <vector>

#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test {

/// A full first row makes L full, too large for any machine.
template <class T>
struct TooLarge {
  static constexpr std::int64_t n = 300000;
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> indices;
  std::vector<T> values;

  TooLarge() : offsets(1, 0) {
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = j; i < (j == 0 ? n : j + 1); ++i) indices.push_back(static_cast<std::int32_t>(i));
      offsets.push_back(static_cast<std::int64_t>(indices.size()));
    }
    values.assign(indices.size(), T(1));
  }
  MatrixView<T> view() const {
    MatrixView<T> a;
    a.n = n;
    a.offsets = offsets.data();
    a.indices = indices.data();
    a.values = values.data();
    return a;
  }
  static Options options(Backend backend) {
    Options options = on(backend);
    options.ordering = Ordering::natural;
    options.block_width = 65536;  // Few tasks; otherwise the plan itself would take long.
    return options;
  }
};

}  // namespace gpusupernodal::test
