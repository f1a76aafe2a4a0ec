#pragma once

/// \file
/// Errors of the command line: what is wrong with it, and the nearest correct name.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gpusupernodal::cli {

/// Throws InvalidInput for a command line that the parser refused with `error`: names an unknown subcommand, option or
/// argument and suggests the nearest one, else repeats the parser's message. Precondition: the error's exit code is not 0.
[[noreturn]] void refuse_command_line(const CLI::App& app, const CLI::ParseError& error);

/// For CLI::Option::check: returns an error with the nearest name, or all names, unless `value` is one of `names`.
std::string refuse_unknown_value(const std::string& value, const std::vector<std::string>& names);

/// For CLI::Option::check: return an error for numbers below 1, and for numbers with a minus sign.
std::string refuse_less_than_one(const std::string& value);
std::string refuse_negative(const std::string& value);

}  // namespace gpusupernodal::cli
