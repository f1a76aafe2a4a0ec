#pragma once

/// \file
/// JSON written as text.

#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>

#include "solver/common/format.hpp"

namespace gpusupernodal {

/// Writes members one after the other, indented by 2. A document of a library would allocate when it is destroyed, and end
/// the program where memory is at its end; text does not.
class JsonText {
 public:
  /// Begins an object or, with '[', an array: the outermost, or one that is the member `key` (empty in an array).
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
  /// Quotes and backslashes are escaped; `value` has no control characters.
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
