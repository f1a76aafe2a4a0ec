#pragma once

/// \file
/// Reports as JSON objects.

#include <nlohmann/json.hpp>
#include <string>

#include "gpusupernodal/report.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::cli {

using Json = nlohmann::ordered_json;

/// {"matrix", "n", "nnz", "nnz_lower"}: the beginning of every report.
Json matrix_json(const io::SymmetricMatrix& matrix);
Json to_json(const AnalyzeReport& report);
/// failed_row and failed_column are counted from 1, null where nothing failed.
Json to_json(const FactorReport& report);

/// Prints to stdout, indented. Bytes of a name that are not UTF-8 become U+FFFD.
void print_json(const Json& json);
/// Writes text to a file as OutputFile does, or to stdout for "-". Throws FileError.
void write_text(const std::string& path, const std::string& text);

}  // namespace gpusupernodal::cli
