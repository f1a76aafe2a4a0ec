#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "gpusupernodal/build_config.hpp"
#include "kernels/common/scalar_products.hpp"
#include "solver/iterative/lower_transpose.hpp"
#include "solver/iterative/sparse_inverses.hpp"

namespace gpusupernodal {
namespace {

/// The work of one thread: a row of G at a time.
template <class S>
class RowOfInverse {
  using Traits = ScalarTraits<S>;
  using Wide = typename Traits::Wide;

 public:
  RowOfInverse(const SymmetricRows& pattern, const SparseRows<S>& a) : pattern_(pattern), a_(a) {}

  /// Computes row i. Returns false if its local matrix is singular up to rounding; the row then has a diagonal entry only.
  /// Precondition: all diagonal entries are positive.
  bool compute(std::int32_t i, std::int32_t max_row) {
    choose_columns(i, max_row);
    gather();
    const bool regular = factorize();
    if (regular) {
      solve();
    } else {
      std::fill(values_.begin(), values_.end(), Wide(0));
      values_.back() = 1.0 / std::sqrt(diagonal_of(i));
    }
    return regular;
  }

  const std::vector<std::int32_t>& columns() const { return columns_; }
  const std::vector<Wide>& values() const { return values_; }

 private:
  double diagonal_of(std::int32_t i) const {
    return static_cast<double>(Traits::real(a_.values[static_cast<std::size_t>(pattern_.diagonal(i))]));
  }

  /// All columns of A's row up to the diagonal; of a long row those with the largest |a_ij|²/a_jj, and the diagonal.
  void choose_columns(std::int32_t i, std::int32_t max_row) {
    const auto row = static_cast<std::size_t>(i);
    const auto first = static_cast<std::size_t>(a_.offsets[row]);
    const auto last = static_cast<std::size_t>(pattern_.upper[row]);
    columns_.assign(a_.columns.begin() + static_cast<std::ptrdiff_t>(first),
                    a_.columns.begin() + static_cast<std::ptrdiff_t>(last));
    if (columns_.size() > static_cast<std::size_t>(max_row)) {
      std::vector<std::pair<double, std::int32_t>> weights;
      for (std::size_t e = first; e + 1 < last; ++e) {
        weights.emplace_back(-real_dot(a_.values[e], a_.values[e]) / diagonal_of(a_.columns[e]), a_.columns[e]);
      }
      std::nth_element(weights.begin(), weights.begin() + (max_row - 1), weights.end());
      columns_.assign(1, i);
      for (std::int32_t k = 0; k + 1 < max_row; ++k) columns_.push_back(weights[static_cast<std::size_t>(k)].second);
      std::sort(columns_.begin(), columns_.end());
    }
    values_.resize(columns_.size());
  }

  Wide& local(std::size_t i, std::size_t j) { return local_[i * columns_.size() + j]; }

  /// The lower triangle of A restricted to the columns, by merging each row of A with them.
  void gather() {
    const std::size_t m = columns_.size();
    local_.assign(m * m, Wide(0));
    for (std::size_t i = 0; i < m; ++i) {
      const auto row = static_cast<std::size_t>(columns_[i]);
      auto e = static_cast<std::size_t>(a_.offsets[row]);
      const auto end = static_cast<std::size_t>(pattern_.upper[row]);
      for (std::size_t j = 0; j <= i && e < end;) {
        const std::int32_t difference = a_.columns[e] - columns_[j];
        if (difference == 0) local(i, j) = widened(a_.values[e]);
        if (difference <= 0) ++e;
        if (difference >= 0) ++j;
      }
    }
  }

  /// Cholesky in place. A pivot within the rounding of its sum, m·eps·a_jj, counts as zero.
  bool factorize() {
    const std::size_t m = columns_.size();
    for (std::size_t j = 0; j < m; ++j) {
      const double before = ScalarTraits<Wide>::real(local(j, j));
      double pivot = before;
      for (std::size_t k = 0; k < j; ++k) pivot -= real_dot(local(j, k), local(j, k));
      if (!(pivot > static_cast<double>(m) * std::numeric_limits<typename Traits::Real>::epsilon() * before)) return false;
      const double root = std::sqrt(pivot);
      local(j, j) = root;
      for (std::size_t i = j + 1; i < m; ++i) {
        Wide sum = local(i, j);
        for (std::size_t k = 0; k < j; ++k) sum -= times(local(i, k), ScalarTraits<Wide>::conjugate(local(j, k)));
        local(i, j) = sum / root;
      }
    }
    return true;
  }

  /// The row solves Lᵀ g = e: A_JJ y = e gives y = L⁻ᴴ e / l with l the last pivot's root, and the row is the conjugate of
  /// y / sqrt(y_m) = L⁻ᴴ e.
  void solve() {
    const std::size_t m = columns_.size();
    std::fill(values_.begin(), values_.end(), Wide(0));
    values_.back() = 1.0;
    for (std::size_t i = m; i-- > 0;) {
      values_[i] /= ScalarTraits<Wide>::real(local(i, i));
      for (std::size_t k = 0; k < i; ++k) values_[k] -= times(local(i, k), values_[i]);
    }
  }

  const SymmetricRows& pattern_;
  const SparseRows<S>& a_;
  std::vector<std::int32_t> columns_;
  std::vector<Wide> values_;
  std::vector<Wide> local_;
};

/// The first row whose diagonal entry is not a positive number, or −1.
template <class S>
BadRow first_bad_diagonal(const SymmetricRows& pattern, const SparseRows<S>& a) {
  for (std::int32_t i = 0; i < pattern.n; ++i) {
    const std::int32_t e = pattern.diagonal(i);
    const auto value = ScalarTraits<S>::real(e < 0 ? S(0) : a.values[static_cast<std::size_t>(e)]);
    if (!(value > 0) || !std::isfinite(value)) return i;
  }
  return -1;
}

}  // namespace

template <class S>
BadRow make_fsai(const SymmetricRows& pattern, const SparseRows<S>& a, ThreadTeam& team, FactorizedInverse<S>& inverse) {
  const BadRow bad = first_bad_diagonal(pattern, a);
  if (bad >= 0) return bad;
  start_lower(pattern, max_fsai_row, inverse.g);
  std::atomic<std::int64_t> plain{0};
  team.for_intervals(pattern.n, 256, [&](std::int64_t begin, std::int64_t end) {
    RowOfInverse<S> row(pattern, a);
    std::int64_t irregular = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      if (!row.compute(static_cast<std::int32_t>(i), max_fsai_row)) ++irregular;
      const auto to = static_cast<std::size_t>(inverse.g.offsets[static_cast<std::size_t>(i)]);
      std::copy(row.columns().begin(), row.columns().end(), inverse.g.columns.begin() + static_cast<std::ptrdiff_t>(to));
      std::transform(row.values().begin(), row.values().end(), inverse.g.values.begin() + static_cast<std::ptrdiff_t>(to),
                     [](typename ScalarTraits<S>::Wide value) { return static_cast<S>(value); });
    }
    plain += irregular;
  });
  inverse.plain_rows = plain;
  transpose_lower(inverse);
  return -1;
}

#define GPUSUPERNODAL_INSTANTIATE(T) \
  template BadRow make_fsai(const SymmetricRows&, const SparseRows<T>&, ThreadTeam&, FactorizedInverse<T>&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
