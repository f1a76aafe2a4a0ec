#pragma once

/// \file
/// Reports as JSON objects.

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "cli/exit_code.hpp"
#include "gpusupernodal/report.hpp"
#include "io/complex_matrix.hpp"
#include "io/general_matrix.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal {
class OutputFile;
}

namespace gpusupernodal::cli {

using Json = nlohmann::ordered_json;

/// Returns {"matrix", "n", "nnz", "nnz_lower"}, the beginning of every report.
Json matrix_json(const io::SymmetricMatrix& matrix);
Json matrix_json(const io::GeneralMatrix& matrix);
Json matrix_json(const io::ComplexMatrix& matrix);
Json to_json(const AnalyzeReport& report);
/// failed_row and failed_column are 1-based; failed_column is null if nothing failed.
Json to_json(const FactorReport& report);
/// For LU and LDLᵀ their form, the replaced pivots and the growth, for LDLᵀ the inertia; an empty object for Cholesky.
Json pivots_json(const FactorReport& report, Form form);

/// Returns {"error": the sentence on stderr, "kind": the name of the exit code}.
Json to_json(const Failure& failure);

/// Prints indented JSON to stdout. Replaces bytes that are not UTF-8 by U+FFFD.
void print_json(const Json& json);
/// A file that is opened before its text is known, so that a name that cannot be written is refused first; or stdout for
/// "-".
class TextOutput {
 public:
  /// Throws FileError.
  explicit TextOutput(std::string path);
  ~TextOutput();
  TextOutput(const TextOutput&) = delete;
  TextOutput& operator=(const TextOutput&) = delete;

  /// Writes `text` and a newline through OutputFile. Throws FileError. Precondition: not called before.
  void write(const std::string& text);

 private:
  void require(std::error_code error) const;

  std::string path_;
  std::unique_ptr<OutputFile> file_;
};

/// Writes `text` and a newline to a file or stdout, as TextOutput does. Throws FileError.
void write_text(const std::string& path, const std::string& text);

}  // namespace gpusupernodal::cli
