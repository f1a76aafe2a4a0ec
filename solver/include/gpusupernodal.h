#ifndef GPUSUPERNODAL_H
#define GPUSUPERNODAL_H

/// \file
/// The C interface, also for languages that call C: an opaque handle, functions that return a code, options and reports
/// by name.
///
/// Every function with result type gpusupernodal_code returns GPUSUPERNODAL_OK or the reason why it failed;
/// gpusupernodal_message then returns the sentence. No exception leaves these functions. A null handle or pointer is an
/// invalid input.
///
/// Threads: different handles may be used concurrently; one handle by one thread at a time.
/// Streams, waiting and cost are those of the corresponding member of gpusupernodal::Solver (solver.hpp).

#include <stdint.h>

/// Marks the functions that the shared library exports.
#define GPUSUPERNODAL_C_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/// A solver of one scalar type: its options and, once computed, its plan, factor and reports.
typedef struct gpusupernodal_solver gpusupernodal_solver;

/// Result of a call; the names correspond to the exceptions in error.hpp.
typedef enum gpusupernodal_code {
  GPUSUPERNODAL_OK = 0,
  GPUSUPERNODAL_NOT_POSITIVE_DEFINITE = 1,  ///< Outcome: no factor exists; the report's "factor.failed_column" says where.
  GPUSUPERNODAL_NON_FINITE_INPUT = 2,       ///< Outcome: NaN or Inf in A, at "factor.failed_row" and "factor.failed_column".
  GPUSUPERNODAL_INVALID_INPUT = 3,          ///< An argument violates its documented precondition.
  GPUSUPERNODAL_INVALID_STATE = 4,          ///< Call out of order: factorize before analyze, solve before factorize.
  GPUSUPERNODAL_NUMERICAL_FAILURE = 5,      ///< The call needs a factor but has none, or its x is not accurate.
  GPUSUPERNODAL_BACKEND_UNAVAILABLE = 6,    ///< The build has no CUDA, or no device was found.
  GPUSUPERNODAL_OUT_OF_MEMORY = 7,          ///< Host or device memory was refused.
  GPUSUPERNODAL_DEVICE_ERROR = 8,           ///< A CUDA call failed for another reason.
  GPUSUPERNODAL_INTERNAL_ERROR = 9,         ///< Any other error: a bug in the library.
  GPUSUPERNODAL_SINGULAR = 10,  ///< Outcome of LU or LDLᵀ: A is singular; "factor.failed_column" has the smallest pivot.
  GPUSUPERNODAL_UNSTABLE = 11,  ///< Outcome of LU or LDLᵀ: solves are not accurate. docs/lu.md says what to do.
  GPUSUPERNODAL_CANCELLED = 12  ///< A function of the caller ended the call.
} gpusupernodal_code;

/// Scalar type of A, the factor, right-hand sides and solutions. Complex numbers are a real part followed by an imaginary
/// part, as `float _Complex`, `double _Complex` and std::complex store them.
typedef enum gpusupernodal_scalar {
  GPUSUPERNODAL_FLOAT = 0,
  GPUSUPERNODAL_DOUBLE = 1,
  GPUSUPERNODAL_COMPLEX_FLOAT = 2,
  GPUSUPERNODAL_COMPLEX_DOUBLE = 3
} gpusupernodal_scalar;

/// Width of the integers in a pattern.
typedef enum gpusupernodal_index { GPUSUPERNODAL_INT32 = 0, GPUSUPERNODAL_INT64 = 1 } gpusupernodal_index;

/// Memory that holds an array.
typedef enum gpusupernodal_space { GPUSUPERNODAL_HOST = 0, GPUSUPERNODAL_DEVICE = 1 } gpusupernodal_space;

/// Part of A that is stored. Only the lower half of a full matrix is read, unless the option "form" is lu.
typedef enum gpusupernodal_part {
  GPUSUPERNODAL_FULL = 0,
  GPUSUPERNODAL_LOWER = 1,
  GPUSUPERNODAL_UPPER = 2
} gpusupernodal_part;

/// Whether the offsets delimit columns (CSC) or rows (CSR).
typedef enum gpusupernodal_compression { GPUSUPERNODAL_COLUMNS = 0, GPUSUPERNODAL_ROWS = 1 } gpusupernodal_compression;

/// Part of a solve; A = Pᵀ L Lᵀ P, for complex scalars Pᵀ L Lᴴ P.
typedef enum gpusupernodal_system {
  GPUSUPERNODAL_A = 0,           ///< x = A⁻¹ b
  GPUSUPERNODAL_L = 1,           ///< x = L⁻¹ b, both in elimination order
  GPUSUPERNODAL_LT = 2,          ///< x = L⁻ᵀ b, both in elimination order
  GPUSUPERNODAL_P = 3,           ///< x = P b
  GPUSUPERNODAL_PT = 4,          ///< x = Pᵀ b
  GPUSUPERNODAL_FORWARD = 5,     ///< x = L⁻¹ P b
  GPUSUPERNODAL_BACKWARD = 6,    ///< x = Pᵀ L⁻ᵀ b
  GPUSUPERNODAL_TRANSPOSED = 7,  ///< x = A⁻ᵀ b
  GPUSUPERNODAL_ADJOINT = 8      ///< x = A⁻ᴴ b; for real scalars, the same as GPUSUPERNODAL_TRANSPOSED
} gpusupernodal_system;

/// View of a compressed sparse matrix, symmetric (complex: Hermitian, or symmetric if the option "symmetry" says so) unless
/// the form is lu; nothing is copied. `offsets` has n + 1 integers, the first 0. `indices` and `values` have offsets[n]
/// entries each, in any order within a column (row), without duplicates. `offsets` and `indices` are in host memory. A
/// zero-initialized struct is an empty matrix: int32_t, full, by columns, in host memory.
typedef struct gpusupernodal_matrix {
  int64_t n;            ///< Order of A; below 2³¹.
  const void* offsets;  ///< n + 1 integers, nondecreasing from 0.
  const void* indices;  ///< offsets[n] zero-based row numbers (CSC) or column numbers (CSR).
  const void* values;   ///< Values in the solver's scalar type; analyze reads them for the form lu only.
  int32_t index;        ///< A gpusupernodal_index: type of `offsets` and `indices`.
  int32_t part;         ///< A gpusupernodal_part: stored part of A.
  int32_t compression;  ///< A gpusupernodal_compression: by columns or by rows.
  int32_t value_space;  ///< A gpusupernodal_space: memory that holds `values`.
} gpusupernodal_matrix;

/// View of a dense column-major matrix with as many rows as A and leading dimension `ld` ≥ rows. Complex numbers in device
/// memory, also those of A, must begin at a multiple of their size (16 or 8 bytes).
typedef struct gpusupernodal_dense {
  void* data;       ///< Entries in the solver's scalar type; those of a right-hand side are only read.
  int64_t columns;  ///< Number of columns (right-hand sides).
  int64_t ld;       ///< Leading dimension in elements; 0: the order of A.
  int32_t space;    ///< A gpusupernodal_space: memory that holds `data`.
} gpusupernodal_dense;

/// Returns the version as "MAJOR.MINOR.PATCH", a string of static lifetime.
GPUSUPERNODAL_C_API const char* gpusupernodal_version(void);
/// Returns 1 if the backend ("host" or "cuda") can be used in this process, else 0; gpusupernodal_message(NULL) then says
/// why.
GPUSUPERNODAL_C_API int gpusupernodal_backend_available(const char* backend);

/// Returns 1 if the library was built with the scalar type ("float", "double", "complex_float", "complex_double") or the
/// form ("llt", "ldlt", "lu") of this name, else 0.
GPUSUPERNODAL_C_API int gpusupernodal_built_with(const char* name);

/// Creates a solver for a gpusupernodal_scalar, with default options, and writes it to `*solver` (null on failure).
/// Release it with gpusupernodal_destroy. Cost: a few hundred bytes.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_create(int scalar, gpusupernodal_solver** solver);
/// Destroys the solver and frees its memory; null is allowed.
GPUSUPERNODAL_C_API void gpusupernodal_destroy(gpusupernodal_solver* solver);
/// Returns the sentence of this solver's last call that did not return GPUSUPERNODAL_OK, "" if none; for null, the
/// sentence of this thread's last failed call without a solver. Valid until the next call with the solver (in the
/// thread, for null).
GPUSUPERNODAL_C_API const char* gpusupernodal_message(const gpusupernodal_solver* solver);

/// Sets an option of docs/options.md, given by its C++ name ("backend", "ordering", "refinement.max_steps", …), to a
/// value given by name or number ("cuda", "amd", "2", "true"), or by several numbers ("devices": "0,1"; empty: one device).
/// It takes effect when it does in C++.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_set_option(gpusupernodal_solver* solver, const char* name,
                                                                const char* value);
/// Writes an option's value to `*value`, in the form that gpusupernodal_set_option accepts. Valid until the next call
/// with the solver.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_get_option(gpusupernodal_solver* solver, const char* name,
                                                                const char** value);
/// Returns the name of option `i`, counted from 0; null after the last.
GPUSUPERNODAL_C_API const char* gpusupernodal_option_name(int i);
/// Sets the elimination order from the next analyze on: row old_of_new[k] k-th (ordering "user"). Copies `n` numbers.
/// The order is postordered, as every ordering is: gpusupernodal_old_of_new returns the order in which rows are
/// eliminated.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_set_permutation(gpusupernodal_solver* solver, const int64_t* old_of_new,
                                                                     int64_t n);
/// Eliminates the given rows of A after all others, from the next analyze on: `groups` groups in order of elimination,
/// group g with sizes[g] consecutive entries of `rows`. The numbers are copied; 0 groups: no such rows.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_set_last_rows(gpusupernodal_solver* solver, const int64_t* rows,
                                                                   const int64_t* sizes, int64_t groups);
/// Enqueues the work of later calls on this cudaStream_t, which must live until the next set_stream; null is the default
/// stream. On the device, later calls run after earlier calls of this solver on any stream; the caller orders calls that a
/// graph captures, launches of graphs, and its own work.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_set_stream(gpusupernodal_solver* solver, void* cuda_stream);
/// Makes the next and later factorizations factorize scale·A + offset·I.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_set_shift(gpusupernodal_solver* solver, double offset, double scale);
/// Allocates the workspace for solves with up to `columns` right-hand sides now.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_reserve_right_hand_sides(gpusupernodal_solver* solver, int64_t columns);

/// Decides ordering, structure of L, tasks and backend for the pattern of `a`.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_analyze(gpusupernodal_solver* solver, const gpusupernodal_matrix* a);
/// Factorizes `a`, which must have the analyzed pattern. gpusupernodal_status returns the outcome.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_factorize(gpusupernodal_solver* solver, const gpusupernodal_matrix* a);
/// Calls analyze, then factorize.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_compute(gpusupernodal_solver* solver, const gpusupernodal_matrix* a);
/// Factorizes with `count` new values in a gpusupernodal_space, in the order of the entries given to analyze.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_refactorize(gpusupernodal_solver* solver, const void* values,
                                                                 int64_t count, int space);
/// Returns the outcome of the last factorization: GPUSUPERNODAL_OK, GPUSUPERNODAL_NOT_POSITIVE_DEFINITE,
/// GPUSUPERNODAL_NON_FINITE_INPUT, for LU and LDLᵀ GPUSUPERNODAL_SINGULAR or GPUSUPERNODAL_UNSTABLE, or an error. Waits for
/// the device.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_status(gpusupernodal_solver* solver);
/// Solves A x = b for all columns of b. x may be b itself; otherwise they must not overlap.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_solve(gpusupernodal_solver* solver, const gpusupernodal_dense* b,
                                                           const gpusupernodal_dense* x);
/// Performs the part of the solve that the gpusupernodal_system `part` names; otherwise as gpusupernodal_solve.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_solve_part(gpusupernodal_solver* solver, int part,
                                                                const gpusupernodal_dense* b, const gpusupernodal_dense* x);

/// Writes a number of the reports (report.hpp) to `*value`, named by report and field: "analyze.nonzeros_l",
/// "analyze.memory.total", "factor.failed_column", "factor.smallest_pivot", "solve.refinement_steps", … Waits for the
/// device if a factorization was launched; before one, the factor.* numbers are those of an empty report.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_report_number(gpusupernodal_solver* solver, const char* name,
                                                                   double* value);
/// Writes a text of the reports to `*text`: "analyze.ordering", "analyze.backend_reason", "analyze.device",
/// "factor.status", …; valid until the next call with the solver.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_report_text(gpusupernodal_solver* solver, const char* name,
                                                                 const char** text);
/// Returns the name of number `i` of the reports, counted from 0; null after the last.
GPUSUPERNODAL_C_API const char* gpusupernodal_report_number_name(int i);
/// Returns the name of text `i` of the reports, counted from 0; null after the last.
GPUSUPERNODAL_C_API const char* gpusupernodal_report_text_name(int i);

/// Writes the elimination order, to which L and the parts of a solve refer, to old_of_new[0 … n−1]. It may differ from
/// the order given to gpusupernodal_set_permutation. Precondition: `n` is the order of A.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_old_of_new(gpusupernodal_solver* solver, int64_t* old_of_new,
                                                                int64_t n);
/// For the form ldlt: writes the numbers of positive, negative and zero pivots to inertia[0 … 2], and 1 to `*exact` if they
/// exceed the bound of their rounding errors (FactorReport::inertia_exact), else 0. Waits for the device. Fails before
/// factorize and for other forms.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_inertia(gpusupernodal_solver* solver, int64_t* inertia, int* exact);
/// For the form ldlt: writes the columns of A whose pivots count as zero, ascending, to columns[0 … inertia[2]−1].
/// Precondition: `count` is inertia[2].
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_null_pivots(gpusupernodal_solver* solver, int64_t* columns,
                                                                 int64_t count);
/// Writes the logarithm of the factorized matrix's determinant to `*value`; for the forms lu and ldlt, of its magnitude.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_log_determinant(gpusupernodal_solver* solver, double* value);
/// Writes the real and the imaginary part of det A / |det A| to sign[0 … 1]: 1 or −1, and 0, for real matrices.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_determinant_sign(gpusupernodal_solver* solver, double* sign);
/// Writes an estimate of 1 / (‖A‖₁ ‖A⁻¹‖₁) to `*value`; `a` holds the values that were factorized. Exact up to rounding
/// for n ≤ 11; above that it is an upper bound, mostly within a factor of 3, seldom more than 10 times too large.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_reciprocal_condition(gpusupernodal_solver* solver,
                                                                          const gpusupernodal_matrix* a, double* value);
/// Copies L as compressed columns in elimination order, with the explicit zeros from merging: n + 1 offsets, and `rows`
/// and `values` (in the solver's scalar type), host arrays with space for `entries` elements each. If `rows` and
/// `values` are null, writes the offsets only; the last one is the number of entries.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_extract_l(gpusupernodal_solver* solver, int64_t* offsets, int64_t* rows,
                                                               void* values, int64_t entries);
/// Writes the elimination order and the supernodes of the analysis to a file; not for the form lu.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_save_plan(gpusupernodal_solver* solver, const char* path);
/// Analyzes with the order and supernodes that gpusupernodal_save_plan stored for this pattern.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_load_plan(gpusupernodal_solver* solver, const gpusupernodal_matrix* a,
                                                               const char* path);

/// A sparse matrix, prepared for products (SparseOperator in sparse_operator.hpp).
typedef struct gpusupernodal_operator gpusupernodal_operator;

/// View of a compressed sparse matrix of `rows` × `columns`, as gpusupernodal_matrix; nothing is copied. A half
/// (GPUSUPERNODAL_LOWER, GPUSUPERNODAL_UPPER) means a symmetric matrix, or for complex scalars what the option "symmetry"
/// says; a full one is exactly what is stored.
typedef struct gpusupernodal_sparse {
  int64_t rows;         ///< Number of rows; below 2³¹ − 2²⁰ − 1.
  int64_t columns;      ///< Number of columns; below 2³¹ − 2²⁰ − 1.
  const void* offsets;  ///< One more integer than there are rows (CSR) or columns (CSC), nondecreasing from 0.
  const void* indices;  ///< Zero-based column numbers (CSR) or row numbers (CSC).
  const void* values;   ///< Values in the operator's scalar type; null: gpusupernodal_operator_update brings them.
  int32_t index;        ///< A gpusupernodal_index: type of `offsets` and `indices`.
  int32_t part;         ///< A gpusupernodal_part.
  int32_t compression;  ///< A gpusupernodal_compression: by columns or by rows.
  int32_t value_space;  ///< A gpusupernodal_space: memory that holds `values`.
} gpusupernodal_sparse;

/// View of a matrix given by triples (row, column, value) in any order; nothing is copied. Triples with the same row
/// and column are added in the given order. A half means what it does in gpusupernodal_sparse.
typedef struct gpusupernodal_triples {
  int64_t rows;                ///< Number of rows; below 2³¹ − 2²⁰ − 1.
  int64_t columns;             ///< Number of columns; below 2³¹ − 2²⁰ − 1.
  int64_t count;               ///< Number of triples; below 2³¹ − 2²⁰.
  const void* row_indices;     ///< Zero-based row numbers.
  const void* column_indices;  ///< Zero-based column numbers.
  const void* values;          ///< Values in the operator's scalar type; null: gpusupernodal_operator_update brings them.
  int32_t index;               ///< A gpusupernodal_index: type of `row_indices` and `column_indices`.
  int32_t part;                ///< A gpusupernodal_part.
  int32_t value_space;         ///< A gpusupernodal_space: memory that holds `values`.
} gpusupernodal_triples;

/// Creates an operator for a gpusupernodal_scalar, with default options. Those of complex scalars are on the host.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_operator_create(int scalar, gpusupernodal_operator** op);
/// Destroys an operator; a null pointer is ignored.
GPUSUPERNODAL_C_API void gpusupernodal_operator_destroy(gpusupernodal_operator* op);
/// Returns the sentence about the operator's last failure; for a null pointer that of the calling thread's last failure
/// without an operator.
GPUSUPERNODAL_C_API const char* gpusupernodal_operator_message(const gpusupernodal_operator* op);
/// Sets an option of OperatorOptions: "backend", "format", "tuning", "symmetry", "transposed", "threads" or
/// "device".
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_operator_set_option(gpusupernodal_operator* op, const char* name,
                                                                         const char* value);
/// Sets the cudaStream_t of later calls, which must live until the next set_stream; null is the default stream. The caller
/// makes it wait for calls on the earlier stream, because calls may share memory of the operator.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_operator_set_stream(gpusupernodal_operator* op, void* cuda_stream);
/// Chooses a format and takes memory, and the values if there are some.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_operator_analyze(gpusupernodal_operator* op,
                                                                      const gpusupernodal_sparse* a);
/// As gpusupernodal_operator_analyze, for triples.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_operator_analyze_triples(gpusupernodal_operator* op,
                                                                              const gpusupernodal_triples* a);
/// Takes new values, in the order of the analyzed arrays or triples. `space`: a gpusupernodal_space.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_operator_update(gpusupernodal_operator* op, const void* values,
                                                                     int64_t count, int space);
/// y := alpha·A x + beta·y, with Aᴴ if `transposed` is GPUSUPERNODAL_ADJOINT, and with Aᵀ if it is another number but 0. An
/// ld of 0 is the number of rows of x or y.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_operator_multiply(gpusupernodal_operator* op, int transposed,
                                                                       double alpha, const gpusupernodal_dense* x,
                                                                       double beta, const gpusupernodal_dense* y);
/// Writes a number of OperatorReport, such as "rows", "padding" or "predicted_seconds".
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_operator_report_number(gpusupernodal_operator* op, const char* name,
                                                                            double* value);
/// Writes a text of OperatorReport: "backend", "backend_reason", "format", "kernel" or "figures". It lives until the next
/// call with `op`.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_operator_report_text(gpusupernodal_operator* op, const char* name,
                                                                          const char** text);

/// Conjugate gradients for symmetric or Hermitian positive definite matrices (gpusupernodal::Pcg, pcg.hpp): options, matrix,
/// preconditioner and reports.
typedef struct gpusupernodal_pcg gpusupernodal_pcg;

/// A function of the caller that sets y := f(x) for `n` contiguous entries in the handle's scalar type and in the memory of
/// its backend; on a device it enqueues its work on `stream`. It returns 0, or another number to end the call that needs it.
typedef int (*gpusupernodal_pcg_function)(void* context, const void* x, void* y, int64_t n, void* stream);

/// Creates an object for a gpusupernodal_scalar, with default options; null on failure.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_pcg_create(int scalar, gpusupernodal_pcg** pcg);
/// Destroys the object and frees its memory; null is allowed.
GPUSUPERNODAL_C_API void gpusupernodal_pcg_destroy(gpusupernodal_pcg* pcg);
/// As gpusupernodal_message.
GPUSUPERNODAL_C_API const char* gpusupernodal_pcg_message(const gpusupernodal_pcg* pcg);
/// Sets an option of PcgOptions, given by its C++ name ("preconditioner", "tolerance", …), to a name or number.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_pcg_set_option(gpusupernodal_pcg* pcg, const char* name,
                                                                    const char* value);
/// Writes an option's value to `*value`; valid until the next call with the object.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_pcg_get_option(gpusupernodal_pcg* pcg, const char* name,
                                                                    const char** value);
/// Returns the name of option `i`, counted from 0; null after the last.
GPUSUPERNODAL_C_API const char* gpusupernodal_pcg_option_name(int i);
/// Enqueues the work of later calls on this cudaStream_t, which must live until the next set_stream; null is the default
/// stream. Every call waits for its work, so this stream need not wait for the earlier one, unless a call failed.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_pcg_set_stream(gpusupernodal_pcg* pcg, void* cuda_stream);
/// Takes the pattern of `a`.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_pcg_analyze(gpusupernodal_pcg* pcg, const gpusupernodal_matrix* a);
/// Takes `count` new values in a gpusupernodal_space and sets up the preconditioner.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_pcg_update(gpusupernodal_pcg* pcg, const void* values, int64_t count,
                                                                int space);
/// Calls analyze, then update.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_pcg_compute(gpusupernodal_pcg* pcg, const gpusupernodal_matrix* a);
/// Takes y := A x from a function, for an operator of order n in place of a matrix.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_pcg_set_operator(gpusupernodal_pcg* pcg, int64_t n,
                                                                      gpusupernodal_pcg_function product, void* context);
/// Takes z := M⁻¹ r from a function; null: from the options again, from the next update on.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_pcg_set_preconditioner(gpusupernodal_pcg* pcg,
                                                                            gpusupernodal_pcg_function inverse,
                                                                            void* context);
/// Solves A x = b for all columns, from x if `use_start` is not 0. Returns GPUSUPERNODAL_OK even if a column did not
/// converge: the report's "status" says so.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_pcg_solve(gpusupernodal_pcg* pcg, const gpusupernodal_dense* b,
                                                               const gpusupernodal_dense* x, int use_start);
/// Writes a number of the last solve's report for a column to `*value`: "iterations", "residual", "seconds_setup", …
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_pcg_report_number(gpusupernodal_pcg* pcg, int64_t column,
                                                                       const char* name, double* value);
/// Writes a text of the report to `*text`: "status", "preconditioner" or "backend"; valid until the next call with the
/// object.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_pcg_report_text(gpusupernodal_pcg* pcg, int64_t column,
                                                                     const char* name, const char** text);
/// Returns the name of number `i` of a report, counted from 0; null after the last.
GPUSUPERNODAL_C_API const char* gpusupernodal_pcg_report_number_name(int i);

#ifdef __cplusplus
}
#endif

#include "gpusupernodal_batch.h"

#endif
