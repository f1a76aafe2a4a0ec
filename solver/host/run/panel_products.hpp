#pragma once

/// \file
/// Products of panels, as the form of the factorization needs them.

#include <cstdint>

#include "gpusupernodal/options.hpp"
#include "kernels/host/host_kernels.hpp"
#include "solver/host/run/ldlt_pivots.hpp"
#include "solver/host/run/small_panels.hpp"

namespace gpusupernodal {

/// The products of HostKernels with parts a and b of L's panels, which are subtracted from a part c of L's panels. For LU,
/// each part has a partner in Uᵀ at the distance `partner`: L −= L·(Uᵀ)ᵀ and Uᵀ −= Uᵀ·Lᵀ; for complex scalars read ᴴ for ᵀ
/// everywhere. For LDLᵀ, `d` has the pivots of the columns of a and b (LdltPivots::d), and b is multiplied by them unless
/// they are 1: L −= L·(L·D)ᵀ.
template <class T, Form form>
struct PanelProducts {
  const HostKernels<T>& kernels;
  std::int64_t partner;  ///< Values between an entry of L and its partner in Uᵀ.
  bool symmetric;        ///< LdltPivots::symmetric.

  void subtract(std::int32_t m, std::int32_t n, std::int32_t k, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                T* c, std::int64_t ldc, const T* d) const {
    each(n, k, a, lda, b, ldb, c, d, [&](std::int32_t depth, const T* x, const T* y, std::int64_t ldy, T* z) {
      kernels.subtract_product(m, n, depth, x, lda, y, ldy, z, ldc);
    });
  }
  void subtract_lower(std::int32_t m, std::int32_t n, std::int32_t k, const T* a, std::int64_t lda, T* c, std::int64_t ldc,
                      const T* d) const {
    each(n, k, a, lda, a, lda, c, d, [&](std::int32_t depth, const T* x, const T* y, std::int64_t ldy, T* z) {
      kernels.subtract_product_lower(m, n, depth, x, lda, y, ldy, z, ldc);
    });
  }
  void subtract_indexed(std::int32_t m, std::int32_t n, std::int32_t k, const T* a, const T* b, std::int64_t ld, T* c,
                        std::int64_t ldc, const std::int32_t* rows, const std::int32_t* cols, const T* d) const {
    each(n, k, a, ld, b, ld, c, d, [&](std::int32_t depth, const T* x, const T* y, std::int64_t ldy, T* z) {
      kernels.subtract_product_indexed(m, n, depth, x, ld, y, ldy, z, ldc, rows, cols);
    });
  }
  void subtract_lower_indexed(std::int32_t m, std::int32_t n, std::int32_t k, const T* a, std::int64_t lda, T* c,
                              std::int64_t ldc, const std::int32_t* rows, const std::int32_t* cols, const T* d) const {
    each(n, k, a, lda, a, lda, c, d, [&](std::int32_t depth, const T* x, const T* y, std::int64_t ldy, T* z) {
      kernels.subtract_product_lower_indexed(m, n, depth, x, lda, y, ldy, z, ldc, rows, cols);
    });
  }
  /// subtract_lower_indexed for few products. Precondition: the columns lie in the target's first block column.
  void subtract_by_columns(std::int32_t rows, std::int32_t columns, std::int32_t width, const T* a, std::int64_t lda, T* c,
                           std::int64_t ldc, const std::int32_t* relative, const T* d) const {
    each(columns, width, a, lda, a, lda, c, d, [&](std::int32_t depth, const T* x, const T* y, std::int64_t ldy, T* z) {
      gpusupernodal::subtract_by_columns(rows, columns, depth, x, lda, y, ldy, z, ldc, relative);
    });
  }
  /// B := B·L⁻ᵀ for rows `b` below a diagonal block `l`. For LU: L's rows by U⁻¹, and those of Uᵀ by L⁻ᵀ. For LDLᵀ:
  /// B := B·Pᵀ·L⁻ᵀ·D⁻¹.
  void solve_below(std::int32_t m, std::int32_t n, const T* l, std::int64_t ldl, T* b, std::int64_t ldb,
                   const LdltPivots<T>& pivots) const {
    if constexpr (form == Form::lu) {
      kernels.solve_below(m, n, l + partner, ldl, b, ldb);
      kernels.solve_below(m, n, l, ldl, b + partner, ldb);
    } else if constexpr (form == Form::ldlt) {
      exchange_columns(m, n, b, ldb, pivots.exchange);
      solve_below_block(kernels, m, n, l, ldl, b, ldb, pivots);
    } else {
      kernels.solve_below(m, n, l, ldl, b, ldb);
    }
  }

 private:
  /// Calls product(depth, a, b, ldb, c) for a part of the k columns at a time.
  template <class Product>
  void each(std::int32_t n, std::int32_t k, const T* a, std::int64_t lda, const T* b, std::int64_t ldb, T* c, const T* d,
            const Product& product) const {
    if constexpr (form == Form::lu) {
      product(k, a, b + partner, ldb, c);
      product(k, a + partner, b, ldb, c + partner);
    } else if constexpr (form == Form::ldlt) {
      if (!symmetric && are_ones(d, k)) return product(k, a, b, ldb, c);
      const auto part = [&](std::int32_t first, std::int32_t depth, const T* multiplied, std::int64_t ld) {
        product(depth, a + first * lda, multiplied, ld, c);
      };
      if (std::int64_t{n} * k <= few_multiplied) return for_few_multiplied(n, k, b, ldb, d, symmetric, part);
      for_each_multiplied_part(n, k, b, ldb, d, symmetric, part);
    } else {
      product(k, a, b, ldb, c);
    }
  }
};

}  // namespace gpusupernodal
