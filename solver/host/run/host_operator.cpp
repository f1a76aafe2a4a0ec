#include "solver/host/run/host_operator.hpp"

#include <algorithm>
#include <cmath>

#include "solver/host/run/assembled_entry.hpp"
#include "solver/host/run/host_vectors.hpp"

namespace gpusupernodal {

template <class S>
HostOperator<S>::HostOperator(std::shared_ptr<const HostPlan> plan, bool symmetric,
                              const std::shared_ptr<Allocator>& allocator)
    : plan_(std::move(plan)),
      symmetric_(symmetric),
      sums_(allocator, plan_->structure->symbolic.order(), "the residual"),
      row_norms_(allocator, plan_->structure->symbolic.order(), "the norms of A's rows") {}

template <class S>
void HostOperator<S>::set_values(const FactorInput<S>& input) {
  std::copy(input.values, input.values + system_->a.size(), system_->a.data());
  system_->scale = static_cast<double>(input.scale);
  system_->shift = static_cast<double>(input.shift);
}

/// Calls visit(i, j, scale·a) for each entry of the half of A that is read, in the caller's numbering.
template <class S>
template <class Visit>
void HostOperator<S>::for_each_entry(Visit visit) const {
  const AssemblyMap& map = plan_->structure->assembly;
  const auto& old_of_new = plan_->structure->symbolic.permutation.old_of_new;
  const S* const values = system_->a.data();
  const double scale = system_->scale;
  for (std::size_t e = 0; e < map.source.size(); ++e) {
    visit(old_of_new[map.row[e]].value, old_of_new[map.column[e]].value,
          scale * static_cast<Wide>(entry_of_l(*plan_, values, e, symmetric_)));
  }
}

/// sums −= D x, or with the conjugate of D, and row_norms := |D| for the diagonal D of A, which holds the shift even where A
/// stores no entry.
template <class S>
void HostOperator<S>::subtract_diagonal(const S* x, bool conjugated) {
  constexpr double no_entry = -1.0;
  const std::int64_t n = plan_->structure->symbolic.order();
  std::fill(row_norms_.data(), row_norms_.data() + n, no_entry);
  const auto subtract = [&](std::int64_t i, Wide entry) {
    sums_[i] -= entry * static_cast<Wide>(x[i]);
    row_norms_[i] = std::abs(entry);
  };
  for_each_entry([&](std::int32_t i, std::int32_t j, Wide a) {
    if (i == j) subtract(i, system_->shift + (conjugated ? ScalarTraits<Wide>::conjugate(a) : a));
  });
  for (std::int64_t i = 0; i < n; ++i) {
    if (row_norms_[i] == no_entry) subtract(i, Wide(system_->shift));
  }
}

/// sums −= (A − D) x, or with the conjugate of A, and row_norms += the absolute row sums of A − D.
template <class S>
void HostOperator<S>::subtract_off_diagonal(const S* x, bool conjugated) {
  for_each_entry([&](std::int32_t i, std::int32_t j, Wide a) {
    if (i == j) return;
    if (conjugated) a = ScalarTraits<Wide>::conjugate(a);
    sums_[i] -= a * static_cast<Wide>(x[j]);
    sums_[j] -= (symmetric_ ? a : ScalarTraits<Wide>::conjugate(a)) * static_cast<Wide>(x[i]);
    const double magnitude = std::abs(a);
    row_norms_[i] += magnitude;
    row_norms_[j] += magnitude;
  });
}

/// sums −= op(A) x and row_norms := the absolute row sums of op(A), for a general matrix A. Entries of a column are added in
/// the order of its rows, so the sums do not depend on how the caller stored them.
template <class S>
void HostOperator<S>::subtract_general_product(const S* x, Orientation orientation) {
  const bool transposed = orientation.transposed;
  const ColumnEntries& entries = plan_->structure->general->entries;
  const S* const values = system_->a.data();
  const double scale = system_->scale;
  std::fill(row_norms_.data(), row_norms_.data() + entries.n, 0.0);
  for (std::int32_t j = 0; j < entries.n; ++j) {
    const auto end = static_cast<std::size_t>(entries.offsets[static_cast<std::size_t>(j) + 1]);
    for (auto e = static_cast<std::size_t>(entries.offsets[static_cast<std::size_t>(j)]); e < end; ++e) {
      const Wide entry = scale * static_cast<Wide>(values[entries.entry[e]]);
      const Wide a = orientation.conjugated ? ScalarTraits<Wide>::conjugate(entry) : entry;
      const std::int32_t row = transposed ? j : entries.rows[e];
      sums_[row] -= a * static_cast<Wide>(x[transposed ? entries.rows[e] : j]);
      row_norms_[row] += std::abs(a);
    }
  }
}

template <class S>
void HostOperator<S>::subtract_product(const S* x, Orientation orientation) {
  if (plan_->structure->general) return subtract_general_product(x, orientation);
  const bool conjugated = symmetric_ ? orientation.conjugated : orientation.transposed != orientation.conjugated;
  subtract_diagonal(x, conjugated);
  subtract_off_diagonal(x, conjugated);
}

template <class S>
void HostOperator<S>::apply(const DenseView<const S>& x, const DenseView<S>& y, Orientation orientation) {
  const std::int64_t n = plan_->structure->symbolic.order();
  std::fill(sums_.data(), sums_.data() + n, Wide(0));
  subtract_product(x.data, orientation);
  for (std::int64_t i = 0; i < n; ++i) y.data[i] = static_cast<S>(-sums_[i]);
}

template <class S>
ResidualNorms HostOperator<S>::residual(const DenseView<const S>& b, const DenseView<const S>& x, const DenseView<S>& r,
                                        Orientation orientation) {
  const std::int64_t n = plan_->structure->symbolic.order();
  for (std::int64_t i = 0; i < n; ++i) sums_[i] = static_cast<Wide>(b.data[i]);
  subtract_product(x.data, orientation);
  ResidualNorms norms;
  norms.r = largest_magnitude(sums_.data(), n);
  norms.a = largest_magnitude(row_norms_.data(), n);
  norms.x = largest_magnitude(x.data, n);
  norms.b = largest_magnitude(b.data, n);
  for (std::int64_t i = 0; i < n; ++i) r.data[i] = static_cast<S>(sums_[i]);
  return norms;
}

template <class S>
void HostOperator<S>::apply(const DenseView<const S>& x, const DenseView<S>& y) {
  apply(x, y, {});
}

template <class S>
ResidualNorms HostOperator<S>::residual(const DenseView<const S>& b, const DenseView<const S>& x, const DenseView<S>& r) {
  return residual(b, x, r, {});
}

template class HostOperator<float>;
template class HostOperator<double>;
template class HostOperator<std::complex<float>>;
template class HostOperator<std::complex<double>>;

}  // namespace gpusupernodal
