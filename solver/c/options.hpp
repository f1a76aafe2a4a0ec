#pragma once

/// \file
/// Options by name and text: names are those of the C++ fields, values those of names.hpp, numbers, true and false.

#include <string>
#include <string_view>

#include "gpusupernodal/options.hpp"

namespace gpusupernodal::c {

/// Throws InvalidInput for a name that is none and a text that is no value of it; ranges are the solver's matter.
void set_option(Options& options, std::string_view name, std::string_view value);
/// As set_option takes it. Throws InvalidInput for a name that is none.
std::string option_text(const Options& options, std::string_view name);
/// From 0 on; null after the last.
const char* option_name(int i);

}  // namespace gpusupernodal::c
