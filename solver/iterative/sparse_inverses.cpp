#include "solver/iterative/sparse_inverses.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "gpusupernodal/build_config.hpp"
#include "kernels/common/scalar_products.hpp"
#include "solver/iterative/lower_transpose.hpp"

namespace gpusupernodal {
namespace {

/// Lowers `bad` to `row`; any thread may call it.
void note_bad(std::atomic<std::int32_t>& bad, std::int32_t row) {
  std::int32_t known = bad.load();
  while ((known < 0 || row < known) && !bad.compare_exchange_weak(known, row)) {
  }
}

bool equal_rows(const SymmetricRows& pattern, std::int32_t one, std::int32_t other) {
  const auto begin = [&](std::int32_t i) { return pattern.columns.begin() + pattern.offsets[static_cast<std::size_t>(i)]; };
  return std::equal(begin(one), begin(one + 1), begin(other), begin(other + 1));
}

bool has_blocks(const SymmetricRows& pattern, int size) {
  if (pattern.n % size != 0) return false;
  for (std::int32_t i = 0; i < pattern.n; ++i) {
    if (i % size != 0 && !equal_rows(pattern, i - i % size, i)) return false;
  }
  return true;
}

/// A block in double precision, and its order.
template <class Wide>
struct Block {
  Wide entry[max_jacobi_block][max_jacobi_block] = {};
  int order = 0;
};

template <class S>
Block<typename ScalarTraits<S>::Wide> block_of(const SparseRows<S>& a, std::int32_t first, int order) {
  Block<typename ScalarTraits<S>::Wide> block;
  block.order = order;
  for (int i = 0; i < order; ++i) {
    const auto row = static_cast<std::size_t>(first + i);
    for (auto e = static_cast<std::size_t>(a.offsets[row]); e < static_cast<std::size_t>(a.offsets[row + 1]); ++e) {
      const std::int32_t j = a.columns[e] - first;
      if (j >= 0 && j < order) block.entry[i][j] = widened(a.values[e]);
    }
  }
  return block;
}

/// Replaces the block by its inverse through Cholesky; returns the first row without positive pivot, or −1.
template <class Wide>
int invert(Block<Wide>& block) {
  using Traits = ScalarTraits<Wide>;
  Wide l[max_jacobi_block][max_jacobi_block] = {};  // L⁻¹ in the end.
  const int m = block.order;
  for (int j = 0; j < m; ++j) {
    double pivot = Traits::real(block.entry[j][j]);
    for (int k = 0; k < j; ++k) pivot -= real_dot(l[j][k], l[j][k]);
    if (!(pivot > 0.0) || !std::isfinite(pivot)) return j;
    const double root = std::sqrt(pivot);
    l[j][j] = root;
    for (int i = j + 1; i < m; ++i) {
      Wide sum = block.entry[i][j];
      for (int k = 0; k < j; ++k) sum -= times(l[i][k], Traits::conjugate(l[j][k]));
      l[i][j] = sum / root;
    }
  }
  for (int c = 0; c < m; ++c) {
    Wide x[max_jacobi_block] = {};
    for (int i = 0; i < m; ++i) {
      Wide sum = i == c ? 1.0 : 0.0;
      for (int k = 0; k < i; ++k) sum -= times(l[i][k], x[k]);
      x[i] = sum / Traits::real(l[i][i]);
    }
    for (int i = m - 1; i >= 0; --i) {
      Wide sum = x[i];
      for (int k = i + 1; k < m; ++k) sum -= times(Traits::conjugate(l[k][i]), x[k]);
      x[i] = sum / Traits::real(l[i][i]);
    }
    for (int i = 0; i < m; ++i) block.entry[i][c] = x[i];
  }
  for (int i = 0; i < m; ++i) {  // Equal bits on both sides of the diagonal.
    for (int j = 0; j < i; ++j) block.entry[j][i] = Traits::conjugate(block.entry[i][j]);
  }
  return -1;
}

}  // namespace

int natural_block(const SymmetricRows& pattern) {
  for (const int size : {6, 5, 4, 3, 2}) {
    if (pattern.n > size && has_blocks(pattern, size)) return size;
  }
  return 4;
}

template <class S>
BadRow invert_blocks(const SymmetricRows& pattern, const SparseRows<S>& a, int block, ThreadTeam& team,
                     RawVector<S>& inverses) {
  inverses.resize(static_cast<std::size_t>(pattern.n) * static_cast<std::size_t>(block));
  std::atomic<std::int32_t> bad{-1};
  const std::int64_t blocks = (std::int64_t{pattern.n} + block - 1) / block;
  team.for_intervals(blocks, 1024, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      const auto first = static_cast<std::int32_t>(k * block);
      auto inverse = block_of(a, first, std::min(block, pattern.n - first));
      const int failed = invert(inverse);
      if (failed >= 0) note_bad(bad, first + failed);
      for (int i = 0; i < inverse.order; ++i) {
        for (int j = 0; j < block; ++j) {
          inverses[static_cast<std::size_t>(first + i) * static_cast<std::size_t>(block) + static_cast<std::size_t>(j)] =
              static_cast<S>(inverse.entry[i][j]);
        }
      }
    }
  });
  return bad;
}

template <class S>
BadRow make_ssor_inverse(const SymmetricRows& pattern, const SparseRows<S>& a, FactorizedInverse<S>& inverse,
                         double& bound) {
  const auto n = static_cast<std::size_t>(pattern.n);
  RawVector<double> root(n);  // D^−½
  for (std::int32_t i = 0; i < pattern.n; ++i) {
    const std::int32_t e = pattern.diagonal(i);
    const double value = e < 0 ? 0.0 : static_cast<double>(ScalarTraits<S>::real(a.values[static_cast<std::size_t>(e)]));
    if (!(value > 0.0) || !std::isfinite(value)) return i;
    root[static_cast<std::size_t>(i)] = 1.0 / std::sqrt(value);
  }
  start_lower(pattern, max_row_of_pattern, inverse.g);
  RawVector<double> column_sums(n);
  std::fill(column_sums.begin(), column_sums.end(), 0.0);
  double largest_row = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    double row_sum = 0.0;
    auto to = static_cast<std::size_t>(inverse.g.offsets[i]);
    for (auto e = static_cast<std::size_t>(a.offsets[i]); e < static_cast<std::size_t>(pattern.upper[i]); ++e, ++to) {
      const auto j = static_cast<std::size_t>(a.columns[e]);
      const auto scaled = widened(a.values[e]) * root[i] * root[j];
      inverse.g.columns[to] = a.columns[e];
      inverse.g.values[to] = static_cast<S>(j == i ? typename ScalarTraits<S>::Wide(root[i]) : -scaled * root[j]);
      if (j == i) continue;
      row_sum += std::abs(scaled);
      column_sums[j] += std::abs(scaled);
    }
    largest_row = std::max(largest_row, row_sum);
  }
  bound = n == 0 ? 0.0 : largest_row * *std::max_element(column_sums.begin(), column_sums.end());
  transpose_lower(inverse);
  return -1;
}

#define GPUSUPERNODAL_INSTANTIATE(T)                                                                          \
  template BadRow invert_blocks(const SymmetricRows&, const SparseRows<T>&, int, ThreadTeam&, RawVector<T>&); \
  template BadRow make_ssor_inverse(const SymmetricRows&, const SparseRows<T>&, FactorizedInverse<T>&, double&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
