#include "solver/host/run/host_operator.hpp"

#include <algorithm>
#include <cmath>

#include "gpusupernodal/build_config.hpp"
#include "solver/host/run/assembled_entry.hpp"
#include "solver/host/run/host_vectors.hpp"

namespace gpusupernodal {
namespace {

/// `entry`, or its real part: imaginary parts on the diagonal of a Hermitian matrix are ignored, as the factor does.
template <class Wide>
Wide real_part_if([[maybe_unused]] bool is_real, Wide entry) {
  if constexpr (ScalarTraits<Wide>::is_complex) {
    if (is_real) return entry.real();
  }
  return entry;
}

}  // namespace

template <class S>
HostOperator<S>::HostOperator(std::shared_ptr<const HostPlan> plan, bool symmetric,
                              const std::shared_ptr<Allocator>& allocator)
    : plan_(std::move(plan)),
      symmetric_(symmetric),
      sums_(allocator, plan_->structure->symbolic.order(), "the residual"),
      ordered_(allocator, plan_->structure->general ? 0 : 2 * std::int64_t{plan_->structure->symbolic.order()}, "a product"),
      row_norms_(allocator, plan_->structure->symbolic.order(), "the norms of A's rows") {}

template <class S>
void HostOperator<S>::set_values(const FactorInput<S>& input) {
  std::copy(input.values, input.values + system_->a.size(), system_->a.data());
  system_->norm.reset();
  system_->transposed_norm.reset();
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
    const std::int32_t i = old_of_new[map.row[e]].value;
    const std::int32_t j = old_of_new[map.column[e]].value;
    const Wide a = scale * static_cast<Wide>(entry_of_l(*plan_, map, values, e, symmetric_));
    visit(i, j, real_part_if(i == j && !symmetric_, a));
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

/// sums −= A x, or with the conjugate of A, for a shift of zero. In elimination order, entries need no permutation.
template <class S>
void HostOperator<S>::subtract_symmetric_product(const S* x, bool conjugated) {
  const AssemblyMap& map = plan_->structure->assembly;
  const auto& old_of_new = plan_->structure->symbolic.permutation.old_of_new;
  const std::int64_t n = plan_->structure->symbolic.order();
  const S* const values = system_->a.data();
  Wide* const in = ordered_.data();
  Wide* const out = in + n;
  for (NewIndex k : IdRange<NewIndex>(n)) in[k.value] = static_cast<Wide>(x[old_of_new[k].value]);
  std::fill_n(out, n, Wide(0));
  for (std::size_t e = 0; e < map.source.size(); ++e) {
    const std::int32_t i = map.row[e].value;
    const std::int32_t j = map.column[e].value;
    Wide a = system_->scale * static_cast<Wide>(entry_of_l(*plan_, map, values, e, symmetric_));
    a = real_part_if(i == j && !symmetric_, conjugated ? ScalarTraits<Wide>::conjugate(a) : a);
    const Wide mirrored = i == j ? Wide(0) : symmetric_ ? a : ScalarTraits<Wide>::conjugate(a);
    const Wide x_i = in[i];
    out[i] += a * in[j];
    out[j] += mirrored * x_i;
  }
  for (NewIndex k : IdRange<NewIndex>(n)) sums_[old_of_new[k].value] -= out[k.value];
}

/// The largest absolute row sum of a symmetric or Hermitian A, for a shift of zero.
template <class S>
double HostOperator<S>::norm_of_symmetric() {
  if (system_->norm) return *system_->norm;
  const AssemblyMap& map = plan_->structure->assembly;
  const std::int64_t n = plan_->structure->symbolic.order();
  std::fill_n(row_norms_.data(), n, 0.0);
  for (std::size_t e = 0; e < map.source.size(); ++e) {
    const std::int32_t i = map.row[e].value;
    const std::int32_t j = map.column[e].value;
    const Wide a = system_->scale * static_cast<Wide>(entry_of_l(*plan_, map, system_->a.data(), e, symmetric_));
    const double magnitude = std::abs(real_part_if(i == j && !symmetric_, a));
    row_norms_[i] += magnitude;
    row_norms_[j] += i == j ? 0.0 : magnitude;
  }
  system_->norm = largest_magnitude(row_norms_.data(), n);
  return *system_->norm;
}

/// sums −= op(A) x for a general matrix A. Entries of a column are added in the order of its rows, so the sums do not depend
/// on how the caller stored them.
template <class S>
template <bool transposed>
void HostOperator<S>::subtract_general_product(const S* x, bool conjugated) {
  const ColumnEntries& entries = plan_->structure->general->entries;
  const S* const values = system_->a.data();
  const double scale = system_->scale;
  for (std::int32_t j = 0; j < entries.n; ++j) {
    const auto end = static_cast<std::size_t>(entries.offsets[static_cast<std::size_t>(j) + 1]);
    const auto x_j = static_cast<Wide>(x[j]);
    Wide sum_j = sums_[j];
    for (auto e = static_cast<std::size_t>(entries.offsets[static_cast<std::size_t>(j)]); e < end; ++e) {
      Wide a = scale * static_cast<Wide>(values[entries.entry[e]]);
      if (conjugated) a = ScalarTraits<Wide>::conjugate(a);
      if constexpr (transposed) {
        sum_j -= a * static_cast<Wide>(x[entries.rows[e]]);
      } else {
        sums_[entries.rows[e]] -= a * x_j;
      }
    }
    if constexpr (transposed) sums_[j] = sum_j;
  }
}

/// The largest absolute row sum of a general A, or of its transpose. Computed at the first residual with new values.
template <class S>
double HostOperator<S>::norm_of_general(bool transposed) {
  std::optional<double>& norm = transposed ? system_->transposed_norm : system_->norm;
  if (norm) return *norm;
  const ColumnEntries& entries = plan_->structure->general->entries;
  std::fill(row_norms_.data(), row_norms_.data() + entries.n, 0.0);
  for (std::int32_t j = 0; j < entries.n; ++j) {
    const auto end = static_cast<std::size_t>(entries.offsets[static_cast<std::size_t>(j) + 1]);
    for (auto e = static_cast<std::size_t>(entries.offsets[static_cast<std::size_t>(j)]); e < end; ++e) {
      const Wide entry = system_->scale * static_cast<Wide>(values()[entries.entry[e]]);
      row_norms_[transposed ? j : entries.rows[e]] += std::abs(entry);
    }
  }
  norm = largest_magnitude(row_norms_.data(), entries.n);
  return *norm;
}

template <class S>
void HostOperator<S>::subtract_product(const S* x, Orientation orientation) {
  if (plan_->structure->general) {
    return orientation.transposed ? subtract_general_product<true>(x, orientation.conjugated)
                                  : subtract_general_product<false>(x, orientation.conjugated);
  }
  const bool conjugated = symmetric_ ? orientation.conjugated : orientation.transposed != orientation.conjugated;
  if (!is_shifted()) return subtract_symmetric_product(x, conjugated);
  subtract_diagonal(x, conjugated);
  subtract_off_diagonal(x, conjugated);
}

/// ‖op(A)‖∞. With a shift, the product that came before has found the row sums.
template <class S>
double HostOperator<S>::norm(Orientation orientation) {
  if (plan_->structure->general) return norm_of_general(orientation.transposed);
  return is_shifted() ? largest_magnitude(row_norms_.data(), plan_->structure->symbolic.order()) : norm_of_symmetric();
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
  norms.a = norm(orientation);
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

#define GPUSUPERNODAL_INSTANTIATE(T) template class HostOperator<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
