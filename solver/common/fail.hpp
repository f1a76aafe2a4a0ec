#pragma once

/// \file
/// fail<E>("… {} …", values…): throws a typed error with a formatted sentence and the source location.

#include <string>
#include <string_view>
#include <type_traits>

#include "solver/common/format.hpp"

namespace gpusupernodal {

/// Formats like fmt::format, but is compiled once instead of at every call of fail().
std::string format_sentence(std::string_view format, fmt::format_args values);

/// A format string checked at compile time, with its source location. `std::source_location` would do, but clang 14, whose
/// clang-tidy checks this code, lacks it.
template <class... Args>
struct LocatedFormat {
  fmt::format_string<Args...> text;
  const char* file;
  int line;

  template <class Text>
  GPUSUPERNODAL_CONSTEVAL LocatedFormat(const Text& t, const char* f = __builtin_FILE(), int l = __builtin_LINE())
      : text(t), file(f), line(l) {}
};

/// A non-deduced context: the arguments alone determine `Args`.
template <class... Args>
using located_format = LocatedFormat<std::type_identity_t<Args>...>;

/// Throws E(sentence, file, line). E is an exception type of error.hpp with a constructor of these three arguments.
template <class E, class... Args>
[[noreturn]] void fail(located_format<Args...> format, Args&&... args) {
  throw E(format_sentence(format_text(format.text), fmt::make_format_args(args...)), format.file, format.line);
}

}  // namespace gpusupernodal
