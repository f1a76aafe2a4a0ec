#pragma once

/// \file
/// The factor and its permutation as Eigen's types.

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

/// L with its rows and columns renumbered by `position` (elimination order → order of the result), which must be another
/// topological order of the same elimination tree, so that the result is lower triangular too. Exact zeros, which
/// merging stores, are left out. Cost O(stored entries). Throws InvalidInput if StorageIndex cannot count them.
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

  // By rows first: columns are visited in order, so that each row comes out sorted, and so do the columns of the result.
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
