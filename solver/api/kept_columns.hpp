#pragma once

/// \file
/// The columns of x as a caller gave them, for outcomes that leave x as it was.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/raw_vector.hpp"
#include "gpusupernodal/views.hpp"
#include "solver/api/staging.hpp"
#include "solver/backend/device_copy.hpp"

namespace gpusupernodal {

template <class S>
class KeptColumns {
 public:
  explicit KeptColumns(const DenseView<S>& x) : x_(x) {}

  /// Copies the columns to host memory, unless this was done before.
  void keep(void* stream) {
    if (!copy_.empty()) return;
    RawVector<S> copy(static_cast<std::size_t>(x_.rows * x_.cols));
    for (std::int64_t c = 0; c < x_.cols; ++c) {
      const HostCopy<S> column(x_.data + c * x_.ld, x_.space, x_.rows, stream);
      std::copy_n(column.data(), x_.rows, copy.data() + c * x_.rows);
    }
    copy_ = std::move(copy);
  }

  /// Writes them back if they were kept.
  void restore(void* stream) const {
    if (copy_.empty()) return;
    for (std::int64_t c = 0; c < x_.cols; ++c) {
      const S* const column = copy_.data() + c * x_.rows;
      if (x_.space == MemorySpace::host) {
        std::copy_n(column, x_.rows, x_.data + c * x_.ld);
      } else {
        copy_device_bytes(x_.data + c * x_.ld, x_.space, column, MemorySpace::host,
                          x_.rows * static_cast<std::int64_t>(sizeof(S)), stream);
      }
    }
  }

 private:
  DenseView<S> x_;
  RawVector<S> copy_;
};

}  // namespace gpusupernodal
