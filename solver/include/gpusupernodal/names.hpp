#pragma once

/// \file
/// Names of enumerators, as used in options and reports.

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "gpusupernodal/options.hpp"
#include "gpusupernodal/report.hpp"

namespace gpusupernodal {

/// Names of Backend, in the order of its enumerators.
inline constexpr std::array<const char*, 3> backend_names{{"auto", "host", "cuda"}};
/// Names of Form.
inline constexpr std::array<const char*, 3> form_names{{"llt", "lu", "ldlt"}};
/// Names of Symmetry.
inline constexpr std::array<const char*, 2> symmetry_names{{"hermitian", "symmetric"}};
/// Names of MatchingRule.
inline constexpr std::array<const char*, 3> matching_names{{"auto", "product", "none"}};
/// Names of LuSchedule.
inline constexpr std::array<const char*, 4> lu_schedule_names{{"auto", "supernodes", "columns", "dense"}};
/// Names of Repivot.
inline constexpr std::array<const char*, 2> repivot_names{{"auto", "report"}};
/// Names of Ordering.
inline constexpr std::array<const char*, 6> ordering_names{{"auto", "nested_dissection", "metis", "amd", "natural", "user"}};
/// Names of Merging.
inline constexpr std::array<const char*, 3> merging_names{{"none", "narrow", "bounded"}};
/// Names of CudaSchedule.
inline constexpr std::array<const char*, 2> cuda_schedule_names{{"levels", "streams"}};
/// Names of FactorMemory.
inline constexpr std::array<const char*, 3> factor_memory_names{{"auto", "device", "hybrid"}};
/// Names of PlanSource.
inline constexpr std::array<const char*, 4> plan_source_names{{"analyzed", "cache", "file", "caller"}};
/// Names of Status.
inline constexpr std::array<const char*, 5> status_names{
    {"success", "not_positive_definite", "non_finite_input", "singular", "unstable"}};

namespace names_detail {

/// Returns the enumerator's name; "unknown" beyond the last.
template <class Enum, std::size_t Count>
constexpr const char* name_of(const std::array<const char*, Count>& names, Enum value) noexcept {
  const auto position = static_cast<std::size_t>(value);
  return position < Count ? names[position] : "unknown";
}

/// Returns the enumerator called `name`, or nothing.
template <class Enum, std::size_t Count>
constexpr std::optional<Enum> value_of(const std::array<const char*, Count>& names, std::string_view name) noexcept {
  for (std::size_t position = 0; position < Count; ++position) {
    if (name == names[position]) return static_cast<Enum>(position);
  }
  return std::nullopt;
}

}  // namespace names_detail

/// Returns the name of a backend; "unknown" for a number outside the enumeration.
constexpr const char* name_of(Backend value) noexcept { return names_detail::name_of(backend_names, value); }
/// Returns the name of a form; "unknown" for a number outside the enumeration.
constexpr const char* name_of(Form value) noexcept { return names_detail::name_of(form_names, value); }
/// Returns the name of a symmetry; "unknown" for a number outside the enumeration.
constexpr const char* name_of(Symmetry value) noexcept { return names_detail::name_of(symmetry_names, value); }
/// Returns the name of a matching rule; "unknown" for a number outside the enumeration.
constexpr const char* name_of(MatchingRule value) noexcept { return names_detail::name_of(matching_names, value); }
/// Returns the name of a schedule of LU; "unknown" for a number outside the enumeration.
constexpr const char* name_of(LuSchedule value) noexcept { return names_detail::name_of(lu_schedule_names, value); }
/// Returns the name of a rule for unstable factorizations; "unknown" for a number outside the enumeration.
constexpr const char* name_of(Repivot value) noexcept { return names_detail::name_of(repivot_names, value); }
/// Returns the name of an ordering; "unknown" for a number outside the enumeration.
constexpr const char* name_of(Ordering value) noexcept { return names_detail::name_of(ordering_names, value); }
/// Returns the name of a merging rule; "unknown" for a number outside the enumeration.
constexpr const char* name_of(Merging value) noexcept { return names_detail::name_of(merging_names, value); }
/// Returns the name of a CUDA schedule; "unknown" for a number outside the enumeration.
constexpr const char* name_of(CudaSchedule value) noexcept { return names_detail::name_of(cuda_schedule_names, value); }
/// Returns the name of a place of the factor; "unknown" for a number outside the enumeration.
constexpr const char* name_of(FactorMemory value) noexcept { return names_detail::name_of(factor_memory_names, value); }
/// Returns the name of a plan source; "unknown" for a number outside the enumeration.
constexpr const char* name_of(PlanSource value) noexcept { return names_detail::name_of(plan_source_names, value); }
/// Returns the name of a status; "unknown" for a number outside the enumeration.
constexpr const char* name_of(Status value) noexcept { return names_detail::name_of(status_names, value); }

/// Returns the backend with exactly this name, or nothing.
constexpr std::optional<Backend> backend_of(std::string_view name) noexcept {
  return names_detail::value_of<Backend>(backend_names, name);
}
/// Returns the form with exactly this name, or nothing.
constexpr std::optional<Form> form_of(std::string_view name) noexcept {
  return names_detail::value_of<Form>(form_names, name);
}
/// Returns the symmetry with exactly this name, or nothing.
constexpr std::optional<Symmetry> symmetry_of(std::string_view name) noexcept {
  return names_detail::value_of<Symmetry>(symmetry_names, name);
}
/// Returns the matching rule with exactly this name, or nothing.
constexpr std::optional<MatchingRule> matching_rule_of(std::string_view name) noexcept {
  return names_detail::value_of<MatchingRule>(matching_names, name);
}
/// Returns the schedule of LU with exactly this name, or nothing.
constexpr std::optional<LuSchedule> lu_schedule_of(std::string_view name) noexcept {
  return names_detail::value_of<LuSchedule>(lu_schedule_names, name);
}
/// Returns the rule for unstable factorizations with exactly this name, or nothing.
constexpr std::optional<Repivot> repivot_of(std::string_view name) noexcept {
  return names_detail::value_of<Repivot>(repivot_names, name);
}
/// Returns the ordering with exactly this name, or nothing.
constexpr std::optional<Ordering> ordering_of(std::string_view name) noexcept {
  return names_detail::value_of<Ordering>(ordering_names, name);
}
/// Returns the merging rule with exactly this name, or nothing.
constexpr std::optional<Merging> merging_of(std::string_view name) noexcept {
  return names_detail::value_of<Merging>(merging_names, name);
}
/// Returns the CUDA schedule with exactly this name, or nothing.
constexpr std::optional<CudaSchedule> cuda_schedule_of(std::string_view name) noexcept {
  return names_detail::value_of<CudaSchedule>(cuda_schedule_names, name);
}
/// Returns the place of the factor called `name`, or nothing.
constexpr std::optional<FactorMemory> factor_memory_of(std::string_view name) noexcept {
  return names_detail::value_of<FactorMemory>(factor_memory_names, name);
}

}  // namespace gpusupernodal
