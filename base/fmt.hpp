#pragma once

/// \file
/// The library fmt. What formats is compiled once, in fmt.cpp, because it takes seconds in each file that compiles it.

#include <fmt/format.h>

// From fmt 11 on this function is declared in other ways.
#if defined(FMT_HEADER_ONLY) && FMT_VERSION < 110000
namespace gpusupernodal {
#if FMT_VERSION < 100000
using FmtArguments = fmt::basic_format_args<fmt::format_context>;
#else
using FmtArguments = fmt::format_args;
#endif
}  // namespace gpusupernodal
#define GPUSUPERNODAL_FMT_ONCE
extern template void fmt::detail::vformat_to<char>(fmt::detail::buffer<char>&, fmt::basic_string_view<char>,
                                                   gpusupernodal::FmtArguments, fmt::detail::locale_ref);
#endif
