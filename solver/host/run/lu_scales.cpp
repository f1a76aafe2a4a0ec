#include "solver/host/run/lu_scales.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpusupernodal/build_config.hpp"

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
void LuScales<T>::put(const Scales& scales) {
  const FactorStructure& structure = *plan_.structure;
  for (NewIndex k : IdRange<NewIndex>(structure.symbolic.order())) {
    const auto i = static_cast<std::size_t>(structure.general->old_row_of_new[k].value);
    const auto j = static_cast<std::size_t>(structure.symbolic.permutation.old_of_new[k].value);
    row_[k.value] = in_range<Real>(scales.row[i]);
    column_[k.value] = in_range<Real>(scales.column[j]);
  }
}

template <class T>
void LuScales<T>::put_analyzed() {
  const FactorStructure& structure = *plan_.structure;
  const GeneralStructure& general = *structure.general;
  for (NewIndex k : IdRange<NewIndex>(structure.symbolic.order())) {
    const auto i = static_cast<std::size_t>(general.old_row_of_new[k].value);
    const auto j = static_cast<std::size_t>(structure.symbolic.permutation.old_of_new[k].value);
    row_[k.value] = in_range<Real>(std::ldexp(1.0, general.row_exponent[i]));
    column_[k.value] = in_range<Real>(std::ldexp(1.0, general.column_exponent[j]));
  }
}

/// Calls see(e, magnitude) for each scaled entry e, and stores all of them.
template <class T>
template <class See>
void LuScales<T>::for_each_scaled(const FactorInput<T>& input, T* scaled, const See& see) const {
  const AssemblyMap& map = plan_.structure->assembly;
  for (std::size_t e = 0; e < map.source.size(); ++e) {
    const T entry =
        scaled_entry<T>(row_[map.row[e].value], input.scale * input.values[map.source[e]], column_[map.column[e].value]);
    if (scaled != nullptr) scaled[e] = entry;
    see(e, static_cast<double>(ScalarTraits<T>::abs(entry)));
  }
}

template <class T>
void LuScales<T>::find_largest(const FactorInput<T>& input, T* scaled) {
  double largest = 0.0;
  for_each_scaled(input, scaled, [&largest](std::size_t, double magnitude) {
    if (magnitude > largest && std::isfinite(magnitude)) largest = magnitude;
  });
  largest_entry_ = largest;
}

/// The largest magnitudes of rows and columns must be near 1. An infinite one is not, so scaled entries do not overflow.
template <class T>
bool LuScales<T>::is_equilibrated(const FactorInput<T>& input, Scales& workspace, T* scaled) {
  constexpr double furthest = 16.0;  // An equilibration leaves magnitudes between 1/6 and 3.
  const AssemblyMap& map = plan_.structure->assembly;
  std::fill(workspace.row.begin(), workspace.row.end(), 0.0);
  std::fill(workspace.column.begin(), workspace.column.end(), 0.0);
  for_each_scaled(input, scaled, [&](std::size_t e, double magnitude) {
    double& of_row = workspace.row[static_cast<std::size_t>(map.row[e].value)];
    double& of_column = workspace.column[static_cast<std::size_t>(map.column[e].value)];
    of_row = std::max(of_row, magnitude);  // NaN is left out.
    of_column = std::max(of_column, magnitude);
  });
  const auto is_far = [](double largest) { return largest > furthest || (largest < 1.0 / furthest && largest > 0.0); };
  bool near = true;
  bool has_zeros = false;
  largest_entry_ = 0.0;
  for (std::size_t k = 0; k < workspace.row.size(); ++k) {
    near = near && !is_far(workspace.row[k]) && !is_far(workspace.column[k]);
    has_zeros = has_zeros || workspace.row[k] == 0.0 || workspace.column[k] == 0.0;
    largest_entry_ = std::max(largest_entry_, workspace.row[k]);
  }
  return near && !(has_zeros && has_underflow(input));
}

/// Whether an entry that is not zero becomes zero.
template <class T>
bool LuScales<T>::has_underflow(const FactorInput<T>& input) const {
  bool found = false;
  for_each_scaled(input, nullptr, [&](std::size_t e, double magnitude) {
    found = found || (magnitude == 0.0 && input.values[plan_.structure->assembly.source[e]] != T(0));
  });
  return found;
}

/// With scales that do not suit the values, one large entry makes all pivots small beside it, or entries leave the range of
/// T.
template <class T>
bool LuScales<T>::analyzed_suit(const FactorInput<T>& input, Scales& workspace, T* scaled) {
  constexpr double suitable = 1024.0;  // The matching's scales give at most 2 for its own values.
  if (plan_.structure->general->matching.row_scale.empty()) return is_equilibrated(input, workspace, scaled);
  double largest = 0.0;
  for_each_scaled(input, scaled, [&largest](std::size_t, double magnitude) {
    if (magnitude > largest) [[unlikely]]
      largest = magnitude;
  });
  largest_entry_ = largest;
  return largest <= suitable && !(largest == 0.0 && has_underflow(input));
}

template <class T>
void LuScales<T>::set(const FactorInput<T>& input, Scales& workspace, T* scaled) {
  const GeneralStructure& general = *plan_.structure->general;
  if (!general.row_exponent.empty()) {
    if (!holds_analyzed_) put_analyzed();
    holds_analyzed_ = analyzed_suit(input, workspace, scaled);
    if (holds_analyzed_) return;
  }
  equilibrate(general.entries, input.values, workspace);
  put(workspace);
  find_largest(input, scaled);
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class LuScales<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
