#pragma once

/// \file
/// Converts the factor to an Eigen sparse matrix.

#include <Eigen/SparseCore>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/solver.hpp"

namespace gpusupernodal {
namespace eigen_detail {

/// Returns L with rows and columns renumbered by `position` (elimination order → order of the result) and without the
/// explicit zeros that supernode merging stores. Precondition: `position` is a topological order of the elimination tree,
/// so that the result is lower triangular. Throws InvalidInput if StorageIndex cannot count the entries. Cost O(stored
/// entries).
template <class Scalar, class StorageIndex>
Eigen::SparseMatrix<Scalar, Eigen::ColMajor, StorageIndex> lower_factor(const FactorMatrix<Scalar>& factor,
                                                                        const std::vector<std::int64_t>& position) {
  const auto n = position.size();
  if (factor.values.size() > static_cast<std::size_t>((std::numeric_limits<StorageIndex>::max)())) {
    throw InvalidInput("L has " + std::to_string(factor.values.size()) +
                           " entries, more than the matrix's StorageIndex can count; use std::int64_t",
                       __FILE__, __LINE__);
  }
  std::vector<std::size_t> column_at(n);
  for (std::size_t k = 0; k < n; ++k) column_at[static_cast<std::size_t>(position[k])] = k;

  // Build by rows first: visiting the columns in order sorts each row, and the conversion then sorts each column.
  Eigen::SparseMatrix<Scalar, Eigen::RowMajor, StorageIndex> rows(static_cast<Eigen::Index>(n),
                                                                  static_cast<Eigen::Index>(n));
  Eigen::Matrix<StorageIndex, Eigen::Dynamic, 1> counts =
      Eigen::Matrix<StorageIndex, Eigen::Dynamic, 1>::Zero(static_cast<Eigen::Index>(n));
  const auto each_entry = [&](auto&& visit) {
    for (std::size_t column = 0; column < n; ++column) {
      const std::size_t k = column_at[column];
      for (auto p = static_cast<std::size_t>(factor.offsets[k]); p < static_cast<std::size_t>(factor.offsets[k + 1]); ++p) {
        const auto row = static_cast<std::size_t>(factor.rows[p]);
        if (row == k || factor.values[p] != Scalar(0)) visit(position[row], column, factor.values[p]);
      }
    }
  };
  each_entry([&](std::int64_t row, std::size_t, Scalar) { ++counts[row]; });
  rows.reserve(counts);
  each_entry([&](std::int64_t row, std::size_t column, Scalar value) {
    rows.insert(row, static_cast<Eigen::Index>(column)) = value;
  });
  return Eigen::SparseMatrix<Scalar, Eigen::ColMajor, StorageIndex>(rows);
}

}  // namespace eigen_detail
}  // namespace gpusupernodal
