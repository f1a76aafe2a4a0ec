#include <algorithm>
#include <array>
#include <complex>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "gpusupernodal/names.hpp"
#include "gpusupernodal/sparse_operator.hpp"
#include "solver/c/handle.hpp"
#include "solver/c/options.hpp"
#include "solver/c/views.hpp"

struct gpusupernodal_operator {
  gpusupernodal::c::ForScalars<gpusupernodal::SparseOperator> matrix;
  std::string text;  ///< Storage for the results of report_text.
  gpusupernodal::c::Message message;
};

namespace gpusupernodal::c {
namespace {

template <class Call>
gpusupernodal_code with_operator(gpusupernodal_operator* handle, const Call& call) noexcept {
  if (handle == nullptr) return guarded(message_without_solver(), [] { fail_null("the operator"); });
  return guarded(handle->message, [&] { std::visit(call, handle->matrix); });
}

double report_number(const OperatorReport& report, std::string_view name) {
  const std::array<std::pair<std::string_view, double>, 9> numbers{
      {{"rows", static_cast<double>(report.rows)},
       {"columns", static_cast<double>(report.columns)},
       {"entries", static_cast<double>(report.entries)},
       {"stored_values", static_cast<double>(report.stored_values)},
       {"padding", report.padding},
       {"memory_bytes", static_cast<double>(report.memory_bytes)},
       {"product_bytes", static_cast<double>(report.product_bytes)},
       {"predicted_seconds", report.predicted_seconds},
       {"analyze_seconds", report.analyze_seconds}}};
  for (const auto& [known, number] : numbers) {
    if (known == name) return number;
  }
  fail<InvalidInput>("the report of an operator has no {} '{}'", "number", name);
}

std::string report_text(const OperatorReport& report, std::string_view name) {
  if (name == "backend") return name_of(report.backend);
  if (name == "backend_reason") return report.backend_reason;
  if (name == "format") return name_of(report.format);
  if (name == "kernel") return report.kernel;
  if (name == "figures") return report.figures;
  fail<InvalidInput>("the report of an operator has no {} '{}'", "text", name);
}

template <class T>
SparseView<T> sparse_view(const gpusupernodal_sparse* a) {
  require(a, "the matrix");
  SparseView<T> view;
  view.rows = a->rows;
  view.columns = a->columns;
  take_arrays<T>(*a, view);
  return view;
}

template <class T>
SparseTriples<T> sparse_triples(const gpusupernodal_triples* a) {
  require(a, "the matrix");
  SparseTriples<T> view;
  view.rows = a->rows;
  view.columns = a->columns;
  view.count = a->count;
  view.row_indices = index_array(a->row_indices, a->index);
  view.column_indices = index_array(a->column_indices, a->index);
  view.values = static_cast<const T*>(a->values);
  view.part = enumerator(a->part, StoredPart::upper, "the matrix's part");
  view.value_space = space_of(a->value_space, "the matrix's value_space");
  return view;
}

template <class T>
T scalar_of(const SparseOperator<T>&);
template <class Operator>
using ScalarOfOperator = decltype(scalar_of(std::declval<const Operator&>()));

}  // namespace
}  // namespace gpusupernodal::c

namespace c = gpusupernodal::c;

gpusupernodal_code gpusupernodal_operator_create(int scalar, gpusupernodal_operator** op) {
  return c::guarded(c::message_without_solver(), [&] {
    c::require(op, "the place for the operator");
    *op = nullptr;
    auto made = std::make_unique<gpusupernodal_operator>();
    c::emplace_for("an operator", c::enumerator(scalar, GPUSUPERNODAL_COMPLEX_DOUBLE, "the scalar"), made->matrix);
    *op = made.release();
  });
}

void gpusupernodal_operator_destroy(gpusupernodal_operator* op) { delete op; }

const char* gpusupernodal_operator_message(const gpusupernodal_operator* op) {
  return op == nullptr ? c::message_without_solver().text : op->message.text;
}

gpusupernodal_code gpusupernodal_operator_set_option(gpusupernodal_operator* op, const char* name, const char* value) {
  return c::with_operator(op, [&](auto& matrix) {
    c::require(name, "the option's name");
    c::require(value, "the option's value");
    gpusupernodal::OperatorOptions options = matrix.options();
    c::set_option(options, name, value);
    matrix.set_options(std::move(options));
  });
}

gpusupernodal_code gpusupernodal_operator_set_stream(gpusupernodal_operator* op, void* cuda_stream) {
  return c::with_operator(op, [&](auto& matrix) { matrix.set_stream(cuda_stream); });
}

gpusupernodal_code gpusupernodal_operator_analyze(gpusupernodal_operator* op, const gpusupernodal_sparse* a) {
  return c::with_operator(op, [&](auto& matrix) {
    using T = c::ScalarOfOperator<std::remove_cvref_t<decltype(matrix)>>;
    matrix.analyze(c::sparse_view<T>(a));
  });
}

gpusupernodal_code gpusupernodal_operator_analyze_triples(gpusupernodal_operator* op, const gpusupernodal_triples* a) {
  return c::with_operator(op, [&](auto& matrix) {
    using T = c::ScalarOfOperator<std::remove_cvref_t<decltype(matrix)>>;
    matrix.analyze(c::sparse_triples<T>(a));
  });
}

gpusupernodal_code gpusupernodal_operator_update(gpusupernodal_operator* op, const void* values, int64_t count, int space) {
  return c::with_operator(op, [&](auto& matrix) {
    using T = c::ScalarOfOperator<std::remove_cvref_t<decltype(matrix)>>;
    if (count != 0) c::require(values, "the array of values");
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
    matrix.update(gpusupernodal::Span<const T>(static_cast<const T*>(values), size),
                  c::space_of(space, "the space of values"));
  });
}

gpusupernodal_code gpusupernodal_operator_multiply(gpusupernodal_operator* op, int transposed, double alpha,
                                                   const gpusupernodal_dense* x, double beta, const gpusupernodal_dense* y) {
  return c::with_operator(op, [&](auto& matrix) {
    using T = c::ScalarOfOperator<std::remove_cvref_t<decltype(matrix)>>;
    const std::int64_t from_rows = transposed != 0 ? matrix.rows() : matrix.columns();
    const std::int64_t to_rows = transposed != 0 ? matrix.columns() : matrix.rows();
    const auto from = c::dense_view<const T>(x, from_rows, "x");
    const auto to = c::dense_view<T>(y, to_rows, "y");
    using Real = decltype(std::real(T()));
    const T factor(static_cast<Real>(alpha)), kept(static_cast<Real>(beta));
    if (transposed == GPUSUPERNODAL_ADJOINT) return matrix.multiply_adjoint(from, to, factor, kept);
    if (transposed != 0) return matrix.multiply_transposed(from, to, factor, kept);
    matrix.multiply(from, to, factor, kept);
  });
}

gpusupernodal_code gpusupernodal_operator_report_number(gpusupernodal_operator* op, const char* name, double* value) {
  return c::with_operator(op, [&](auto& matrix) {
    c::require(name, "the name");
    c::require(value, "the place for the number");
    *value = c::report_number(matrix.report(), name);
  });
}

gpusupernodal_code gpusupernodal_operator_report_text(gpusupernodal_operator* op, const char* name, const char** text) {
  return c::with_operator(op, [&](auto& matrix) {
    c::require(name, "the name");
    c::require(text, "the place for the text");
    op->text = c::report_text(matrix.report(), name);
    *text = op->text.c_str();
  });
}
