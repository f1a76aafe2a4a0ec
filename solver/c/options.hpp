#pragma once

/// \file
/// Options by name and text: names are those of the C++ fields; values are the names of names.hpp, numbers, true or
/// false.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpusupernodal/options.hpp"
#include "gpusupernodal/pcg.hpp"
#include "gpusupernodal/sparse_operator.hpp"
#include "gpusupernodal/sparse_product.hpp"
#include "gpusupernodal/system_solver.hpp"

namespace gpusupernodal::c {

/// Throws InvalidInput for an unknown name or a text that does not denote a value of it; the object that takes the options
/// checks ranges. OptionsType is Options, PcgOptions, SystemOptions, OperatorOptions or ProductOptions.
template <class OptionsType>
void set_option(OptionsType& options, std::string_view name, std::string_view value);
/// Options::last_rows from groups stored consecutively in `rows`. Throws InvalidInput for a negative or too large
/// number of groups or rows, and for a null pointer.
std::vector<std::vector<std::int64_t>> row_groups(const std::int64_t* rows, const std::int64_t* sizes, std::int64_t groups);
/// Returns the value as set_option accepts it. Throws InvalidInput for an unknown name. OptionsType is Options, PcgOptions
/// or SystemOptions, here and below.
template <class OptionsType>
std::string option_text(const OptionsType& options, std::string_view name);
/// Returns the name of option `i`, counted from 0; null after the last.
template <class OptionsType>
const char* option_name(int i);

}  // namespace gpusupernodal::c
