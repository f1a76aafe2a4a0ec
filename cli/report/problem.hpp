#pragma once

/// \file
/// The matrix of a report and its right-hand side.

#include <memory>
#include <string>
#include <vector>

#include "gpusupernodal/span.hpp"
#include "gpusupernodal/views.hpp"
#include "io/general_matrix.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::cli {

/// A symmetric or a general matrix.
class Problem {
 public:
  explicit Problem(io::SymmetricMatrix matrix);
  explicit Problem(io::GeneralMatrix matrix);

  const std::string& name() const { return name_; }
  std::int64_t order() const { return view_.n; }
  std::int64_t entries() const { return entries_; }  ///< Entries of the full matrix.
  /// Whether one triangle is stored. A general matrix with symmetric entries counts as general.
  bool is_symmetric() const { return symmetric_ != nullptr; }
  const MatrixView<double>& view() const { return view_; }
  Span<const double> values() const;
  /// The diagonal, with zeros where no entry is stored.
  std::vector<double> diagonal() const;
  double backward_error(const std::vector<double>& x, const std::vector<double>& b) const;

 private:
  std::shared_ptr<const io::SymmetricMatrix> symmetric_;
  std::shared_ptr<const io::GeneralMatrix> general_;
  std::string name_;
  MatrixView<double> view_;
  std::int64_t entries_ = 0;
};

/// Loads a file or generates a matrix: a symmetric one if it is symmetric and `lu` is false. Throws as load_matrix and
/// load_general_matrix; InvalidInput for complex matrices, and for general ones if `symmetric_only`.
Problem load_problem(const std::string& spec, bool lu, bool symmetric_only);

/// The right-hand side in a file, or numbers between −1 and 1 that depend on n only. Throws FileError, and InvalidInput
/// unless the file has one column.
std::vector<double> right_hand_side(const std::string& file, std::int64_t n);

}  // namespace gpusupernodal::cli
