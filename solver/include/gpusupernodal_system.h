#ifndef GPUSUPERNODAL_SYSTEM_H
#define GPUSUPERNODAL_SYSTEM_H

/// \file
/// The C interface of gpusupernodal::SystemSolver. Codes, threads and streams are as in gpusupernodal.h.

#include "gpusupernodal.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Systems with symmetric positive definite matrices of real numbers, solved by a factorization or by conjugate gradients,
/// whichever is forecast to end sooner (gpusupernodal::SystemSolver, system_solver.hpp).
typedef struct gpusupernodal_system_solver gpusupernodal_system_solver;

/// Creates an object for GPUSUPERNODAL_FLOAT or GPUSUPERNODAL_DOUBLE, with default options; null on failure.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_system_create(int scalar, gpusupernodal_system_solver** system);
/// Destroys the object and frees its memory; null is allowed.
GPUSUPERNODAL_C_API void gpusupernodal_system_destroy(gpusupernodal_system_solver* system);
/// As gpusupernodal_message.
GPUSUPERNODAL_C_API const char* gpusupernodal_system_message(const gpusupernodal_system_solver* system);
/// Sets an option of SystemOptions, given by its C++ name ("method", "expected_solves", …), to a name or number.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_system_set_option(gpusupernodal_system_solver* system, const char* name,
                                                                       const char* value);
/// Writes an option's value to `*value`; valid until the next call with the object.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_system_get_option(gpusupernodal_system_solver* system, const char* name,
                                                                       const char** value);
/// Returns the name of option `i`, counted from 0; null after the last.
GPUSUPERNODAL_C_API const char* gpusupernodal_system_option_name(int i);
/// As gpusupernodal_pcg_set_stream.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_system_set_stream(gpusupernodal_system_solver* system,
                                                                       void* cuda_stream);
/// Takes the pattern of `a`.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_system_analyze(gpusupernodal_system_solver* system,
                                                                    const gpusupernodal_matrix* a);
/// Takes `count` new values in a gpusupernodal_space.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_system_update(gpusupernodal_system_solver* system, const void* values,
                                                                   int64_t count, int space);
/// Calls analyze, then update.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_system_compute(gpusupernodal_system_solver* system,
                                                                    const gpusupernodal_matrix* a);
/// Solves A x = b for all columns. Returns GPUSUPERNODAL_NOT_POSITIVE_DEFINITE or GPUSUPERNODAL_NON_FINITE_INPUT for these
/// outcomes, which leave x as it was, and GPUSUPERNODAL_NUMERICAL_FAILURE if an iteration did not converge or x is not
/// accurate; the report is valid in all these cases. After other failures than a refused b or x it is "not_solved".
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_system_solve(gpusupernodal_system_solver* system,
                                                                  const gpusupernodal_dense* b,
                                                                  const gpusupernodal_dense* x);
/// Writes a number of the last solve's SystemReport to `*value`: "iterations", "forecast_direct", "seconds_solve", …
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_system_report_number(gpusupernodal_system_solver* system,
                                                                          const char* name, double* value);
/// Writes a text of the report to `*text`: "status", "method", "reason" or "backend"; valid until the next call with the
/// object.
GPUSUPERNODAL_C_API gpusupernodal_code gpusupernodal_system_report_text(gpusupernodal_system_solver* system,
                                                                        const char* name, const char** text);
/// Returns the name of number `i` of a report, counted from 0; null after the last.
GPUSUPERNODAL_C_API const char* gpusupernodal_system_report_number_name(int i);

#ifdef __cplusplus
}
#endif

#endif
