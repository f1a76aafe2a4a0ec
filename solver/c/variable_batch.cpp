#include "gpusupernodal/variable_batch.hpp"

#include <complex>
#include <vector>

#include "gpusupernodal.h"
#include "solver/c/batch_handle.hpp"

struct gpusupernodal_variable_batch : gpusupernodal::c::BatchHandle<gpusupernodal::VariableBatchSolver> {};

namespace gpusupernodal::c {
namespace {

/// Views of `count` matrices, one for each system. Sizes are checked where they are known.
template <class T, class B>
std::vector<DenseView<T>> dense_views(const gpusupernodal_dense* x, std::int64_t count, const B& batch, const char* what) {
  require_count(count, what);
  if (count > 0) require(x, what);
  std::vector<DenseView<T>> views;
  views.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    views.push_back(dense_view<T>(x + i, i < batch.count() ? batch.order(i) : 0, what));
  return views;
}

/// A function that makes the reports of a system.
auto reports_of_listed_system(std::int64_t system) {
  return [system](auto& batch) -> Reports {
    const FactorReport& factor = batch.report(system);
    return {batch.analyze_report(batch.pattern_of(system)), factor, batch.solve_report(system)};
  };
}

}  // namespace
}  // namespace gpusupernodal::c

namespace c = gpusupernodal::c;

gpusupernodal_code gpusupernodal_variable_batch_create(int scalar, gpusupernodal_variable_batch** batch) {
  return c::create_batch(scalar, batch);
}

void gpusupernodal_variable_batch_destroy(gpusupernodal_variable_batch* batch) { delete batch; }

const char* gpusupernodal_variable_batch_message(const gpusupernodal_variable_batch* batch) {
  return c::batch_message(batch);
}

gpusupernodal_code gpusupernodal_variable_batch_set_option(gpusupernodal_variable_batch* batch, const char* name,
                                                           const char* value) {
  return c::set_batch_option(batch, name, value);
}

gpusupernodal_code gpusupernodal_variable_batch_get_option(gpusupernodal_variable_batch* batch, const char* name,
                                                           const char** value) {
  return c::get_batch_option(batch, name, value);
}

gpusupernodal_code gpusupernodal_variable_batch_analyze(gpusupernodal_variable_batch* batch,
                                                        const gpusupernodal_matrix* systems, int64_t count) {
  return c::with_batch(batch, [&](auto& b) {
    using T = c::BatchScalar<decltype(b)>;
    c::require_count(count, "the list of matrices");
    if (count > 0) c::require(systems, "the list of matrices");
    std::vector<gpusupernodal::MatrixView<T>> views;
    views.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) views.push_back(c::matrix_view<T>(systems + i));
    b.analyze(views);
  });
}

gpusupernodal_code gpusupernodal_variable_batch_set_wanted(gpusupernodal_variable_batch* batch, const unsigned char* wanted,
                                                           int64_t count) {
  return c::set_batch_wanted(batch, wanted, count);
}

gpusupernodal_code gpusupernodal_variable_batch_set_stream(gpusupernodal_variable_batch* batch, void* cuda_stream) {
  return c::with_batch(batch, [&](auto& b) { b.set_stream(cuda_stream); });
}

gpusupernodal_code gpusupernodal_variable_batch_refactorize(gpusupernodal_variable_batch* batch, const void* const* values,
                                                            int64_t count, int space) {
  return c::with_batch(batch, [&](auto& b) {
    using T = c::BatchScalar<decltype(b)>;
    b.refactorize(c::typed_addresses<T>(values, count), c::space_of(space, "the values' space"));
  });
}

gpusupernodal_code gpusupernodal_variable_batch_solve(gpusupernodal_variable_batch* batch, const gpusupernodal_dense* b,
                                                      const gpusupernodal_dense* x, int64_t count) {
  return gpusupernodal_variable_batch_solve_part(batch, GPUSUPERNODAL_A, b, x, count);
}

gpusupernodal_code gpusupernodal_variable_batch_solve_part(gpusupernodal_variable_batch* batch, int part,
                                                           const gpusupernodal_dense* b, const gpusupernodal_dense* x,
                                                           int64_t count) {
  return c::with_batch(batch, [&](auto& s) {
    using T = c::BatchScalar<decltype(s)>;
    const auto right = c::dense_views<const T>(b, count, s, "b");
    const auto solutions = c::dense_views<T>(x, count, s, "x");
    s.solve(right, solutions, c::enumerator(part, gpusupernodal::System::adjoint, "the part of the solve"));
  });
}

gpusupernodal_code gpusupernodal_variable_batch_statuses(gpusupernodal_variable_batch* batch, int32_t* statuses,
                                                         int64_t count) {
  return c::with_batch(batch, [&](auto& b) { c::copy_statuses(b.statuses(), statuses, count); });
}

gpusupernodal_code gpusupernodal_variable_batch_solve_statuses(gpusupernodal_variable_batch* batch, int32_t* statuses,
                                                               int64_t count) {
  return c::with_batch(batch, [&](auto& b) { c::copy_statuses(b.solve_statuses(), statuses, count); });
}

gpusupernodal_code gpusupernodal_variable_batch_patterns(gpusupernodal_variable_batch* batch, int64_t* patterns) {
  return c::with_batch(batch, [&](auto& b) {
    c::require(patterns, "the place for the number of patterns");
    *patterns = b.patterns();
  });
}

gpusupernodal_code gpusupernodal_variable_batch_pattern_of(gpusupernodal_variable_batch* batch, int64_t system,
                                                           int64_t* pattern) {
  return c::with_batch(batch, [&](auto& b) {
    c::require(pattern, "the place for the pattern");
    *pattern = b.pattern_of(system);
  });
}

gpusupernodal_code gpusupernodal_variable_batch_report_number(gpusupernodal_variable_batch* batch, int64_t system,
                                                              const char* name, double* value) {
  return c::batch_report_number(batch, name, value, c::reports_of_listed_system(system));
}

gpusupernodal_code gpusupernodal_variable_batch_report_text(gpusupernodal_variable_batch* batch, int64_t system,
                                                            const char* name, const char** text) {
  return c::batch_report_text(batch, name, text, c::reports_of_listed_system(system));
}
