#include "cli/command_line_error.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>

#include "base/fmt.hpp"
#include "cli/nearest_name.hpp"
#include "gpusupernodal/error.hpp"

namespace gpusupernodal::cli {
namespace {

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

[[noreturn]] void refuse_unknown_command(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> names = subcommand_names(app);
  const std::string meant = nearest_name(word, names);
  if (meant.empty()) {
    throw InvalidInput(fmt::format("there is no subcommand '{}'; the subcommands are {}.", word, fmt::join(names, ", ")),
                       __FILE__, __LINE__);
  }
  throw InvalidInput(fmt::format("there is no subcommand '{}'; did you mean '{}'?", word, meant), __FILE__, __LINE__);
}

/// Names of the options of a subcommand with their dashes.
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

[[noreturn]] void refuse_unknown_option(const CLI::App& command, const std::string& help, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  const std::vector<std::string> names = option_names(command);
  std::vector<std::string> longer;
  std::copy_if(names.begin(), names.end(), std::back_inserter(longer),
               [&](const std::string& known) { return name.size() > 2 && known.rfind(name + "-", 0) == 0; });
  if (longer.size() > 1) {
    throw InvalidInput(fmt::format("there is no option '{}'; there are {}.", name, fmt::join(longer, ", ")), __FILE__,
                       __LINE__);
  }
  const std::string meant = longer.empty() ? nearest_name(name, names) : longer.front();
  if (meant.empty()) {
    throw InvalidInput(fmt::format("there is no option '{}'; '{}' lists the options.", name, help), __FILE__, __LINE__);
  }
  throw InvalidInput(fmt::format("there is no option '{}'; did you mean '{}'?", name, meant), __FILE__, __LINE__);
}

/// Throws for the kinds of errors whose sentences the parser words badly; returns for all others.
void refuse_in_our_words(const CLI::App& app, const CLI::ParseError& error, const std::string& help) {
  const std::string kind = error.get_name();
  const std::string said = error.what();
  const std::string first = said.substr(0, said.find_first_of(": "));
  const std::string last = said.substr(said.rfind(' ') + 1);
  if (kind == "RequiredError" && app.get_subcommands().empty()) {
    throw InvalidInput(
        fmt::format("a subcommand is missing; the subcommands are {}.", fmt::join(subcommand_names(app), ", ")), __FILE__,
        __LINE__);
  }
  if (kind == "RequiredError")
    throw InvalidInput(fmt::format("the argument '{}' is missing; '{}' shows the arguments.", first, help), __FILE__,
                       __LINE__);
  if (kind == "ArgumentMismatch")
    throw InvalidInput(fmt::format("the option '{}' needs a value; '{}' lists the options.", first, help), __FILE__,
                       __LINE__);
  // "Could not convert: --threads = two"
  if (kind == "ConversionError" && said.find(" = ") != std::string::npos) {
    const std::string assignment = said.substr(said.find(": ") + 2);
    const std::size_t equals = assignment.find(" = ");
    throw InvalidInput(fmt::format("the option '{}' takes a number, not '{}'; '{}' lists the options.",
                                   assignment.substr(0, equals), assignment.substr(equals + 3), help),
                       __FILE__, __LINE__);
  }
  if (kind == "ExcludesError")
    throw InvalidInput(fmt::format("the options '{}' and '{}' exclude each other.", first, last), __FILE__, __LINE__);
}

}  // namespace

void refuse_command_line(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  const CLI::App& command = parsed.empty() ? app : *parsed.front();
  const std::vector<std::string> words = command.remaining();
  const std::string help = "gpusupernodal " + (parsed.empty() ? "" : command.get_name() + " ") + "--help";
  const auto option =
      std::find_if(words.begin(), words.end(), [](const std::string& word) { return word.size() > 1 && word[0] == '-'; });
  if (parsed.empty() && !words.empty() && option != words.begin()) refuse_unknown_command(app, words.front());
  if (option != words.end()) refuse_unknown_option(command, help, *option);
  if (!words.empty()) {
    throw InvalidInput(fmt::format("unexpected argument '{}'; '{}' shows the arguments.", words.front(), help), __FILE__,
                       __LINE__);
  }
  refuse_in_our_words(app, error, help);
  std::string sentence = error.what();
  if (!sentence.empty() && sentence.back() == '.') sentence.pop_back();
  const bool asks = !sentence.empty() && sentence.back() == '?';
  throw InvalidInput(fmt::format("{}{} '{}' lists the options.", sentence, asks ? "" : ".", help), __FILE__, __LINE__);
}

std::string refuse_unknown_value(const std::string& value, const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), value) != names.end()) return "";
  const std::string meant = nearest_name(value, names);
  if (meant.empty()) return fmt::format("there is no '{}'; the values are {}.", value, fmt::join(names, ", "));
  return fmt::format("there is no '{}'; did you mean '{}'?", value, meant);
}

std::string refuse_less_than_one(const std::string& value) {
  std::int64_t number = 1;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  // What is no number, or too large, is left to the parser, which knows the option's type.
  return error != std::errc() || number >= 1 ? "" : fmt::format("'{}' is less than 1.", value);
}

std::string refuse_negative(const std::string& value) {
  return value.empty() || value.front() != '-' ? "" : fmt::format("'{}' is negative.", value);
}

}  // namespace gpusupernodal::cli
