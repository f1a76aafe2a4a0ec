#pragma once

/// \file
/// Launches that factorize and solve many small systems of one pattern. All are asynchronous on `stream`, allocate nothing,
/// and throw DeviceError if the launch is refused. Pointers are device memory.

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/common/batch_records.hpp"

namespace gpusupernodal::cuda {

/// Lists of tasks, as BatchStages has them.
template <class Term>
struct BatchStageLists {
  const BatchTask* tasks = nullptr;
  const Term* terms = nullptr;
  const std::int32_t* stage_first = nullptr;
  std::int32_t stages = 0;
};

/// Lines of entries or of terms: line k has items offsets[k] … offsets[k+1]−1.
template <class Item>
struct BatchLineLists {
  const std::int32_t* offsets = nullptr;
  const Item* items = nullptr;
};

/// The parts of a BatchProgram that a factorization reads.
struct BatchFactorLists {
  BatchStageLists<BatchTerm> stages;
  const BatchEntry* entries = nullptr;
  const std::int32_t* diagonal = nullptr;
  BatchLineLists<std::int32_t> columns;
  BatchLineLists<std::int32_t> rows;        ///< Null lists if the matrix is symmetric.
  BatchLineLists<BatchRowTerm> a_rows;      ///< With scales.
  BatchLineLists<BatchRowTerm> a_columns;   ///< With scales, if the matrix is not symmetric.
  const std::int32_t* row_scale = nullptr;  ///< Exponents to begin with; nullptr: 0.
  const std::int32_t* column_scale = nullptr;
  std::int32_t entry_count = 0;
  std::int32_t n = 0;
  std::int32_t entries_of_a = 0;
  std::int32_t sweeps = 0;  ///< Sweeps that compute scales; 0: nothing is scaled.
};

/// Values of all systems. Groups of 2^lane_bits systems follow one another. Inside a group, each value of all its systems,
/// then the next value.
template <class T>
struct BatchSystems {
  T* factor = nullptr;                ///< entry_count values of a system. The diagonal has the pivots before a replacement.
  T* inverse = nullptr;               ///< n reciprocals of the pivots.
  T* a = nullptr;                     ///< A's values.
  std::int32_t* row_scale = nullptr;  ///< 2 n exponents: of the rows after an even and after an odd number of sweeps.
  std::int32_t* column_scale = nullptr;  ///< As row_scale, for columns; equal to row_scale if the matrix is symmetric.
  BatchFactorRecord* factor_records = nullptr;  ///< By system.
  const unsigned char* wanted = nullptr;        ///< By system: others keep everything.
  std::int32_t count = 0;
  std::int32_t lane_bits = 0;

  std::int32_t groups() const { return (count + (1 << lane_bits) - 1) >> lane_bits; }
};

/// Which pivots a factorization accepts.
enum class BatchPivots : int {
  positive,  ///< Others fail.
  replaced   ///< Small ones are replaced.
};

/// The values of A: system s at data + s·stride, or at pointers[s].
template <class T>
struct BatchValuesInput {
  const T* data = nullptr;
  std::int64_t stride = 0;
  const T* const* pointers = nullptr;
  bool check_finite = true;
  BatchPivots pivots = BatchPivots::positive;
  double perturbation = 0.0;  ///< A pivot smaller than this times the largest entry of the scaled A is replaced.
};

/// Factorizes the wanted systems and sets their records. A CTA computes a group, with `threads` threads.
template <class T>
void factor_batch(const BatchFactorLists& lists, const BatchSystems<T>& systems, const BatchValuesInput<T>& input,
                  int threads, cudaStream_t stream);

/// The parts of a BatchProgram that solves with A, or with its transpose, read.
struct BatchSolveLists {
  BatchStageLists<BatchSweepTerm> forward;
  BatchStageLists<BatchSweepTerm> backward;
  BatchLineLists<BatchRowTerm> a;  ///< Rows of the matrix, for residuals.
  const std::int32_t* diagonal = nullptr;
  const std::int32_t* in = nullptr;   ///< Row of b that becomes entry k.
  const std::int32_t* out = nullptr;  ///< Row of x that entry k becomes.
  std::int32_t entry_count = 0;
  std::int32_t n = 0;
  std::int32_t entries_of_a = 0;
  std::int32_t sweeps = 0;  ///< As in BatchFactorLists.
  bool transposed = false;  ///< The scales of rows and columns change places.
};

/// A right-hand side or a solution: entry i of column c of system s at data[s·stride + c·ld + i].
template <class T>
struct BatchVectors {
  T* data = nullptr;
  std::int64_t ld = 0;
  std::int64_t stride = 0;
};

/// Columns of the largest grid.
inline constexpr std::int64_t max_grid_columns = 65535;

/// Vectors of a group and column in the workspace of a solve.
inline constexpr int batch_vectors_plain = 1;
inline constexpr int batch_vectors_refined = 4;

/// What a solve does.
template <class T>
struct BatchSolve {
  BatchVectors<const T> b;
  BatchVectors<T> x;
  T* work = nullptr;  ///< batch_vectors_… vectors of n entries for each system of the last group too, and each column.
  BatchSolveRecord* records = nullptr;  ///< By system.
  std::int64_t columns = 0;
  bool permute_in = true;
  bool forward = true;
  bool backward = true;
  bool permute_out = true;
  bool check_right = true;  ///< Leave x as it is if b is not finite.
  bool refined = false;     ///< Compute residuals, and refine as Richardson iteration does (solver/iterative).
  bool verified = false;    ///< x becomes NaN if its backward error exceeds `trusted` and b is finite.
  /// b has one column in all: solve_batch alone checks b, rejects solutions and sets records.
  bool is_single = false;
  std::int32_t max_steps = 0;
  double backward_error = 0.0;  ///< Refinement ends when it is reached; 0: as long as steps help.
  double trusted = 0.0;

  /// Returns this solve for `number` columns only, beginning with column `first`.
  BatchSolve part(std::int64_t first, std::int64_t number) const {
    BatchSolve some = *this;
    some.b.data += first * b.ld;
    some.x.data += first * x.ld;
    some.columns = number;
    return some;
  }
};

/// Clears the records of all systems, and with `check_right` notes which b are not finite. Not for `is_single`.
template <class T>
void begin_batch_solve(const BatchSolveLists& lists, const BatchSystems<T>& systems, const BatchSolve<T>& solve, int threads,
                       cudaStream_t stream);

/// Solves the wanted systems that have a factor, and adds to their records. Precondition, unless `is_single`:
/// begin_batch_solve ran for all columns; this call may be for at most max_grid_columns of them.
template <class T>
void solve_batch(const BatchSolveLists& lists, const BatchSystems<T>& systems, const BatchSolve<T>& solve, int threads,
                 cudaStream_t stream);

/// Replaces the solutions of systems whose backward error exceeds `trusted` by NaN, unless their b is not finite. Not for
/// `is_single`.
template <class T>
void reject_batch_solutions(const BatchSolveLists& lists, const BatchSystems<T>& systems, const BatchSolve<T>& solve,
                            int threads, cudaStream_t stream);

/// Loads the kernels of these launches onto the current device.
template <class T>
void prepare_batch_factor();
template <class T>
void prepare_batch_solve();
template <class T>
void prepare_batch_checks();

}  // namespace gpusupernodal::cuda
