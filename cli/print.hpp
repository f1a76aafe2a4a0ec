#pragma once

/// \file
/// Text for a person.

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>
#include <utility>

#include "gpusupernodal/report.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::cli {

/// Entries of the full matrix, counting both triangles.
std::int64_t full_nonzeros(const io::SymmetricMatrix& matrix);

/// "1,234,567".
std::string grouped(std::int64_t number);
/// "12.3 MB", powers of 1000.
std::string bytes_text(std::int64_t bytes);
/// "1.23 s", "4.56 ms", "7.8 µs".
std::string seconds_text(double seconds);

/// Prints as fmt::print does, but throws nothing where the stream is closed or full: of standard error nobody can be told,
/// and of standard output finish_output tells.
template <class... Args>
void print_to(std::FILE* stream, fmt::format_string<Args...> format, Args&&... args) {
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
  std::fwrite(text.data(), 1, text.size(), stream);
}

/// "1 task", "1,234 tasks".
std::string counted(std::int64_t number, const char* one, const char* several);
/// Prints "label   text"; nothing where the text is empty.
void print_line(const char* label, const std::string& text);
void print_matrix(const io::SymmetricMatrix& matrix);
/// Ordering and why, L, supernodes, memory, backend and why.
void print_analysis(const AnalyzeReport& report);
/// The time of analyze and of its parts.
void print_analyze_time(const AnalyzeReport& report);
/// A line a step: its time, and the memory of what it made.
void print_analysis_steps(const AnalyzeReport& report);

/// What each regime reached; nothing where it was not measured.
void print_regimes(const FactorReport& report);

/// The sentence for a factorization that failed: rows and columns counted from 1, as in Matrix Market files.
std::string failure_sentence(const FactorReport& report);

/// Makes sure that all that was printed has arrived: a full disk shows itself only here. Throws FileError.
void finish_output();

}  // namespace gpusupernodal::cli
