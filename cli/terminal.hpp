#pragma once

/// \file
/// What a terminal can show: colours, and the width of a line.

#include <cstdio>
#include <string>

namespace gpusupernodal::cli {

/// When printed text is coloured. `automatic`: on a terminal other than TERM=dumb, unless NO_COLOR is set to anything.
enum class Color { automatic, always, never };

/// Decides for the rest of the process. Reads --color from the command line's words, because errors of the command line have
/// no parsed options; with --json nothing is coloured. The parser refuses wrong values later.
void choose_color(int argc, char** argv);

/// What a piece of text is, which decides its colour.
enum class Style { label, aside, good, warning, error };

/// Returns `text` in the colours of `style` if text on `stream` is coloured, else `text` itself.
std::string styled(std::FILE* stream, Style style, const std::string& text);

/// Whether `stream` is a terminal that understands control sequences.
bool is_terminal(std::FILE* stream);
/// Whether the locale of the environment is UTF-8.
bool has_utf8();
/// Columns of the terminal behind `stream`; 80 if it does not tell.
int terminal_columns(std::FILE* stream);

}  // namespace gpusupernodal::cli
