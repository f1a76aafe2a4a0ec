#pragma once

/// \file
/// Column-major test matrices with guard values between their columns, and the error bound for results of the kernels.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "kernels/host/host_kernels.hpp"

namespace gpusupernodal::test {

/// Value for entries that kernels must not read: a kernel that reads it produces NaN.
template <class T>
constexpr T poison() {
  return std::numeric_limits<T>::quiet_NaN();
}
/// Value for entries that kernels must not write. It is finite, so arithmetic on it changes it detectably.
template <class T>
constexpr T sentinel() {
  return T(777.25);
}

/// A rows×cols matrix with `fill` in the padding (ld = rows + padding). The buffer ends with the last element.
template <class T>
class GuardedMatrix {
 public:
  GuardedMatrix(std::int32_t rows, std::int32_t cols, T fill, std::int32_t padding = 3)
      : rows_(rows), cols_(cols), ld_(rows + padding), fill_(fill) {
    const std::int64_t size = cols == 0 ? 0 : ld_ * (cols - 1) + rows;
    // An empty matrix has an address, too: kernels add offsets to it.
    values_.assign(static_cast<std::size_t>(std::max<std::int64_t>(size, 1)), fill);
  }

  std::int32_t rows() const { return rows_; }
  std::int32_t cols() const { return cols_; }
  std::int64_t ld() const { return ld_; }
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  T& operator()(std::int64_t i, std::int64_t j) { return values_[static_cast<std::size_t>(i + j * ld_)]; }
  T operator()(std::int64_t i, std::int64_t j) const { return values_[static_cast<std::size_t>(i + j * ld_)]; }

  GuardedMatrix& randomize(std::uint32_t seed) {
    std::minstd_rand generator(seed + 1);
    for (std::int32_t j = 0; j < cols_; ++j) {
      for (std::int32_t i = 0; i < rows_; ++i) {
        (*this)(i, j) = T(2) * static_cast<T>(generator()) / static_cast<T>(std::minstd_rand::max()) - T(1);
      }
    }
    return *this;
  }

  /// Sets the strict upper triangle to the fill value.
  GuardedMatrix& guard_upper() {
    for (std::int32_t j = 1; j < cols_; ++j) {
      for (std::int32_t i = 0; i < j && i < rows_; ++i) {
        (*this)(i, j) = fill_;
      }
    }
    return *this;
  }

  /// Whether the padding, and the strict upper triangle if `upper`, still hold the fill value. Precondition: it is finite.
  bool guards_intact(bool upper) const {
    for (std::int32_t j = 0; j < cols_; ++j) {
      for (std::int64_t i = 0; i < ld_; ++i) {
        const bool guard = i >= rows_ || (upper && i < j);
        if (guard && i + j * ld_ < static_cast<std::int64_t>(values_.size()) && (*this)(i, j) != fill_) {
          return false;
        }
      }
    }
    return true;
  }

 private:
  std::int32_t rows_;
  std::int32_t cols_;
  std::int64_t ld_;
  T fill_;
  std::vector<T> values_;
};

/// Random lower triangle with a dominant diagonal, so that solves are well conditioned; `fill` above the diagonal.
template <class T>
GuardedMatrix<T> random_triangle(std::int32_t n, T fill, std::uint32_t seed) {
  GuardedMatrix<T> l(n, n, fill);
  l.randomize(seed).guard_upper();
  for (std::int32_t j = 0; j < n; ++j) {
    for (std::int32_t i = j + 1; i < n; ++i) {
      l(i, j) /= static_cast<T>(n);
    }
    l(j, j) = T(1.5) + std::abs(l(j, j));
  }
  return l;
}

/// Error bound of an inner product of k terms, a subtraction from the target and a scaling: c·(k + 3)·eps relative to the
/// sum of absolute values [Higham02, section 3.1]. c = 2 covers the inverse diagonal that kernels multiply by.
template <class T>
long double inner_product_bound(std::int64_t k, long double magnitude) {
  return 2.0L * static_cast<long double>(k + 3) * static_cast<long double>(std::numeric_limits<T>::epsilon()) * magnitude;
}

template <class T>
std::vector<const HostKernels<T>*> kernels_of_this_processor() {
  std::vector<const HostKernels<T>*> found;
  for (const HostIsa isa : {HostIsa::baseline, HostIsa::v2, HostIsa::v3, HostIsa::v4}) {
    if (const HostKernels<T>* kernels = host_kernels<T>(isa)) {
      found.push_back(kernels);
    }
  }
  return found;
}

}  // namespace gpusupernodal::test
