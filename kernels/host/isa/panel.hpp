#pragma once

/// \file
/// Factorizes the panel of a narrow supernode in one step: in small matrices, both parts of most panels fit into one
/// register tile.

#include "kernels/host/isa/factor.hpp"

namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE {

template <class T>
std::int32_t factor_panel(std::int32_t m, std::int32_t n, T* a, std::int64_t lda, T* pivot) {
  if (n > 0 && n <= kTileColumns && m <= kTileRows<T>) {
    TileFactor<T> tile;
    factor_any_tile(Operands<T>{0, a, lda, a, lda}, a, lda, m, n, &tile);
    if (tile.failed >= 0) {
      *pivot = tile.pivot;
    }
    return tile.failed;
  }
  const std::int32_t failed = factor_diagonal(n, a, lda, pivot);
  solve_below(m - n, failed < 0 ? n : failed, static_cast<const T*>(a), lda, a + n, lda);
  return failed;
}

}  // namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE
