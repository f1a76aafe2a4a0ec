#pragma once

/// \file
/// Formatting of text: std::format if the standard library has it, else the library fmt, on whose interface std::format is
/// based. Code uses the functions that both have, under the name fmt.

#include <string_view>

#if defined(GPUSUPERNODAL_STD_FORMAT)
#include <format>
#define GPUSUPERNODAL_CONSTEVAL consteval
namespace gpusupernodal {
namespace fmt = std;
template <class Format>
constexpr std::string_view format_text(const Format& format) {
  return format.get();
}
}  // namespace gpusupernodal
#else
#include "base/fmt.hpp"
#define GPUSUPERNODAL_CONSTEVAL FMT_CONSTEVAL
namespace gpusupernodal {
inline std::string_view format_text(fmt::string_view format) { return {format.data(), format.size()}; }
}  // namespace gpusupernodal
#endif
