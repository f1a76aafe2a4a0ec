#pragma once

/// \file
/// Options by name and text: names are those of the C++ fields, values those of names.hpp, numbers, true and false.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpusupernodal/options.hpp"

namespace gpusupernodal::c {

/// Throws InvalidInput for a name that is none and a text that is no value of it; ranges are the solver's matter.
void set_option(Options& options, std::string_view name, std::string_view value);
/// Options::last_rows of groups that lie one behind the other. Throws InvalidInput for a number of groups or of rows
/// that no matrix has, and for a null pointer.
std::vector<std::vector<std::int64_t>> row_groups(const std::int64_t* rows, const std::int64_t* sizes, std::int64_t groups);
/// As set_option takes it. Throws InvalidInput for a name that is none.
std::string option_text(const Options& options, std::string_view name);
/// From 0 on; null after the last.
const char* option_name(int i);

}  // namespace gpusupernodal::c
