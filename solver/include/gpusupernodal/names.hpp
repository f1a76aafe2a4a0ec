#pragma once

/// \file
/// Names of enumerators, as users type them in options and read them in reports.

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "gpusupernodal/options.hpp"
#include "gpusupernodal/report.hpp"

namespace gpusupernodal {

/// All names of Backend, in the order of its enumerators.
inline constexpr std::array<const char*, 3> backend_names{{"auto", "host", "cuda"}};
/// Of Ordering.
inline constexpr std::array<const char*, 6> ordering_names{{"auto", "nested_dissection", "metis", "amd", "natural", "user"}};
/// Of Merging.
inline constexpr std::array<const char*, 3> merging_names{{"none", "narrow", "bounded"}};
/// Of CudaSchedule.
inline constexpr std::array<const char*, 2> cuda_schedule_names{{"levels", "streams"}};
/// Of PlanSource.
inline constexpr std::array<const char*, 4> plan_source_names{{"analyzed", "cache", "file", "caller"}};
/// Of Status.
inline constexpr std::array<const char*, 3> status_names{{"success", "not_positive_definite", "non_finite_input"}};

namespace names_detail {

/// The name at the enumerator's place; "unknown" beyond the last.
template <class Enum, std::size_t Count>
constexpr const char* name_of(const std::array<const char*, Count>& names, Enum value) noexcept {
  const auto position = static_cast<std::size_t>(value);
  return position < Count ? names[position] : "unknown";
}

/// The enumerator at the place of `name`; nothing where it is not among the names.
template <class Enum, std::size_t Count>
constexpr std::optional<Enum> value_of(const std::array<const char*, Count>& names, std::string_view name) noexcept {
  for (std::size_t position = 0; position < Count; ++position) {
    if (name == names[position]) return static_cast<Enum>(position);
  }
  return std::nullopt;
}

}  // namespace names_detail

/// The name of an enumerator; "unknown" for a number that is none.
constexpr const char* name_of(Backend value) noexcept { return names_detail::name_of(backend_names, value); }
/// The same for the others.
constexpr const char* name_of(Ordering value) noexcept { return names_detail::name_of(ordering_names, value); }
/// The same for the others.
constexpr const char* name_of(Merging value) noexcept { return names_detail::name_of(merging_names, value); }
/// The same for the others.
constexpr const char* name_of(CudaSchedule value) noexcept { return names_detail::name_of(cuda_schedule_names, value); }
/// The same for the others.
constexpr const char* name_of(PlanSource value) noexcept { return names_detail::name_of(plan_source_names, value); }
/// The same for the others.
constexpr const char* name_of(Status value) noexcept { return names_detail::name_of(status_names, value); }

/// The enumerator that has this name, spelt exactly so; nothing where none has it.
constexpr std::optional<Backend> backend_of(std::string_view name) noexcept {
  return names_detail::value_of<Backend>(backend_names, name);
}
/// The same for the others.
constexpr std::optional<Ordering> ordering_of(std::string_view name) noexcept {
  return names_detail::value_of<Ordering>(ordering_names, name);
}
/// The same for the others.
constexpr std::optional<Merging> merging_of(std::string_view name) noexcept {
  return names_detail::value_of<Merging>(merging_names, name);
}
/// The same for the others.
constexpr std::optional<CudaSchedule> cuda_schedule_of(std::string_view name) noexcept {
  return names_detail::value_of<CudaSchedule>(cuda_schedule_names, name);
}

}  // namespace gpusupernodal
