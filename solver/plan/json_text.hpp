#pragma once

/// \file
/// A writer of JSON text.

#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>

#include "solver/common/format.hpp"

namespace gpusupernodal {

/// Writes members in sequence, indented by 2. Unlike a library's document type, whose destructor may allocate and so
/// end the program when memory is exhausted, destroying text is safe.
class JsonText {
 public:
  /// Begins an object or, with '[', an array: the outermost value, or the member `key` (empty in an array).
  void open(std::string_view key, char bracket = '{') {
    begin(key);
    text_ += bracket;
    ++depth_;
    first_ = true;
  }
  void close(char bracket = '}') {
    --depth_;
    if (!first_) new_line();
    text_ += bracket;
    first_ = false;
  }
  template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
  void add(std::string_view key, Number value) {
    begin(key);
    fmt::format_to(std::back_inserter(text_), "{}", value);
  }
  /// Escapes quotes and backslashes. Precondition: `value` has no control characters.
  void add(std::string_view key, std::string_view value) {
    begin(key);
    text_ += '"';
    for (const char c : value) {
      if (c == '"' || c == '\\') text_ += '\\';
      text_ += c;
    }
    text_ += '"';
  }
  const std::string& text() const { return text_; }

 private:
  void begin(std::string_view key) {
    if (!first_) text_ += ',';
    if (depth_ > 0) new_line();
    first_ = false;
    if (!key.empty()) fmt::format_to(std::back_inserter(text_), "\"{}\": ", key);
  }
  void new_line() {
    text_ += '\n';
    text_.append(2 * depth_, ' ');
  }

  std::string text_;
  std::size_t depth_ = 0;
  bool first_ = true;
};

}  // namespace gpusupernodal
