#ifndef GPUSUPERNODAL_H
#define GPUSUPERNODAL_H

/// \file
/// The library for C, and for languages that call C: a handle, functions that return a code, options and reports by name.
///
/// Every function that returns a gpusupernodal_code returns GPUSUPERNODAL_OK or why it did not do its work, and
/// gpusupernodal_message has the sentence. No exception leaves them, and a null handle or pointer is an invalid input.
///
/// Threads: different handles may be used from different threads at the same time; one handle by one thread at a time.
/// Streams, waiting and cost are those of the same call of gpusupernodal::Solver (solver.hpp).

#include <stdint.h>

/// Marks what the shared library exports.
#define GPUSUPERNODAL_C_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/// A solver: options, and once they are there plan, factor and reports. One of double or of float.
typedef struct gpusupernodal_solver gpusupernodal_solver;

/// What a call came to. Names as in error.hpp, where C++ throws.
typedef enum gpusupernodal_code {
  GPUSUPERNODAL_OK = 0,
  GPUSUPERNODAL_NOT_POSITIVE_DEFINITE = 1,  ///< An outcome: there is no factor; report "factor.failed_column" says where.
  GPUSUPERNODAL_NON_FINITE_INPUT =
      2,  ///< An outcome: NaN or Inf in A; "factor.failed_row" and "factor.failed_column" say where.
  GPUSUPERNODAL_INVALID_INPUT = 3,        ///< An argument is not what these words ask for.
  GPUSUPERNODAL_INVALID_STATE = 4,        ///< A call too early: factorize before analyze, solve before factorize.
  GPUSUPERNODAL_NUMERICAL_FAILURE = 5,    ///< A factor is needed, and the last factorization failed.
  GPUSUPERNODAL_BACKEND_UNAVAILABLE = 6,  ///< No CUDA in the build, no device.
  GPUSUPERNODAL_OUT_OF_MEMORY = 7,        ///< Of the host or of the device.
  GPUSUPERNODAL_DEVICE_ERROR = 8,         ///< A CUDA call failed for another reason.
  GPUSUPERNODAL_INTERNAL_ERROR = 9        ///< None of these: a mistake of the library.
} gpusupernodal_code;

/// Precision of A, factor, right-hand sides and solutions of a solver.
typedef enum gpusupernodal_scalar { GPUSUPERNODAL_FLOAT = 0, GPUSUPERNODAL_DOUBLE = 1 } gpusupernodal_scalar;

/// Width of the integers in a pattern.
typedef enum gpusupernodal_index { GPUSUPERNODAL_INT32 = 0, GPUSUPERNODAL_INT64 = 1 } gpusupernodal_index;

/// Where an array lives.
typedef enum gpusupernodal_space { GPUSUPERNODAL_HOST = 0, GPUSUPERNODAL_DEVICE = 1 } gpusupernodal_space;

/// Which part of A is in the arrays; of a full matrix the lower half is read.
typedef enum gpusupernodal_part {
  GPUSUPERNODAL_FULL = 0,
  GPUSUPERNODAL_LOWER = 1,
  GPUSUPERNODAL_UPPER = 2
} gpusupernodal_part;

/// What the offsets delimit: columns (CSC) or rows (CSR).
typedef enum gpusupernodal_compression { GPUSUPERNODAL_COLUMNS = 0, GPUSUPERNODAL_ROWS = 1 } gpusupernodal_compression;

/// Which part of a solve to do; with A = Pᵀ L Lᵀ P.
typedef enum gpusupernodal_system {
  GPUSUPERNODAL_A = 0,        ///< x = A⁻¹ b
  GPUSUPERNODAL_L = 1,        ///< x = L⁻¹ b, both in elimination order
  GPUSUPERNODAL_LT = 2,       ///< x = L⁻ᵀ b, both in elimination order
  GPUSUPERNODAL_P = 3,        ///< x = P b
  GPUSUPERNODAL_PT = 4,       ///< x = Pᵀ b
  GPUSUPERNODAL_FORWARD = 5,  ///< x = L⁻¹ P b
  GPUSUPERNODAL_BACKWARD = 6  ///< x = Pᵀ L⁻ᵀ b
} gpusupernodal_system;

/// A compressed sparse symmetric matrix, of which nothing is copied. `offsets` has n + 1 integers from 0 on and is in host
/// memory, as `indices` are; `indices` and `values` have offsets[n] entries, unsorted if you like, without duplicates.
/// All bytes 0 is an empty matrix of int32_t, full, by columns, in host memory.
typedef struct gpusupernodal_matrix {
  int64_t n;            ///< Rows, and columns; below 2³¹.
  const void* offsets;  ///< n + 1 integers, ascending from 0.
  const void* indices;  ///< Zero-based rows (of columns) or columns (of rows).
  const void* values;   ///< float or double, as the solver; analyze does not read them.
  int32_t index;        ///< A gpusupernodal_index: of `offsets` and `indices`.
  int32_t part;         ///< A gpusupernodal_part: what of A is there.
  int32_t compression;  ///< A gpusupernodal_compression: what the offsets delimit.
  int32_t value_space;  ///< A gpusupernodal_space: where `values` is.
} gpusupernodal_matrix;

/// A dense matrix by columns, `ld` ≥ rows elements from one column to the next; its rows are the order of A.
typedef struct gpusupernodal_dense {
  void* data;       ///< float or double, as the solver; of a right-hand side it is only read.
  int64_t columns;  ///< Right-hand sides.
  int64_t ld;       ///< 0 for the order of A.
  int32_t space;    ///< A gpusupernodal_space: where `data` is.
} gpusupernodal_dense;

/// "MAJOR.MINOR.PATCH"; lives as long as the program.
GPUSUPERNODAL_C_API const char* gpusupernodal_version(void);
/// 1 where the backend ("host" or "cuda") can be used in this process, else 0.
GPUSUPERNODAL_C_API int gpusupernodal_backend_available(const char* backend);

/// Makes a solver of a gpusupernodal_scalar with default options and writes it to `*solver`, null where that fails. Give it
/// back by gpusupernodal_destroy. Cost: a few hundred bytes.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_create(int scalar, gpusupernodal_solver** solver);
/// Gives back all that the solver holds; null is nothing to do.
GPUSUPERNODAL_C_API void gpusupernodal_destroy(gpusupernodal_solver* solver);
/// The sentence of the last call with this solver that was not GPUSUPERNODAL_OK, "" where there was none; for null, that of
/// this thread's last call without a solver. Valid until the next call with the solver (of the thread).
GPUSUPERNODAL_C_API const char* gpusupernodal_message(const gpusupernodal_solver* solver);

/// Sets an option of docs/options.md by its C++ name ("backend", "ordering", "refinement.max_steps", …) and by its value's
/// name or number ("cuda", "amd", "2", "true"). Takes effect as in C++.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_set_option(gpusupernodal_solver* solver, const char* name,
                                                                const char* value);
/// Writes the value of an option to `*value`, as gpusupernodal_set_option takes it; valid until the next call with the
/// solver.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_get_option(gpusupernodal_solver* solver, const char* name,
                                                                const char** value);
/// The name of option `i`, from 0 on; null after the last.
GPUSUPERNODAL_C_API const char* gpusupernodal_option_name(int i);
/// Orders row old_of_new[k] k-th, from the next analyze on (ordering "user"). `n` numbers are copied. The order is
/// postordered, as every other: gpusupernodal_old_of_new says in which order rows are eliminated.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_set_permutation(gpusupernodal_solver* solver, const int64_t* old_of_new,
                                                                     int64_t n);
/// Eliminates rows of A after all others, from the next analyze on: `groups` groups in the order of elimination, each of as
/// many rows as its entry of `sizes` says. The numbers are copied; 0 groups: none.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_set_last_rows(gpusupernodal_solver* solver, const int64_t* rows,
                                                                   const int64_t* sizes, int64_t groups);
/// Work of later calls goes on this cudaStream_t, which must live until the next set_stream; null is the default stream.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_set_stream(gpusupernodal_solver* solver, void* cuda_stream);
/// From the next factorize on, factorize scale·A + offset·I.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_set_shift(gpusupernodal_solver* solver, double offset, double scale);
/// Takes the workspace for solves of up to `columns` right-hand sides now.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_reserve_right_hand_sides(gpusupernodal_solver* solver, int64_t columns);

/// Decides ordering, structure of L, tasks and backend for the pattern of `a`.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_analyze(gpusupernodal_solver* solver, const gpusupernodal_matrix* a);
/// Factorizes `a`, which has the analyzed pattern. The outcome is asked for by gpusupernodal_status.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_factorize(gpusupernodal_solver* solver, const gpusupernodal_matrix* a);
/// analyze, then factorize.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_compute(gpusupernodal_solver* solver, const gpusupernodal_matrix* a);
/// Factorizes `count` new values in a gpusupernodal_space, in the order of the entries given to analyze.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_refactorize(gpusupernodal_solver* solver, const void* values,
                                                                 int64_t count, int space);
/// Outcome of the last factorization: GPUSUPERNODAL_OK, GPUSUPERNODAL_NOT_POSITIVE_DEFINITE or
/// GPUSUPERNODAL_NON_FINITE_INPUT, or an error. Waits for the device.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_status(gpusupernodal_solver* solver);
/// Solves for all columns of b; x may be b itself, otherwise they must not overlap.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_solve(gpusupernodal_solver* solver, const gpusupernodal_dense* b,
                                                           const gpusupernodal_dense* x);
/// The same, or a part of it: a gpusupernodal_system.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_solve_part(gpusupernodal_solver* solver, int part,
                                                                const gpusupernodal_dense* b, const gpusupernodal_dense* x);

/// Writes a number of the reports to `*value`, by report and field of report.hpp: "analyze.nonzeros_l",
/// "analyze.memory.total", "factor.failed_column", "factor.smallest_pivot", "solve.refinement_steps", … Waits for the device
/// where it is of the factorization; before one, those are as in an empty report.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_report_number(gpusupernodal_solver* solver, const char* name,
                                                                   double* value);
/// Writes a text of the reports to `*text`: "analyze.ordering", "analyze.backend_reason", "analyze.device", "factor.status",
/// …; valid until the next call with the solver.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_report_text(gpusupernodal_solver* solver, const char* name,
                                                                 const char** text);
/// The name of number `i` of the reports, from 0 on; null after the last.
GPUSUPERNODAL_C_API const char* gpusupernodal_report_number_name(int i);
/// The name of text `i` of the reports, from 0 on; null after the last.
GPUSUPERNODAL_C_API const char* gpusupernodal_report_text_name(int i);

/// Writes the order of elimination to old_of_new[0 … n−1]; `n` must be the order of A. It may differ from the order that
/// gpusupernodal_set_permutation was given, and is the one of L and of the parts of a solve.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_old_of_new(gpusupernodal_solver* solver, int64_t* old_of_new,
                                                                int64_t n);
/// Writes log det of the factorized matrix to `*value`.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_log_determinant(gpusupernodal_solver* solver, double* value);
/// Writes an estimate of 1 / (‖A‖₁ ‖A⁻¹‖₁) to `*value`; `a` as factorized. Exact up to rounding for n ≤ 11; above that it is
/// an upper bound, mostly within a factor of 3, seldom more than 10 times too large.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_reciprocal_condition(gpusupernodal_solver* solver,
                                                                          const gpusupernodal_matrix* a, double* value);
/// Copies L by columns in elimination order, explicit zeros of merging included: n + 1 offsets, and rows and values (float
/// or double, as the solver) in host memory with room for `entries` each. With null `rows` and `values` the offsets alone,
/// the last of which is the number of entries.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_extract_l(gpusupernodal_solver* solver, int64_t* offsets, int64_t* rows,
                                                               void* values, int64_t entries);
/// Stores the order of elimination and the supernodes of the analysis in a file.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_save_plan(gpusupernodal_solver* solver, const char* path);
/// analyze with what gpusupernodal_save_plan stored for the same pattern.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_load_plan(gpusupernodal_solver* solver, const gpusupernodal_matrix* a,
                                                               const char* path);

#ifdef __cplusplus
}
#endif

#endif
