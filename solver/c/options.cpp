#include "solver/c/options.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/names.hpp"
#include "solver/c/handle.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal::c {
namespace {

/// Calls visit(name, field) for every option that can be given by name and text.
template <class OptionsType, class Visit,
          std::enable_if_t<std::is_same_v<std::remove_const_t<OptionsType>, PcgOptions>, int> = 0>
void for_each_option(OptionsType& o, const Visit& visit) {
  visit("tolerance", o.tolerance);
  visit("absolute_tolerance", o.absolute_tolerance);
  visit("max_iterations", o.max_iterations);
  visit("preconditioner", o.preconditioner);
  visit("block_size", o.block_size);
  visit("factor_precision", o.factor_precision);
  visit("renewal", o.renewal);
  visit("renewal_iterations", o.renewal_iterations);
  visit("backend", o.backend);
  visit("threads", o.threads);
  visit("device", o.device);
}
template <class OptionsType, class Visit,
          std::enable_if_t<std::is_same_v<std::remove_const_t<OptionsType>, SystemOptions>, int> = 0>
void for_each_option(OptionsType& o, const Visit& visit) {
  visit("method", o.method);
  visit("expected_solves", o.expected_solves);
  visit("expected_factorizations", o.expected_factorizations);
  visit("tolerance", o.tolerance);
  visit("absolute_tolerance", o.absolute_tolerance);
  visit("max_iterations", o.max_iterations);
  visit("preconditioner", o.preconditioner);
  visit("ordering", o.ordering);
  visit("backend", o.backend);
  visit("threads", o.threads);
  visit("device", o.device);
}
template <class Visit>
void for_each_option(OperatorOptions& o, const Visit& visit) {
  visit("backend", o.backend);
  visit("format", o.format);
  visit("tuning", o.tuning);
  visit("symmetry", o.symmetry);
  visit("transposed", o.transposed);
  visit("threads", o.threads);
  visit("device", o.device);
}
template <class Visit>
void for_each_option(ProductOptions& o, const Visit& visit) {
  visit("backend", o.backend);
  visit("threads", o.threads);
  visit("device", o.device);
}
template <class OptionsType, class Visit,
          std::enable_if_t<std::is_same_v<std::remove_const_t<OptionsType>, Options>, int> = 0>
void for_each_option(OptionsType& o, const Visit& visit) {
  visit("backend", o.backend);
  visit("form", o.form);
  visit("symmetry", o.symmetry);
  visit("matching", o.matching);
  visit("lu_schedule", o.lu_schedule);
  visit("repivot", o.repivot);
  visit("perturbation", o.perturbation);
  visit("ordering", o.ordering);
  visit("ordering_seed", o.ordering_seed);
  visit("expected_factorizations", o.expected_factorizations);
  visit("plan_cache", o.plan_cache);
  visit("merging", o.merging);
  visit("merge_width", o.merge_width);
  visit("block_width", o.block_width);
  visit("threads", o.threads);
  visit("device", o.device);
  visit("devices", o.devices);
  visit("memory", o.memory);
  visit("device_memory_limit", o.device_memory_limit);
  visit("streams", o.streams);
  visit("device_profile", o.device_profile);
  visit("cuda_schedule", o.cuda_schedule);
  visit("refinement.max_steps", o.refinement.max_steps);
  visit("refinement.backward_error", o.refinement.backward_error);
  visit("check_finite", o.check_finite);
  visit("deterministic", o.deterministic);
  visit("check_right_hand_sides", o.check_right_hand_sides);
  visit("trace", o.trace);
}

std::optional<Backend> value_of(std::string_view text, const Backend&) { return backend_of(text); }
std::optional<Form> value_of(std::string_view text, const Form&) { return form_of(text); }
std::optional<Symmetry> value_of(std::string_view text, const Symmetry&) { return symmetry_of(text); }
std::optional<MatchingRule> value_of(std::string_view text, const MatchingRule&) { return matching_rule_of(text); }
std::optional<LuSchedule> value_of(std::string_view text, const LuSchedule&) { return lu_schedule_of(text); }
std::optional<Repivot> value_of(std::string_view text, const Repivot&) { return repivot_of(text); }
std::optional<Ordering> value_of(std::string_view text, const Ordering&) { return ordering_of(text); }
std::optional<Merging> value_of(std::string_view text, const Merging&) { return merging_of(text); }
std::optional<CudaSchedule> value_of(std::string_view text, const CudaSchedule&) { return cuda_schedule_of(text); }
std::optional<FactorMemory> value_of(std::string_view text, const FactorMemory&) { return factor_memory_of(text); }
std::optional<Preconditioner> value_of(std::string_view text, const Preconditioner&) { return preconditioner_of(text); }
std::optional<Renewal> value_of(std::string_view text, const Renewal&) { return renewal_of(text); }
std::optional<FactorPrecision> value_of(std::string_view text, const FactorPrecision&) { return factor_precision_of(text); }
std::optional<Method> value_of(std::string_view text, const Method&) { return method_of(text); }
std::optional<Format> value_of(std::string_view text, const Format&) { return format_of(text); }
std::optional<Tuning> value_of(std::string_view text, const Tuning&) { return tuning_of(text); }
std::optional<std::string> value_of(std::string_view text, const std::string&) { return std::string(text); }
std::optional<bool> value_of(std::string_view text, const bool&) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return std::nullopt;
}
template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
std::optional<Number> value_of(std::string_view text, const Number&) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Numbers separated by commas; none in an empty text.
std::optional<std::vector<int>> value_of(std::string_view text, const std::vector<int>&) {
  std::vector<int> numbers;
  if (text.empty()) return numbers;
  for (;;) {
    const std::string_view first = text.substr(0, text.find(','));
    const auto number = value_of(first, int());
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    if (first.size() == text.size()) return numbers;
    text.remove_prefix(first.size() + 1);
  }
}

template <std::size_t Count>
std::string joined(const std::array<const char*, Count>& names) {
  std::string all;
  for (const char* name : names) all.append(all.empty() ? "" : ", ").append(name);
  return all;
}

template <class Field>
std::string allowed(const Field&) {
  if constexpr (std::is_same_v<Field, std::string>) return "a text";
  if constexpr (std::is_same_v<Field, bool>) return "true or false";
  if constexpr (std::is_same_v<Field, std::vector<int>>) return "device numbers separated by commas, as in 0,1, or empty";
  if constexpr (std::is_integral_v<Field>) return "a whole number in the range of its type";
  if constexpr (std::is_floating_point_v<Field>) return "a number";
  if constexpr (std::is_same_v<Field, Backend>) return joined(backend_names);
  if constexpr (std::is_same_v<Field, Form>) return joined(form_names);
  if constexpr (std::is_same_v<Field, Symmetry>) return joined(symmetry_names);
  if constexpr (std::is_same_v<Field, MatchingRule>) return joined(matching_names);
  if constexpr (std::is_same_v<Field, LuSchedule>) return joined(lu_schedule_names);
  if constexpr (std::is_same_v<Field, Repivot>) return joined(repivot_names);
  if constexpr (std::is_same_v<Field, Ordering>) return joined(ordering_names);
  if constexpr (std::is_same_v<Field, Merging>) return joined(merging_names);
  if constexpr (std::is_same_v<Field, CudaSchedule>) return joined(cuda_schedule_names);
  if constexpr (std::is_same_v<Field, FactorMemory>) return joined(factor_memory_names);
  if constexpr (std::is_same_v<Field, Preconditioner>) return joined(preconditioner_names);
  if constexpr (std::is_same_v<Field, Renewal>) return joined(renewal_names);
  if constexpr (std::is_same_v<Field, FactorPrecision>) return joined(factor_precision_names);
  if constexpr (std::is_same_v<Field, Method>) return joined(method_names);
  if constexpr (std::is_same_v<Field, Format>) return joined(format_names);
  if constexpr (std::is_same_v<Field, Tuning>) return joined(tuning_names);
}

std::string text_of(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text.append(text.empty() ? "" : ",").append(std::to_string(number));
  return text;
}
template <class Field>
std::string text_of(const Field& value) {
  if constexpr (std::is_enum_v<Field>) return name_of(value);
  if constexpr (!std::is_enum_v<Field>) return fmt::format("{}", value);
}

/// Calls visit(field) for the option `name`; throws InvalidInput for an unknown name.
template <class OptionsType, class Visit>
void with_option(OptionsType& options, std::string_view name, const Visit& visit) {
  bool found = false;
  std::string names;
  for_each_option(options, [&](const char* candidate, auto& field) {
    names.append(names.empty() ? "" : ", ").append(candidate);
    if (name != candidate) return;
    found = true;
    visit(field);
  });
  if (!found) fail<InvalidInput>("there is no option '{}' that takes a text; the options are {}", name, names);
}

}  // namespace

template <class OptionsType>
void set_option(OptionsType& options, std::string_view name, std::string_view value) {
  with_option(options, name, [&](auto& field) {
    const auto wanted = value_of(value, field);
    if (!wanted) fail<InvalidInput>("the option {} cannot be '{}'; it may be {}", name, value, allowed(field));
    field = *wanted;
  });
}

std::vector<std::vector<std::int64_t>> row_groups(const std::int64_t* rows, const std::int64_t* sizes, std::int64_t groups) {
  std::vector<std::vector<std::int64_t>> lists;
  require_count(groups, "the list of groups");
  if (groups > 0 && sizes == nullptr) fail_null("the sizes of groups");
  std::int64_t left = max_rows;
  for (std::int64_t g = 0; g < groups; ++g) {
    if (sizes[g] < 0 || sizes[g] > left)
      fail<InvalidInput>("the size of group {} is {}; it must be 0 to {}", g, sizes[g], left);
    left -= sizes[g];
    if (sizes[g] > 0 && rows == nullptr) fail_null("the rows of groups");
    lists.emplace_back(rows, rows + sizes[g]);
    rows += sizes[g];
  }
  return lists;
}

template <class OptionsType>
std::string option_text(const OptionsType& options, std::string_view name) {
  std::string text;
  with_option(options, name, [&](const auto& field) { text = text_of(field); });
  return text;
}

template <class OptionsType>
const char* option_name(int i) {
  const char* found = nullptr;
  OptionsType none;
  for_each_option(none, [&](const char* name, const auto&) {
    if (i-- == 0) found = name;
  });
  return found;
}

template void set_option(Options&, std::string_view, std::string_view);
template void set_option(PcgOptions&, std::string_view, std::string_view);
template void set_option(SystemOptions&, std::string_view, std::string_view);
template void set_option(OperatorOptions&, std::string_view, std::string_view);
template void set_option(ProductOptions&, std::string_view, std::string_view);
template std::string option_text(const Options&, std::string_view);
template std::string option_text(const PcgOptions&, std::string_view);
template std::string option_text(const SystemOptions&, std::string_view);
template const char* option_name<Options>(int);
template const char* option_name<PcgOptions>(int);
template const char* option_name<SystemOptions>(int);

}  // namespace gpusupernodal::c
