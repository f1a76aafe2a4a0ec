#pragma once

/// \file
/// fail<E>("… {} …", values…): throws a typed error whose sentence has the numbers and which knows its place in the code.

#include <string>
#include <string_view>
#include <type_traits>

#include "solver/common/format.hpp"

namespace gpusupernodal {

/// What fmt::format returns, compiled once instead of wherever something may fail.
std::string format_sentence(std::string_view format, fmt::format_args values);

/// A format checked while compiling, and where it stands. `std::source_location` would say the same, but clang 14,
/// whose clang-tidy reads this code, has none.
template <class... Args>
struct LocatedFormat {
  fmt::format_string<Args...> text;
  const char* file;
  int line;

  template <class Text>
  GPUSUPERNODAL_CONSTEVAL LocatedFormat(const Text& t, const char* f = __builtin_FILE(), int l = __builtin_LINE())
      : text(t), file(f), line(l) {}
};

/// Not deduced from, so that the arguments alone decide the types.
template <class... Args>
using located_format = LocatedFormat<std::type_identity_t<Args>...>;

/// Throws E(sentence, file, line); E is one of the exceptions of error.hpp that take nothing else.
template <class E, class... Args>
[[noreturn]] void fail(located_format<Args...> format, Args&&... args) {
  throw E(format_sentence(text_of(format.text), fmt::make_format_args(args...)), format.file, format.line);
}

}  // namespace gpusupernodal
