#include "gpusupernodal/batch.hpp"

#include <algorithm>
#include <complex>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include "gpusupernodal.h"
#include "gpusupernodal/error.hpp"
#include "solver/c/handle.hpp"
#include "solver/c/options.hpp"
#include "solver/c/reports.hpp"
#include "solver/c/views.hpp"
#include "solver/common/fail.hpp"

struct gpusupernodal_batch {
  gpusupernodal::c::ForScalars<gpusupernodal::BatchSolver> batch;
  std::string text;  ///< Storage for the results of get_option and report_text.
  gpusupernodal::c::Message message;
};

namespace gpusupernodal::c {
namespace {

template <class B>
struct ScalarOfBatch;
template <class T>
struct ScalarOfBatch<BatchSolver<T>> {
  using type = T;
};
template <class B>
using BatchScalar = typename ScalarOfBatch<std::remove_cvref_t<B>>::type;

/// Calls call(handle). A null handle is an invalid input.
template <class Call>
gpusupernodal_code with_batch_handle(gpusupernodal_batch* handle, const Call& call) noexcept {
  if (handle == nullptr) return guarded(message_without_solver(), [] { fail_null("the batch"); });
  return guarded(handle->message, [&] { call(*handle); });
}

/// Calls call(batch) with the handle's BatchSolver<T>.
template <class Call>
gpusupernodal_code with_batch(gpusupernodal_batch* handle, const Call& call) noexcept {
  return with_batch_handle(handle, [&](gpusupernodal_batch& h) { std::visit(call, h.batch); });
}

template <class T, class B>
BatchView<T> batch_view(const gpusupernodal_batch_dense* x, const B& batch, const char* what) {
  require(x, what);
  const std::int64_t n = batch.order();
  const std::int64_t ld = x->ld == 0 ? std::max<std::int64_t>(n, 1) : x->ld;
  BatchView<T> view(static_cast<T*>(x->data), n, x->columns, ld, x->stride, x->count);
  view.space = space_of(x->space, what);
  return view;
}

template <class T>
Reports reports_of_system(const BatchSolver<T>& batch, std::int64_t system) {
  const FactorReport& factor = batch.report(system);
  return {batch.analyze_report(), factor, batch.solve_report(system)};
}

void copy_statuses(Span<const BatchStatus> from, std::int32_t* to, std::int64_t count) {
  const auto systems = static_cast<std::int64_t>(from.size());
  if (count != systems) fail<InvalidInput>("{} for {} systems were given, but the batch has {}", "statuses", count, systems);
  if (count > 0) require(to, "the place for the statuses");
  std::transform(from.begin(), from.end(), to, [](BatchStatus status) { return static_cast<std::int32_t>(status); });
}

}  // namespace
}  // namespace gpusupernodal::c

namespace c = gpusupernodal::c;
using gpusupernodal::fail;
using gpusupernodal::InvalidInput;

gpusupernodal_code gpusupernodal_batch_create(int scalar, gpusupernodal_batch** batch) {
  return c::guarded(c::message_without_solver(), [&] {
    c::require(batch, "the place for the batch");
    *batch = nullptr;
    auto made = std::make_unique<gpusupernodal_batch>();
    c::emplace_for("a batch", c::enumerator(scalar, GPUSUPERNODAL_COMPLEX_DOUBLE, "the scalar"), made->batch);
    *batch = made.release();
  });
}

void gpusupernodal_batch_destroy(gpusupernodal_batch* batch) { delete batch; }

const char* gpusupernodal_batch_message(const gpusupernodal_batch* batch) {
  return batch == nullptr ? c::message_without_solver().text : batch->message.text;
}

gpusupernodal_code gpusupernodal_batch_set_option(gpusupernodal_batch* batch, const char* name, const char* value) {
  return c::with_batch(batch, [&](auto& b) {
    c::require(name, "the option's name");
    c::require(value, "the option's value");
    gpusupernodal::Options options = b.options();
    c::set_option(options, name, value);
    b.set_options(std::move(options));
  });
}

gpusupernodal_code gpusupernodal_batch_get_option(gpusupernodal_batch* batch, const char* name, const char** value) {
  return c::with_batch_handle(batch, [&](gpusupernodal_batch& handle) {
    c::require(name, "the option's name");
    c::require(value, "the place for the value");
    handle.text = std::visit([&](const auto& b) { return c::option_text(b.options(), name); }, handle.batch);
    *value = handle.text.c_str();
  });
}

gpusupernodal_code gpusupernodal_batch_analyze(gpusupernodal_batch* batch, const gpusupernodal_matrix* a, int64_t count) {
  return c::with_batch(batch, [&](auto& b) { b.analyze(c::matrix_view<c::BatchScalar<decltype(b)>>(a), count); });
}

gpusupernodal_code gpusupernodal_batch_set_wanted(gpusupernodal_batch* batch, const unsigned char* wanted, int64_t count) {
  return c::with_batch(batch, [&](auto& b) {
    c::require_count(count, "the mask");
    if (count > 0) c::require(wanted, "the mask");
    b.set_wanted({wanted, static_cast<std::size_t>(count)});
  });
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
    c::require_count(count, "the values");
    if (count > 0) c::require(values, "the values");
    std::vector<const T*> pointers;
    pointers.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) pointers.push_back(static_cast<const T*>(values[i]));
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
  return c::with_batch(batch, [&](auto& b) {
    c::require(name, "the number's name");
    c::require(value, "the place for the number");
    *value = c::report_number(c::reports_of_system(b, system), name);
  });
}

gpusupernodal_code gpusupernodal_batch_report_text(gpusupernodal_batch* batch, int64_t system, const char* name,
                                                   const char** text) {
  return c::with_batch_handle(batch, [&](gpusupernodal_batch& handle) {
    c::require(name, "the text's name");
    c::require(text, "the place for the text");
    handle.text = std::visit([&](auto& b) { return c::report_text(c::reports_of_system(b, system), name); }, handle.batch);
    *text = handle.text.c_str();
  });
}
