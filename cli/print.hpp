#pragma once

/// \file
/// Human-readable output.

#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>
#include <utility>

#include "base/fmt.hpp"
#include "cli/exit_code.hpp"
#include "gpusupernodal/report.hpp"
#include "io/complex_matrix.hpp"
#include "io/general_matrix.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::cli {

/// Number of entries of the full matrix, counting both triangles.
std::int64_t full_nonzeros(const io::SymmetricMatrix& matrix);
std::int64_t full_nonzeros(const io::GeneralMatrix& matrix);
std::int64_t full_nonzeros(const io::ComplexMatrix& matrix);

/// Formats a number like "1,234,567".
std::string grouped(std::int64_t number);
/// Formats bytes like "12.3 MB", with powers of 1000.
std::string bytes_text(std::int64_t bytes);
/// Formats seconds like "1.23 s", "4.56 ms" or "7.8 µs".
std::string seconds_text(double seconds);

/// Prints as fmt::print does, but does not throw if the stream is closed or full. finish_output reports such a failure of
/// standard output; a failure of standard error cannot be reported.
template <class... Args>
void print_to(std::FILE* stream, fmt::format_string<Args...> format, Args&&... args) {
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
  std::fwrite(text.data(), 1, text.size(), stream);
}

/// Formats a count with its noun, like "1 task" or "1,234 tasks".
std::string counted(std::int64_t number, const char* one, const char* several);
/// Prints "label   text"; prints nothing if the text is empty.
void print_line(const char* label, const std::string& text);
/// Prints the name, the order and the number of entries of the full matrix.
void print_matrix(const std::string& name, std::int64_t n, std::int64_t nonzeros);
template <class Matrix>
void print_matrix(const Matrix& matrix) {
  print_matrix(matrix.name, matrix.n, full_nonzeros(matrix));
}
/// Prints the ordering, size of L, supernodes, memory and backend, with the reasons for ordering and backend.
void print_analysis(const AnalyzeReport& report);
/// Prints the time of the analysis and of its parts.
void print_analyze_time(const AnalyzeReport& report);
/// Prints one line per step: its time and the memory of its result.
void print_analysis_steps(const AnalyzeReport& report);

/// Prints the measured rate of each regime; prints nothing for regimes that were not measured.
void print_regimes(const FactorReport& report);

/// Prints the status, the replaced pivots and the growth of an LU factorization; prints nothing for other forms.
void print_pivots(const FactorReport& report, Form form);

/// Error message for a failed factorization, with 1-based rows and columns as in Matrix Market files.
std::string failure_sentence(const FactorReport& report);
/// The error for a failed factorization of the matrix called `name`.
Failure factor_failure(const std::string& name, const FactorReport& report);

/// Flushes standard output. Throws FileError if any output was lost, for example on a full disk.
void finish_output();

}  // namespace gpusupernodal::cli
