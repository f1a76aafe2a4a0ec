#include "gpusupernodal/batch.hpp"

#include <algorithm>
#include <complex>

#include "gpusupernodal.h"
#include "solver/c/batch_handle.hpp"

struct gpusupernodal_batch : gpusupernodal::c::BatchHandle<gpusupernodal::BatchSolver> {};

namespace gpusupernodal::c {
namespace {

template <class T, class B>
BatchView<T> batch_view(const gpusupernodal_batch_dense* x, const B& batch, const char* what) {
  require(x, what);
  const std::int64_t n = batch.order();
  const std::int64_t ld = x->ld == 0 ? std::max<std::int64_t>(n, 1) : x->ld;
  BatchView<T> view(static_cast<T*>(x->data), n, x->columns, ld, x->stride, x->count);
  view.space = space_of(x->space, what);
  return view;
}

/// A function that makes the reports of a system.
auto reports_of_system(std::int64_t system) {
  return [system](auto& batch) -> Reports {
    const FactorReport& factor = batch.report(system);
    return {batch.analyze_report(), factor, batch.solve_report(system)};
  };
}

}  // namespace
}  // namespace gpusupernodal::c

namespace c = gpusupernodal::c;

gpusupernodal_code gpusupernodal_batch_create(int scalar, gpusupernodal_batch** batch) {
  return c::create_batch(scalar, batch);
}

void gpusupernodal_batch_destroy(gpusupernodal_batch* batch) { delete batch; }

const char* gpusupernodal_batch_message(const gpusupernodal_batch* batch) { return c::batch_message(batch); }

gpusupernodal_code gpusupernodal_batch_set_option(gpusupernodal_batch* batch, const char* name, const char* value) {
  return c::set_batch_option(batch, name, value);
}

gpusupernodal_code gpusupernodal_batch_get_option(gpusupernodal_batch* batch, const char* name, const char** value) {
  return c::get_batch_option(batch, name, value);
}

gpusupernodal_code gpusupernodal_batch_analyze(gpusupernodal_batch* batch, const gpusupernodal_matrix* a, int64_t count) {
  return c::with_batch(batch, [&](auto& b) { b.analyze(c::matrix_view<c::BatchScalar<decltype(b)>>(a), count); });
}

gpusupernodal_code gpusupernodal_batch_set_wanted(gpusupernodal_batch* batch, const unsigned char* wanted, int64_t count) {
  return c::set_batch_wanted(batch, wanted, count);
}

gpusupernodal_code gpusupernodal_batch_set_stream(gpusupernodal_batch* batch, void* cuda_stream) {
  return c::with_batch(batch, [&](auto& b) { b.set_stream(cuda_stream); });
}

gpusupernodal_code gpusupernodal_batch_refactorize(gpusupernodal_batch* batch, const void* values, int64_t stride,
                                                   int64_t count, int space) {
  return c::with_batch(batch, [&](auto& b) {
    using T = c::BatchScalar<decltype(b)>;
    if (count > 0) c::require(values, "the values");
    gpusupernodal::BatchValues<T> all(static_cast<const T*>(values), stride, count);
    all.space = c::space_of(space, "the values' space");
    b.refactorize(all);
  });
}

gpusupernodal_code gpusupernodal_batch_refactorize_pointers(gpusupernodal_batch* batch, const void* const* values,
                                                            int64_t count, int space) {
  return c::with_batch(batch, [&](auto& b) {
    using T = c::BatchScalar<decltype(b)>;
    const std::vector<const T*> pointers = c::typed_addresses<T>(values, count);
    gpusupernodal::BatchValues<T> all{gpusupernodal::Span<const T* const>(pointers)};
    all.space = c::space_of(space, "the values' space");
    b.refactorize(all);
  });
}

gpusupernodal_code gpusupernodal_batch_solve(gpusupernodal_batch* batch, const gpusupernodal_batch_dense* b,
                                             const gpusupernodal_batch_dense* x) {
  return gpusupernodal_batch_solve_part(batch, GPUSUPERNODAL_A, b, x);
}

gpusupernodal_code gpusupernodal_batch_solve_part(gpusupernodal_batch* batch, int part, const gpusupernodal_batch_dense* b,
                                                  const gpusupernodal_batch_dense* x) {
  return c::with_batch(batch, [&](auto& s) {
    using T = c::BatchScalar<decltype(s)>;
    s.solve(c::batch_view<const T>(b, s, "b"), c::batch_view<T>(x, s, "x"),
            c::enumerator(part, gpusupernodal::System::adjoint, "the part of the solve"));
  });
}

gpusupernodal_code gpusupernodal_batch_statuses(gpusupernodal_batch* batch, int32_t* statuses, int64_t count) {
  return c::with_batch(batch, [&](auto& b) { c::copy_statuses(b.statuses(), statuses, count); });
}

gpusupernodal_code gpusupernodal_batch_solve_statuses(gpusupernodal_batch* batch, int32_t* statuses, int64_t count) {
  return c::with_batch(batch, [&](auto& b) { c::copy_statuses(b.solve_statuses(), statuses, count); });
}

const char* gpusupernodal_batch_status_name(int status) {
  const bool known = status >= 0 && status < static_cast<int>(gpusupernodal::batch_status_names.size());
  return known ? gpusupernodal::batch_status_names[static_cast<std::size_t>(status)] : nullptr;
}

gpusupernodal_code gpusupernodal_batch_report_number(gpusupernodal_batch* batch, int64_t system, const char* name,
                                                     double* value) {
  return c::batch_report_number(batch, name, value, c::reports_of_system(system));
}

gpusupernodal_code gpusupernodal_batch_report_text(gpusupernodal_batch* batch, int64_t system, const char* name,
                                                   const char** text) {
  return c::batch_report_text(batch, name, text, c::reports_of_system(system));
}
