#pragma once

/// \file
/// BatchProgram: all operations of a factorization and its solves, listed for devices that compute many systems of one
/// pattern at once, one in each lane. Making it needs no device.

#include <cstdint>
#include <vector>

#include "gpusupernodal/options.hpp"
#include "gpusupernodal/report.hpp"
#include "kernels/common/batch_records.hpp"
#include "kernels/common/scalar_type.hpp"
#include "solver/cuda/plan/batch_stages.hpp"
#include "solver/factor/factor_structure.hpp"

namespace gpusupernodal {

/// Rows or columns of A for residuals: row k has terms offsets[k] … offsets[k+1]−1.
struct BatchRows {
  std::vector<std::int32_t> offsets{0};
  std::vector<cuda::BatchRowTerm> terms;
};

/// Entries of the factor by columns of V, or by rows of W, without the diagonal.
struct BatchLines {
  std::vector<std::int32_t> offsets{0};
  std::vector<std::int32_t> entries;
};

/// The two sweeps of a solve with A, or with its transpose. The first computes z = D⁻¹ times the solution with V D⁻¹: a task
/// with a pivot multiplies by 1/D after its sum. The second subtracts sums times 1/D of the target.
struct BatchSweeps {
  cuda::BatchStages<cuda::BatchSweepTerm> forward;
  cuda::BatchStages<cuda::BatchSweepTerm> backward;
};

/// Elimination is A = V D⁻¹ W (BatchEntry), column by column and without merged supernodes, so that no explicit zeros are
/// stored: every entry is what A has there, minus a sum of terms, which do not refer to the pivot of their own column. So a
/// column of the elimination tree takes one stage. All vectors are in elimination order.
class BatchProgram {
 public:
  Form form = Form::llt;
  std::int32_t n = 0;
  std::int64_t entries_of_a = 0;
  std::vector<cuda::BatchEntry> entries;
  std::vector<std::int32_t> diagonal;  ///< The entry of each pivot.
  BatchLines columns;                  ///< Columns of V.
  BatchLines rows;                     ///< Rows of W; empty if symmetric.
  cuda::BatchStages<cuda::BatchTerm> factor;
  BatchSweeps solve;
  BatchSweeps transposed;                ///< Empty if symmetric.
  BatchRows a_rows;                      ///< Both halves of A if it is symmetric.
  BatchRows a_columns;                   ///< Empty if symmetric.
  std::vector<std::int32_t> row_of_new;  ///< Row of A that is eliminated k-th.
  std::vector<std::int32_t> col_of_new;  ///< Column of A that is eliminated k-th.
  std::vector<std::int32_t> row_scale;   ///< Binary exponents to begin with; empty: 0.
  std::vector<std::int32_t> column_scale;
  std::int32_t scaling_sweeps = 0;  ///< Sweeps of Ruiz's iteration [Ruiz01].

  bool is_symmetric() const { return form != Form::lu; }
  bool is_scaled() const { return form != Form::llt; }
  std::int64_t values() const { return static_cast<std::int64_t>(entries.size()); }
  /// Bytes of all lists.
  std::int64_t list_bytes() const;
  /// Values of one system besides the factor and its inverse pivots: A, and the exponents of scales, in bytes.
  std::int64_t workspace_bytes(ScalarType scalar) const;
};

/// The most terms that a program may list; a factorization with more of them has enough work for other schedules.
inline constexpr std::int64_t max_batch_terms = std::int64_t{1} << 24;

/// Makes the program of a structure by supernodes. Throws BackendUnavailable if it would have more than max_batch_terms
/// terms, or if the structure is for LU by columns or on dense storage. Cost: O(terms) time, and O(terms) memory
/// unless it throws.
BatchProgram make_batch_program(const FactorStructure& structure, Form form);

}  // namespace gpusupernodal
