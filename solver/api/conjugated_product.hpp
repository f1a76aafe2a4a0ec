#pragma once

/// \file
/// Products with the conjugate of a stored complex matrix: y := alpha·conj(B) x + beta·y is the conjugate of a product with
/// B.

#include <algorithm>
#include <complex>
#include <cstdint>
#include <memory>

#include "gpusupernodal/views.hpp"
#include "solver/backend/device_copy.hpp"
#include "solver/sparse/sparse_apply.hpp"

namespace gpusupernodal {

/// Copies columns, at least one of the views being in host memory. Waits.
template <class T>
void copy_columns(const DenseView<const T>& from, const DenseView<T>& to, void* stream) {
  for (std::int64_t c = 0; c < from.cols && from.rows > 0; ++c) {
    const T* const source = from.data + c * from.ld;
    T* const target = to.data + c * to.ld;
    if (from.space == MemorySpace::host && to.space == MemorySpace::host) {
      std::copy(source, source + from.rows, target);
    } else {
      copy_device_bytes(target, to.space, source, from.space, from.rows * static_cast<std::int64_t>(sizeof(T)), stream);
    }
  }
}

/// Precondition: `view` is in host memory, without gaps.
template <class T>
void conjugate_columns(const DenseView<T>& view) {
  for (T* entry = view.data; entry != view.data + view.rows * view.cols; ++entry) *entry = std::conj(*entry);
}

/// y := alpha·conj(B) x + beta·y for the matrix B that `apply` has on the host, through copies of x and y. alpha = 0: x is
/// not read; beta = 0: y is not read. Throws OutOfMemory.
template <class R>
void multiply_conjugated(SparseApply<std::complex<R>>& apply, std::complex<R> alpha,
                         const DenseView<const std::complex<R>>& x, std::complex<R> beta,
                         const DenseView<std::complex<R>>& y, const std::shared_ptr<Allocator>& allocator, void* stream) {
  using T = std::complex<R>;
  if (x.cols == 0) return;
  const Buffer<T> copies = apply.scratch((x.rows + y.rows) * x.cols, allocator, "conjugated vectors of a sparse operator");
  const DenseView<T> from(copies.data(), x.rows, x.cols, x.rows),
      to(copies.data() + x.rows * x.cols, y.rows, y.cols, y.rows);
  if (alpha != T(0)) {
    copy_columns(x, from, stream);
    conjugate_columns(from);
  }
  if (beta != T(0)) {
    copy_columns(DenseView<const T>(y), to, stream);
    conjugate_columns(to);
  }
  apply.multiply(std::conj(alpha), from, std::conj(beta), to);
  conjugate_columns(to);
  copy_columns(DenseView<const T>(to), y, stream);
}

}  // namespace gpusupernodal
