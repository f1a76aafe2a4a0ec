#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "base/fmt.hpp"

namespace gpusupernodal::cli {
namespace {

Color choice = Color::automatic;  // NOLINT: set once, before other threads exist.

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

void choose(std::string_view value) {
  if (value == "always") choice = Color::always;
  if (value == "never") choice = Color::never;
  if (value == "auto") choice = Color::automatic;
}

/// Parameters of the control sequence that begins the style.
const char* sequence(Style style) {
  switch (style) {
    case Style::label:
      return "1";
    case Style::aside:
      return "2";
    case Style::good:
      return "32";
    case Style::warning:
      return "33";
    case Style::error:
      return "1;31";
  }
  return "0";
}

bool is_colored(std::FILE* stream) {
  if (choice != Color::automatic) return choice == Color::always;
  return is_terminal(stream) && variable("NO_COLOR").empty();
}

}  // namespace

void choose_color(int argc, char** argv) {
  for (int k = 1; k < argc; ++k) {
    const std::string_view word = argv[k];
    if (word == "--color" && k + 1 < argc) choose(argv[k + 1]);
    if (word.substr(0, 8) == "--color=") choose(word.substr(8));
  }
  for (int k = 1; k < argc; ++k) {
    if (std::string_view(argv[k]) == "--json") choice = Color::never;
  }
}

std::string styled(std::FILE* stream, Style style, const std::string& text) {
  return text.empty() || !is_colored(stream) ? text : fmt::format("\033[{}m{}\033[0m", sequence(style), text);
}

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) != 0 && variable("TERM") != "dumb"; }

bool has_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view locale = variable(name);
    if (locale.empty()) continue;  // The first variable that is set decides.
    return locale.find("UTF-8") != std::string_view::npos || locale.find("utf8") != std::string_view::npos;
  }
  return false;
}

int terminal_columns(std::FILE* stream) {
  winsize size{};
  return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace gpusupernodal::cli
