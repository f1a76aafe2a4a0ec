#include "solver/host/run/ldlt_data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gpusupernodal/build_config.hpp"
#include "solver/general/binary_logarithm.hpp"
#include "solver/general/powers_of_two.hpp"
#include "solver/host/run/assembled_entry.hpp"
#include "solver/host/run/lu_scales.hpp"

namespace gpusupernodal {
namespace {

constexpr int max_sweeps = 5;
/// Sweeps end when the estimated binary logarithm of each maximum is at most this far from 0.
constexpr double max_distance = 1.0;

}  // namespace

template <class T>
LdltData<T>::LdltData(const HostPlan& plan, bool symmetric, const std::shared_ptr<Allocator>& allocator)
    : plan_(plan),
      symmetric_(symmetric),
      scale_(allocator, plan.structure->symbolic.order(), "the scales of A"),
      d_(allocator, 2 * std::int64_t{plan.structure->symbolic.order()}, "the pivots of LDLT"),
      exchange_(allocator, plan.structure->symbolic.order(), "the exchanges of LDLT"),
      magnitude_(allocator, plan.structure->symbolic.order(), "the magnitudes of pivots"),
      largest_in_l_(allocator, plan.structure->symbolic.order(), "the growth of L") {}

/// Sets workspace.entry and workspace.diagonal. Estimated logarithms are multiples of 1/2, and exact in float.
template <class T>
void LdltData<T>::take_logarithms(const FactorInput<T>& input, LdltWorkspace<T>& workspace) const {
  const AssemblyMap& map = plan_.structure->assembly;
  const double scale = estimated_logarithm(static_cast<double>(input.scale));
  std::fill(workspace.diagonal.begin(), workspace.diagonal.end(), Wide(static_cast<double>(input.shift)));
  for (std::size_t e = 0; e < map.source.size(); ++e) {
    if (map.row[e] != map.column[e]) {
      const auto magnitude = static_cast<double>(ScalarTraits<T>::abs(input.values[map.source[e]]));
      workspace.entry[e] = static_cast<float>(estimated_logarithm(magnitude) + scale);
    } else {
      workspace.entry[e] = static_cast<float>(no_logarithm);
      workspace.diagonal[static_cast<std::size_t>(map.row[e].value)] +=
          static_cast<double>(input.scale) * static_cast<Wide>(entry_of_l(plan_, map, input.values, e, symmetric_));
    }
  }
}

/// One step of the iteration. Returns the largest distance of a maximum from 0 before it.
template <class T>
double LdltData<T>::sweep(LdltWorkspace<T>& workspace) const {
  auto& [entry, logarithm, maximum, diagonal] = workspace;
  const AssemblyMap& map = plan_.structure->assembly;
  for (std::size_t k = 0; k < maximum.size(); ++k)
    maximum[k] = estimated_logarithm(std::abs(diagonal[k])) + 2.0 * logarithm[k];
  for (std::size_t e = 0; e < entry.size(); ++e) {
    const auto i = static_cast<std::size_t>(map.row[e].value);
    const auto j = static_cast<std::size_t>(map.column[e].value);
    const double scaled = static_cast<double>(entry[e]) + logarithm[i] + logarithm[j];
    maximum[i] = std::max(maximum[i], scaled);
    maximum[j] = std::max(maximum[j], scaled);
  }
  double distance = 0.0;
  for (std::size_t k = 0; k < maximum.size(); ++k) {
    if (maximum[k] < no_logarithm / 2) continue;
    logarithm[k] -= maximum[k] / 2;
    distance = std::max(distance, std::abs(maximum[k]));
  }
  return distance;
}

template <class T>
double LdltData<T>::largest_scaled(const FactorInput<T>& input, const std::vector<Wide>& diagonal) const {
  const AssemblyMap& map = plan_.structure->assembly;
  double largest = 0.0;
  const auto note = [&](double magnitude) {
    if (magnitude > largest && std::isfinite(magnitude)) largest = magnitude;
  };
  for (std::size_t k = 0; k < diagonal.size(); ++k) {
    const auto scale = static_cast<double>(scale_[static_cast<std::int64_t>(k)]);
    note(std::abs(scale * diagonal[k] * scale));
  }
  for (std::size_t e = 0; e < map.source.size(); ++e) {
    if (map.row[e] == map.column[e]) continue;
    note(static_cast<double>(std::abs(
        scaled_entry<T>(scale_[map.row[e].value], input.scale * input.values[map.source[e]], scale_[map.column[e].value]))));
  }
  return largest;
}

template <class T>
void LdltData<T>::set(const FactorInput<T>& input, double perturbation, LdltWorkspace<T>& workspace) {
  std::vector<double>& logarithm = workspace.logarithm;
  std::fill(logarithm.begin(), logarithm.end(), 0.0);
  take_logarithms(input, workspace);
  for (int k = 0; k < max_sweeps; ++k) {
    if (sweep(workspace) <= max_distance) break;
  }
  round_to_powers(logarithm);
  constexpr double smallest = std::numeric_limits<Real>::min();
  for (std::size_t k = 0; k < logarithm.size(); ++k)
    scale_[static_cast<std::int64_t>(k)] = static_cast<Real>(std::clamp(logarithm[k], smallest, 1.0 / smallest));
  largest_entry_ = largest_scaled(input, workspace.diagonal);
  const double largest = largest_entry_ > 0.0 ? largest_entry_ : 1.0;
  smallest_allowed_ = std::max(static_cast<Real>(perturbation * largest), std::numeric_limits<Real>::min());
}

template <class T>
LdltRules<T> LdltData<T>::rules() const {
  return {
      scale_.data(), {smallest_allowed_, d_.data(), exchange_.data(), magnitude_.data(), symmetric_}, largest_in_l_.data()};
}

/// The column of P A Pᵀ, before exchanges, whose pivot step k takes. Exchanges stay inside a block.
template <class T>
NewIndex LdltData<T>::column_of_step(std::int32_t k) const {
  std::int32_t column = k + exchange_[k];
  for (std::int32_t j = k - 1; j >= std::max(0, k - max_ldlt_columns); --j) {
    if (column == j + exchange_[j]) column = j;
  }
  return NewIndex(column);
}

/// column_of_step() of every step.
template <class T>
std::vector<NewIndex> LdltData<T>::columns_of_steps() const {
  std::vector<NewIndex> columns(static_cast<std::size_t>(order()));
  for (std::int32_t k = 0; k < order(); ++k) columns[static_cast<std::size_t>(k)] = NewIndex(k);
  for (std::int32_t k = 0; k < order(); ++k)
    std::swap(columns[static_cast<std::size_t>(k)], columns[static_cast<std::size_t>(k + exchange_[k])]);
  return columns;
}

/// A solve makes an error in A of at most about n·eps·|L|·|D|·|Lᵀ| [Higham02, Theorem 11.3], the sum of the products of L's
/// columns with the rows of D·Lᵀ.
template <class T>
void LdltData<T>::describe(FactorOutcome& outcome) const {
  outcome.largest_in_a = largest_entry_;
  outcome.smallest_pivot = std::numeric_limits<double>::infinity();
  double growth = 0.0;
  std::int64_t smallest_at = -1;
  const std::int64_t n = order();
  const auto in_l = [&](std::int64_t k) { return static_cast<double>(largest_in_l_[k]); };
  for (std::int64_t k = 0; k < n; ++k) {
    const auto beside = static_cast<double>(std::abs(d_[2 * k + 1]));
    const double before = k > 0 ? static_cast<double>(std::abs(d_[2 * k - 1])) * in_l(k - 1) : 0.0;
    const double after = beside != 0.0 ? beside * in_l(k + 1) : 0.0;
    growth = std::max(growth, in_l(k) * (static_cast<double>(std::abs(d_[2 * k])) * in_l(k) + before + after));
    const auto magnitude = static_cast<double>(magnitude_[k]);
    if (magnitude < static_cast<double>(smallest_allowed_)) ++outcome.perturbed_pivots;
    outcome.largest_pivot = std::max(outcome.largest_pivot, magnitude);
    if (magnitude < outcome.smallest_pivot) {
      outcome.smallest_pivot = magnitude;
      smallest_at = k;
    }
    if (symmetric_) continue;  // Its eigenvalues have no sign.
    // A pair has a positive and a negative eigenvalue: rook pivoting takes one only where |d₁₁·d₂₂| < |d₂₁|².
    const bool second_of_pair = before != 0.0;
    const bool negative = second_of_pair || (beside == 0.0 && ScalarTraits<T>::real(d_[2 * k]) < 0.0);
    ++(negative ? outcome.inertia.negative : outcome.inertia.positive);
  }
  outcome.growth = largest_entry_ > 0.0 ? growth / largest_entry_ : 0.0;
  if (n == 0) outcome.smallest_pivot = 0.0;
  if (smallest_at >= 0) outcome.smallest_pivot_column = column_of_step(static_cast<std::int32_t>(smallest_at));
}

template <class T>
void LdltData<T>::copy_pivots(Span<T> diagonal, Span<T> beside) const {
  const std::vector<NewIndex> columns = columns_of_steps();
  for (std::int32_t k = 0; k < order(); ++k) {
    const auto position = static_cast<std::size_t>(k);
    const Real scale = scale_[columns[position].value];
    const Real magnitude = magnitude_[k];
    // The diagonal of a single pivot's L need not be 1, so its magnitude tells, not d.
    const bool is_pair = d_[2 * k + 1] != T(0) || (k > 0 && d_[2 * k - 1] != T(0));
    const bool has_real_pivot = !is_pair && !symmetric_;
    const Real sign = ScalarTraits<T>::real(d_[2 * k]) < Real(0) ? Real(-1) : Real(1);
    diagonal[position] = (has_real_pivot ? T(sign * std::max(magnitude, smallest_allowed_)) : d_[2 * k]) / scale / scale;
    beside[position] = T(0);
    if (d_[2 * k + 1] != T(0)) beside[position] = d_[2 * k + 1] / scale / scale_[columns[position + 1].value];
  }
}

template <class T>
std::vector<SmallPivot> LdltData<T>::small_pivots(double magnitude) const {
  std::vector<SmallPivot> result;
  const std::vector<NewIndex> columns = columns_of_steps();
  const double limit = std::min(magnitude, static_cast<double>(smallest_allowed_));
  for (std::int32_t k = 0; k < order(); ++k) {
    if (!(static_cast<double>(magnitude_[k]) <= limit) || magnitude_[k] >= smallest_allowed_) continue;
    result.push_back({columns[static_cast<std::size_t>(k)], ScalarTraits<T>::real(d_[2 * k]) < Real(0)});
  }
  std::sort(result.begin(), result.end(), [](const SmallPivot& a, const SmallPivot& b) { return a.column < b.column; });
  return result;
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class LdltData<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
