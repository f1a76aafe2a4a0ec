#pragma once

/// \file
/// What the handles of batches have alike, and the calls that differ in the handle only.

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "gpusupernodal.h"
#include "gpusupernodal/batch.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/c/handle.hpp"
#include "solver/c/options.hpp"
#include "solver/c/reports.hpp"
#include "solver/c/views.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal::c {

template <template <class> class Batch>
struct BatchHandle {
  ForScalars<Batch> batch;
  std::string text;  ///< Storage for the results of get_option and report_text.
  Message message;
};

template <class B>
struct ScalarOfBatch;
template <template <class> class Batch, class T>
struct ScalarOfBatch<Batch<T>> {
  using type = T;
};
/// The scalar of a BatchSolver<T> or VariableBatchSolver<T>.
template <class B>
using BatchScalar = typename ScalarOfBatch<std::remove_cvref_t<B>>::type;

/// Calls call(handle). A null handle is an invalid input.
template <class Handle, class Call>
gpusupernodal_code with_batch_handle(Handle* handle, const Call& call) noexcept {
  if (handle == nullptr) return guarded(message_without_solver(), [] { fail_null("the batch"); });
  return guarded(handle->message, [&] { call(*handle); });
}

/// Calls call(batch) with the handle's object.
template <class Handle, class Call>
gpusupernodal_code with_batch(Handle* handle, const Call& call) noexcept {
  return with_batch_handle(handle, [&](Handle& h) { std::visit(call, h.batch); });
}

template <class Handle>
gpusupernodal_code create_batch(int scalar, Handle** batch) noexcept {
  return guarded(message_without_solver(), [&] {
    require(batch, "the place for the batch");
    *batch = nullptr;
    auto made = std::make_unique<Handle>();
    emplace_for("a batch", enumerator(scalar, GPUSUPERNODAL_COMPLEX_DOUBLE, "the scalar"), made->batch);
    *batch = made.release();
  });
}

template <class Handle>
const char* batch_message(const Handle* batch) noexcept {
  return batch == nullptr ? message_without_solver().text : batch->message.text;
}

template <class Handle>
gpusupernodal_code set_batch_option(Handle* batch, const char* name, const char* value) noexcept {
  return with_batch(batch, [&](auto& b) {
    require(name, "the option's name");
    require(value, "the option's value");
    Options options = b.options();
    set_option(options, name, value);
    b.set_options(std::move(options));
  });
}

template <class Handle>
gpusupernodal_code get_batch_option(Handle* batch, const char* name, const char** value) noexcept {
  return with_batch_handle(batch, [&](Handle& handle) {
    require(name, "the option's name");
    require(value, "the place for the value");
    handle.text = std::visit([&](const auto& b) { return option_text(b.options(), name); }, handle.batch);
    *value = handle.text.c_str();
  });
}

template <class Handle>
gpusupernodal_code set_batch_wanted(Handle* batch, const unsigned char* wanted, std::int64_t count) noexcept {
  return with_batch(batch, [&](auto& b) {
    require_count(count, "the mask");
    if (count > 0) require(wanted, "the mask");
    b.set_wanted({wanted, static_cast<std::size_t>(count)});
  });
}

/// The addresses as those of a scalar type.
template <class T>
std::vector<const T*> typed_addresses(const void* const* values, std::int64_t count) {
  require_count(count, "the values");
  if (count > 0) require(values, "the values");
  std::vector<const T*> pointers;
  pointers.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) pointers.push_back(static_cast<const T*>(values[i]));
  return pointers;
}

inline void copy_statuses(Span<const BatchStatus> from, std::int32_t* to, std::int64_t count) {
  const auto systems = static_cast<std::int64_t>(from.size());
  if (count != systems) fail<InvalidInput>("{} for {} systems were given, but the batch has {}", "statuses", count, systems);
  if (count > 0) require(to, "the place for the statuses");
  std::transform(from.begin(), from.end(), to, [](BatchStatus status) { return static_cast<std::int32_t>(status); });
}

/// `reports_of`: a function of the object that makes Reports.
template <class Handle, class ReportsOf>
gpusupernodal_code batch_report_number(Handle* batch, const char* name, double* value,
                                       const ReportsOf& reports_of) noexcept {
  return with_batch(batch, [&](auto& b) {
    require(name, "the number's name");
    require(value, "the place for the number");
    *value = report_number(reports_of(b), name);
  });
}
template <class Handle, class ReportsOf>
gpusupernodal_code batch_report_text(Handle* batch, const char* name, const char** text,
                                     const ReportsOf& reports_of) noexcept {
  return with_batch_handle(batch, [&](Handle& handle) {
    require(name, "the text's name");
    require(text, "the place for the text");
    handle.text = std::visit([&](auto& b) { return report_text(reports_of(b), name); }, handle.batch);
    *text = handle.text.c_str();
  });
}

}  // namespace gpusupernodal::c
