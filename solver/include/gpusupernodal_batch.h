#ifndef GPUSUPERNODAL_BATCH_H
#define GPUSUPERNODAL_BATCH_H

/// \file
/// The part of the C interface for batches; gpusupernodal.h includes it.

#include "gpusupernodal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Many systems whose matrices have one pattern (gpusupernodal::BatchSolver, batch.hpp).
typedef struct gpusupernodal_batch gpusupernodal_batch;

/// Outcome for one system of a batch.
typedef enum gpusupernodal_batch_status {
  GPUSUPERNODAL_BATCH_SUCCESS = 0,
  GPUSUPERNODAL_BATCH_NOT_POSITIVE_DEFINITE = 1,
  GPUSUPERNODAL_BATCH_NON_FINITE_INPUT = 2,
  GPUSUPERNODAL_BATCH_SINGULAR = 3,
  GPUSUPERNODAL_BATCH_UNSTABLE = 4,
  GPUSUPERNODAL_BATCH_NOT_FACTORIZED = 5,  ///< No values since the analysis, or interrupted.
  GPUSUPERNODAL_BATCH_SKIPPED = 6          ///< A solve left the system out, because it was not wanted.
} gpusupernodal_batch_status;

/// View of a dense column-major matrix for each system of a batch, with as many rows as A.
typedef struct gpusupernodal_batch_dense {
  void* data;       ///< Entry (0, 0) of system 0, in the batch's scalar type; right-hand sides are only read.
  int64_t columns;  ///< Columns of each matrix.
  int64_t ld;       ///< Leading dimension in elements; 0: the order of A.
  int64_t stride;   ///< Elements from a system to the next; for right-hand sides, 0 gives all systems the same ones.
  int64_t count;    ///< Number of systems.
  int32_t space;    ///< A gpusupernodal_space: memory that holds `data`.
} gpusupernodal_batch_dense;

/// Creates an object for a gpusupernodal_scalar, with default options; null on failure.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_batch_create(int scalar, gpusupernodal_batch** batch);
/// Destroys the object and frees its memory; null is allowed.
GPUSUPERNODAL_C_API void gpusupernodal_batch_destroy(gpusupernodal_batch* batch);
/// As gpusupernodal_message.
GPUSUPERNODAL_C_API const char* gpusupernodal_batch_message(const gpusupernodal_batch* batch);
/// As gpusupernodal_set_option; options act from the next analyze on.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_batch_set_option(gpusupernodal_batch* batch, const char* name,
                                                                      const char* value);
/// As gpusupernodal_get_option.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_batch_get_option(gpusupernodal_batch* batch, const char* name,
                                                                      const char** value);
/// Analyzes the pattern of `a` for `count` systems.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_batch_analyze(gpusupernodal_batch* batch, const gpusupernodal_matrix* a,
                                                                   int64_t count);
/// Names the systems that later calls compute: those whose byte is not 0. `count` 0: all.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_batch_set_wanted(gpusupernodal_batch* batch,
                                                                      const unsigned char* wanted, int64_t count);
/// As gpusupernodal_set_stream.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_batch_set_stream(gpusupernodal_batch* batch, void* cuda_stream);
/// Factorizes with values in a gpusupernodal_space, `stride` elements from a system to the next. Returns GPUSUPERNODAL_OK
/// even if systems failed: gpusupernodal_batch_statuses tells.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_batch_refactorize(gpusupernodal_batch* batch, const void* values,
                                                                       int64_t stride, int64_t count, int space);
/// As above, with the address of each system's values; null for systems that are not wanted. The array of addresses is in
/// host memory.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_batch_refactorize_pointers(gpusupernodal_batch* batch,
                                                                                const void* const* values, int64_t count,
                                                                                int space);
/// Solves for all wanted systems. Returns GPUSUPERNODAL_OK even if a system has no solution:
/// gpusupernodal_batch_solve_statuses tells.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_batch_solve(gpusupernodal_batch* batch,
                                                                 const gpusupernodal_batch_dense* b,
                                                                 const gpusupernodal_batch_dense* x);
/// As above, for a gpusupernodal_system.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_batch_solve_part(gpusupernodal_batch* batch, int part,
                                                                      const gpusupernodal_batch_dense* b,
                                                                      const gpusupernodal_batch_dense* x);
/// Writes the gpusupernodal_batch_status of each system's factorization; `count` is the number of systems.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_batch_statuses(gpusupernodal_batch* batch, int32_t* statuses,
                                                                    int64_t count);
/// Writes the gpusupernodal_batch_status of each system in the last solve; `count` is the number of systems.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_batch_solve_statuses(gpusupernodal_batch* batch, int32_t* statuses,
                                                                          int64_t count);
/// Returns the name of a gpusupernodal_batch_status, a string of static lifetime; null for another number.
GPUSUPERNODAL_C_API const char* gpusupernodal_batch_status_name(int status);
/// As gpusupernodal_report_number, for a system: "factor.growth", "solve.backward_error", …
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_batch_report_number(gpusupernodal_batch* batch, int64_t system,
                                                                         const char* name, double* value);
/// As gpusupernodal_report_text, for a system.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_batch_report_text(gpusupernodal_batch* batch, int64_t system,
                                                                       const char* name, const char** text);

/// Many systems with any patterns and orders (gpusupernodal::VariableBatchSolver, variable_batch.hpp). Lists have an entry
/// for each system. Entries of systems that are not wanted are not used, but must be initialised, for example with zeros.
typedef struct gpusupernodal_variable_batch gpusupernodal_variable_batch;

/// As gpusupernodal_batch_create.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_variable_batch_create(int scalar, gpusupernodal_variable_batch** batch);
/// Destroys the object and frees its memory; null is allowed.
GPUSUPERNODAL_C_API void gpusupernodal_variable_batch_destroy(gpusupernodal_variable_batch* batch);
/// As gpusupernodal_message.
GPUSUPERNODAL_C_API const char* gpusupernodal_variable_batch_message(const gpusupernodal_variable_batch* batch);
/// As gpusupernodal_set_option; options act from the next analyze on.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_variable_batch_set_option(gpusupernodal_variable_batch* batch,
                                                                               const char* name, const char* value);
/// As gpusupernodal_get_option.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_variable_batch_get_option(gpusupernodal_variable_batch* batch,
                                                                               const char* name, const char** value);
/// Analyzes the patterns of `count` matrices, each distinct pattern once.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_variable_batch_analyze(gpusupernodal_variable_batch* batch,
                                                                            const gpusupernodal_matrix* systems,
                                                                            int64_t count);
/// As gpusupernodal_batch_set_wanted.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_variable_batch_set_wanted(gpusupernodal_variable_batch* batch,
                                                                               const unsigned char* wanted, int64_t count);
/// As gpusupernodal_set_stream.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_variable_batch_set_stream(gpusupernodal_variable_batch* batch,
                                                                               void* cuda_stream);
/// Factorizes with the values at these addresses, which are in a gpusupernodal_space; the array of addresses is in host
/// memory. Returns GPUSUPERNODAL_OK even if systems failed: gpusupernodal_variable_batch_statuses tells.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_variable_batch_refactorize(gpusupernodal_variable_batch* batch,
                                                                                const void* const* values, int64_t count,
                                                                                int space);
/// Solves for all wanted systems, with equally many right-hand sides for each. Returns GPUSUPERNODAL_OK even if a system has
/// no solution: gpusupernodal_variable_batch_solve_statuses tells.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_variable_batch_solve(gpusupernodal_variable_batch* batch,
                                                                          const gpusupernodal_dense* b,
                                                                          const gpusupernodal_dense* x, int64_t count);
/// As above, for a gpusupernodal_system.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_variable_batch_solve_part(gpusupernodal_variable_batch* batch, int part,
                                                                               const gpusupernodal_dense* b,
                                                                               const gpusupernodal_dense* x, int64_t count);
/// As gpusupernodal_batch_statuses.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_variable_batch_statuses(gpusupernodal_variable_batch* batch,
                                                                             int32_t* statuses, int64_t count);
/// As gpusupernodal_batch_solve_statuses.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_variable_batch_solve_statuses(gpusupernodal_variable_batch* batch,
                                                                                   int32_t* statuses, int64_t count);
/// Writes the number of distinct patterns; 0 before analyze.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_variable_batch_patterns(gpusupernodal_variable_batch* batch,
                                                                             int64_t* patterns);
/// Writes the number of a system's pattern, from 0 on in the order of the patterns' first systems.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_variable_batch_pattern_of(gpusupernodal_variable_batch* batch,
                                                                               int64_t system, int64_t* pattern);
/// As gpusupernodal_batch_report_number; "analyze.…" is about the system's pattern.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_variable_batch_report_number(gpusupernodal_variable_batch* batch,
                                                                                  int64_t system, const char* name,
                                                                                  double* value);
/// As gpusupernodal_batch_report_text; "analyze.…" is about the system's pattern.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_variable_batch_report_text(gpusupernodal_variable_batch* batch,
                                                                                int64_t system, const char* name,
                                                                                const char** text);

#ifdef __cplusplus
}
#endif

#endif
