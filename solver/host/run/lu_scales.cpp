#include "solver/host/run/lu_scales.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpusupernodal {
namespace {

/// A power of two in the normal range of Real.
template <class Real>
Real in_range(double scale) {
  const double smallest = std::numeric_limits<Real>::min();
  return static_cast<Real>(std::clamp(scale, smallest, 1.0 / smallest));
}

}  // namespace

template <class T>
LuScales<T>::LuScales(const HostPlan& plan, const std::shared_ptr<Allocator>& allocator)
    : plan_(plan),
      row_(allocator, plan.structure->symbolic.order(), "the scales of rows"),
      column_(allocator, plan.structure->symbolic.order(), "the scales of columns") {}

template <class T>
void LuScales<T>::put(const std::vector<double>& row, const std::vector<double>& column) {
  const FactorStructure& structure = *plan_.structure;
  for (NewIndex k : IdRange<NewIndex>(structure.symbolic.order())) {
    const auto i = static_cast<std::size_t>(structure.general->old_row_of_new[k].value);
    const auto j = static_cast<std::size_t>(structure.symbolic.permutation.old_of_new[k].value);
    row_[k.value] = in_range<Real>(row[i]);
    column_[k.value] = in_range<Real>(column[j]);
  }
}

template <class T>
double LuScales<T>::largest_scaled(const FactorInput<T>& input) const {
  const AssemblyMap& map = plan_.structure->assembly;
  Real largest = Real(0);
  for (std::size_t e = 0; e < map.source.size(); ++e) {
    const Real magnitude = std::abs(
        scaled_entry<T>(row_[map.row[e].value], input.scale * input.values[map.source[e]], column_[map.column[e].value]));
    if (magnitude > largest && std::isfinite(magnitude)) largest = magnitude;
  }
  return static_cast<double>(largest);
}

/// The scales of a matching belong to the values that were analyzed. For others, one large entry would make all pivots small
/// beside it.
template <class T>
void LuScales<T>::set(const FactorInput<T>& input, Scales& workspace) {
  constexpr double suitable = 1024.0;  // The matching's scales give at most 2 for its own values.
  const Matching& matching = plan_.structure->general->matching;
  if (!matching.row_scale.empty()) {
    if (!holds_matching_) put(matching.row_scale, matching.column_scale);
    holds_matching_ = true;
    largest_entry_ = largest_scaled(input);
    if (largest_entry_ <= suitable) return;
    holds_matching_ = false;
  }
  equilibrate(plan_.structure->general->entries, input.values, workspace);
  put(workspace.row, workspace.column);
  largest_entry_ = largest_scaled(input);
}

template class LuScales<float>;
template class LuScales<double>;
template class LuScales<std::complex<float>>;
template class LuScales<std::complex<double>>;

}  // namespace gpusupernodal
