#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gpusupernodal/sparse_product.hpp"
#include "gpusupernodal_product.h"
#include "solver/c/handle.hpp"
#include "solver/c/options.hpp"
#include "solver/c/product_views.hpp"
#include "solver/c/views.hpp"

struct gpusupernodal_normal {
  gpusupernodal::c::ForReals<gpusupernodal::NormalEquations> normal;
  std::vector<std::int32_t> narrow_offsets;  ///< Offsets of M as its indices; empty if they need 8 bytes.
  std::vector<std::int64_t> wide_indices;    ///< Otherwise, indices of M as its offsets.
  std::string text;                          ///< Storage for the results of report_text.
  gpusupernodal::c::Message message;
};

namespace gpusupernodal::c {
namespace {

template <class T>
T scalar_of_normal(const NormalEquations<T>&);
template <class Normal>
using ScalarOfNormal = decltype(scalar_of_normal(std::declval<Normal>()));

template <class Call>
gpusupernodal_code with_normal(gpusupernodal_normal* handle, const Call& call) noexcept {
  if (handle == nullptr) return guarded(message_without_solver(), [] { fail_null("the normal equations"); });
  return guarded(handle->message, [&] { std::visit(call, handle->normal); });
}

/// Sets the pattern of M with integers of one type: of 4 bytes where they suffice.
template <class T>
void set_pattern(const MatrixView<T>& m, gpusupernodal_normal& handle, gpusupernodal_matrix& matrix) {
  const std::int64_t entries = m.offsets[m.n];
  if (entries <= std::numeric_limits<std::int32_t>::max()) {
    handle.narrow_offsets.resize(static_cast<std::size_t>(m.n) + 1);
    for (std::int64_t i = 0; i <= m.n; ++i)
      handle.narrow_offsets[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(m.offsets[i]);
    matrix.offsets = handle.narrow_offsets.data();
    matrix.indices = m.indices.narrow();
    matrix.index = GPUSUPERNODAL_INT32;
  } else {
    handle.wide_indices.assign(m.indices.narrow(), m.indices.narrow() + entries);
    matrix.offsets = m.offsets.wide();
    matrix.indices = handle.wide_indices.data();
    matrix.index = GPUSUPERNODAL_INT64;
  }
}

}  // namespace
}  // namespace gpusupernodal::c

namespace c = gpusupernodal::c;

gpusupernodal_code gpusupernodal_normal_create(int scalar, gpusupernodal_normal** normal) {
  return c::guarded(c::message_without_solver(), [&] {
    c::require(normal, "the place for the normal equations");
    *normal = nullptr;
    auto made = std::make_unique<gpusupernodal_normal>();
    c::emplace_for("the object of normal equations", c::enumerator(scalar, GPUSUPERNODAL_DOUBLE, "the scalar"),
                   made->normal);
    *normal = made.release();
  });
}

void gpusupernodal_normal_destroy(gpusupernodal_normal* normal) { delete normal; }

const char* gpusupernodal_normal_message(const gpusupernodal_normal* normal) {
  return normal == nullptr ? c::message_without_solver().text : normal->message.text;
}

gpusupernodal_code gpusupernodal_normal_set_option(gpusupernodal_normal* normal, const char* name, const char* value) {
  return c::with_normal(normal, [&](auto& m) {
    c::require(name, "the option's name");
    c::require(value, "the option's value");
    gpusupernodal::ProductOptions options = m.options();
    c::set_option(options, name, value);
    m.set_options(std::move(options));
  });
}

gpusupernodal_code gpusupernodal_normal_set_stream(gpusupernodal_normal* normal, void* cuda_stream) {
  return c::with_normal(normal, [&](auto& m) { m.set_stream(cuda_stream); });
}

gpusupernodal_code gpusupernodal_normal_analyze(gpusupernodal_normal* normal, const gpusupernodal_sparse* a) {
  return c::with_normal(normal, [&](auto& m) { m.analyze(c::operand_view<c::ScalarOfNormal<decltype(m)>>(a, "A")); });
}

gpusupernodal_code gpusupernodal_normal_update(gpusupernodal_normal* normal, const void* values, int64_t count, int space) {
  return c::with_normal(normal, [&](auto& m) {
    const auto numbers = c::values_of<c::ScalarOfNormal<decltype(m)>>(values, count, "the array of values of A");
    m.update(numbers, c::space_of(space, "the space of values"));
  });
}

gpusupernodal_code gpusupernodal_normal_compute(gpusupernodal_normal* normal, const void* d, int64_t count, int space,
                                                double shift) {
  return c::with_normal(normal, [&](auto& m) {
    using T = c::ScalarOfNormal<decltype(m)>;
    const auto diagonal = c::values_of<T>(d, count, "the diagonal of D");
    m.compute(diagonal, c::space_of(space, "the space of D"), static_cast<T>(shift));
  });
}

gpusupernodal_code gpusupernodal_normal_matrix(gpusupernodal_normal* normal, gpusupernodal_matrix* matrix) {
  return c::with_normal(normal, [&](auto& m) {
    c::require(matrix, "the place for the matrix");
    const auto view = m.matrix();
    gpusupernodal_matrix found = {};
    found.n = view.n;
    found.values = view.values;
    found.part = GPUSUPERNODAL_LOWER;
    found.compression = GPUSUPERNODAL_ROWS;
    found.value_space = view.value_space == gpusupernodal::MemorySpace::host ? GPUSUPERNODAL_HOST : GPUSUPERNODAL_DEVICE;
    c::set_pattern(view, *normal, found);
    *matrix = found;
  });
}

gpusupernodal_code gpusupernodal_normal_copy(gpusupernodal_normal* normal, int64_t* offsets, int32_t* indices,
                                             void* values) {
  return c::with_normal(normal, [&](auto& m) {
    using T = c::ScalarOfNormal<decltype(m)>;
    const auto view = m.matrix();
    const auto entries = static_cast<std::size_t>(view.offsets[view.n]);
    if (indices != nullptr) c::require(offsets, "the place for offsets");
    if (offsets != nullptr && entries > 0) c::require(indices, "the place for indices");
    if (values != nullptr) m.copy_values({static_cast<T*>(values), entries});  // First, because it may fail.
    if (offsets != nullptr) {
      std::copy_n(view.offsets.wide(), static_cast<std::size_t>(view.n) + 1, offsets);
      std::copy_n(view.indices.narrow(), entries, indices);
    }
  });
}

gpusupernodal_code gpusupernodal_normal_report_number(gpusupernodal_normal* normal, const char* name, double* value) {
  return c::with_normal(normal, [&](auto& m) {
    c::require(name, "the name");
    c::require(value, "the place for the number");
    *value = c::product_report_number(m.report(), name);
  });
}

gpusupernodal_code gpusupernodal_normal_report_text(gpusupernodal_normal* normal, const char* name, const char** text) {
  return c::with_normal(normal, [&](auto& m) {
    c::require(name, "the name");
    c::require(text, "the place for the text");
    normal->text = c::product_report_text(m.report(), name);
    *text = normal->text.c_str();
  });
}
