#pragma once

/// \file
/// Products of panels, as the form of the factorization needs them.

#include <cstdint>

#include "gpusupernodal/options.hpp"
#include "kernels/host/host_kernels.hpp"
#include "solver/host/run/small_panels.hpp"

namespace gpusupernodal {

/// The products of HostKernels with parts a and b of L's panels, which are subtracted from a part c of L's panels. For LU,
/// each part has a partner in Uᵀ at the distance `partner`: L −= L·(Uᵀ)ᵀ and Uᵀ −= Uᵀ·Lᵀ. For
/// complex scalars read ᴴ for ᵀ everywhere.
template <class T, Form form>
struct PanelProducts {
  const HostKernels<T>& kernels;
  std::int64_t partner;  ///< Values between an entry of L and its partner in Uᵀ.

  void subtract(std::int32_t m, std::int32_t n, std::int32_t k, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                T* c, std::int64_t ldc) const {
    each(a, b, c, [&](const T* x, const T* y, T* z) { kernels.subtract_product(m, n, k, x, lda, y, ldb, z, ldc); });
  }
  void subtract_lower(std::int32_t m, std::int32_t n, std::int32_t k, const T* a, std::int64_t lda, T* c,
                      std::int64_t ldc) const {
    each(a, a, c, [&](const T* x, const T* y, T* z) { kernels.subtract_product_lower(m, n, k, x, lda, y, lda, z, ldc); });
  }
  void subtract_indexed(std::int32_t m, std::int32_t n, std::int32_t k, const T* a, const T* b, std::int64_t ld, T* c,
                        std::int64_t ldc, const std::int32_t* rows, const std::int32_t* cols) const {
    each(a, b, c,
         [&](const T* x, const T* y, T* z) { kernels.subtract_product_indexed(m, n, k, x, ld, y, ld, z, ldc, rows, cols); });
  }
  void subtract_lower_indexed(std::int32_t m, std::int32_t n, std::int32_t k, const T* a, std::int64_t lda, T* c,
                              std::int64_t ldc, const std::int32_t* rows, const std::int32_t* cols) const {
    each(a, a, c, [&](const T* x, const T* y, T* z) {
      kernels.subtract_product_lower_indexed(m, n, k, x, lda, y, lda, z, ldc, rows, cols);
    });
  }
  /// subtract_lower_indexed for few products. Precondition: the columns lie in the target's first block column.
  void subtract_by_columns(std::int32_t rows, std::int32_t columns, std::int32_t width, const T* a, std::int64_t lda, T* c,
                           std::int64_t ldc, const std::int32_t* relative) const {
    each(a, a, c, [&](const T* x, const T* y, T* z) {
      gpusupernodal::subtract_by_columns(rows, columns, width, x, y, lda, z, ldc, relative);
    });
  }
  /// B := B·L⁻ᵀ for rows `b` below a diagonal block `l`. For LU: L's rows by U⁻¹, and those of Uᵀ by L⁻ᵀ.
  void solve_below(std::int32_t m, std::int32_t n, const T* l, std::int64_t ldl, T* b, std::int64_t ldb) const {
    each(b, l, b, [&](const T*, const T* y, T* z) { kernels.solve_below(m, n, y, ldl, z, ldb); });
  }

 private:
  template <class Product>
  void each(const T* a, const T* b, T* c, const Product& product) const {
    if constexpr (form == Form::lu) {
      product(a, b + partner, c);
      product(a + partner, b, c + partner);
    } else {
      product(a, b, c);
    }
  }
};

}  // namespace gpusupernodal
