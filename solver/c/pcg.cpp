#include "gpusupernodal/pcg.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "gpusupernodal.h"
#include "gpusupernodal/error.hpp"
#include "solver/c/handle.hpp"
#include "solver/c/options.hpp"
#include "solver/c/views.hpp"
#include "solver/common/fail.hpp"

struct gpusupernodal_pcg {
  gpusupernodal::c::ForScalars<gpusupernodal::Pcg> pcg;
  std::string text;  ///< Storage for the results of get_option and report_text.
  gpusupernodal::c::Message message;
};

namespace gpusupernodal::c {
namespace {

template <class P>
struct ScalarOf;
template <class S>
struct ScalarOf<Pcg<S>> {
  using type = S;
};
template <class P>
using Scalar = typename ScalarOf<std::remove_cvref_t<P>>::type;

/// Calls call(handle). A null handle is an invalid input.
template <class Call>
gpusupernodal_code with_pcg_handle(gpusupernodal_pcg* handle, const Call& call) noexcept {
  if (handle == nullptr) return guarded(message_without_solver(), [] { fail_null("the solver"); });
  return guarded(handle->message, [&] { call(*handle); });
}

/// Calls call(pcg) with the handle's Pcg<S>.
template <class Call>
gpusupernodal_code with_pcg(gpusupernodal_pcg* handle, const Call& call) noexcept {
  return with_pcg_handle(handle, [&](gpusupernodal_pcg& h) { std::visit(call, h.pcg); });
}

template <class S>
typename Pcg<S>::Apply apply_of(gpusupernodal_pcg_function function, void* context, const char* what) {
  if (function == nullptr) return nullptr;
  return [function, context, what](const DenseView<const S>& x, const DenseView<S>& y, void* stream) {
    const int code = function(context, x.data, y.data, x.rows, stream);
    if (code != 0) fail<Cancelled>("{} of the caller returned {}", what, code);
  };
}

template <class Visit>
void for_each_number(const PcgReport& r, const Visit& visit) {
  const auto number = [&](const char* name, auto value) { visit(name, static_cast<double>(value)); };
  number("iterations", r.iterations);
  number("restarts", r.restarts);
  number("right_hand_side", r.right_hand_side);
  number("recursive_residual", r.recursive_residual);
  number("residual", r.residual);
  number("foreign_preconditioner", r.foreign_preconditioner);
  number("block_size", r.block_size);
  number("factor_shift", r.factor_shift);
  number("plain_rows", r.plain_rows);
  number("bad_row", r.bad_row);
  number("seconds_setup", r.seconds_setup);
  number("seconds_solve", r.seconds_solve);
}

/// The report of a column of the last solve.
template <class S>
const PcgReport& report_of(const Pcg<S>& pcg, std::int64_t column) {
  const auto count = static_cast<std::int64_t>(pcg.reports().size());
  if (column < 0 || column >= count)
    fail<InvalidInput>("column {} has no report; the last solve reported on {} columns", column, count);
  return pcg.reports()[static_cast<std::size_t>(column)];
}

std::string text_of(const PcgReport& report, std::string_view name) {
  if (name == "status") return name_of(report.status);
  if (name == "preconditioner") return name_of(report.preconditioner);
  if (name == "backend") return name_of(report.backend);
  fail<InvalidInput>("the reports have no text '{}'", name);
}

}  // namespace
}  // namespace gpusupernodal::c

namespace c = gpusupernodal::c;
using gpusupernodal::fail;
using gpusupernodal::InvalidInput;

gpusupernodal_code gpusupernodal_pcg_create(int scalar, gpusupernodal_pcg** pcg) {
  return c::guarded(c::message_without_solver(), [&] {
    c::require(pcg, "the place for the solver");
    *pcg = nullptr;
    auto made = std::make_unique<gpusupernodal_pcg>();
    c::emplace_for("a solver by conjugate gradients", c::enumerator(scalar, GPUSUPERNODAL_COMPLEX_DOUBLE, "the scalar"),
                   made->pcg);
    *pcg = made.release();
  });
}

void gpusupernodal_pcg_destroy(gpusupernodal_pcg* pcg) { delete pcg; }

const char* gpusupernodal_pcg_message(const gpusupernodal_pcg* pcg) {
  return pcg == nullptr ? c::message_without_solver().text : pcg->message.text;
}

gpusupernodal_code gpusupernodal_pcg_set_option(gpusupernodal_pcg* pcg, const char* name, const char* value) {
  return c::with_pcg(pcg, [&](auto& p) {
    c::require(name, "the option's name");
    c::require(value, "the option's value");
    gpusupernodal::PcgOptions options = p.options();
    c::set_option(options, name, value);
    p.set_options(std::move(options));
  });
}

gpusupernodal_code gpusupernodal_pcg_get_option(gpusupernodal_pcg* pcg, const char* name, const char** value) {
  return c::with_pcg_handle(pcg, [&](gpusupernodal_pcg& handle) {
    c::require(name, "the option's name");
    c::require(value, "the place for the value");
    handle.text = std::visit([&](const auto& p) { return c::option_text(p.options(), name); }, handle.pcg);
    *value = handle.text.c_str();
  });
}

const char* gpusupernodal_pcg_option_name(int i) { return c::option_name<gpusupernodal::PcgOptions>(i); }

gpusupernodal_code gpusupernodal_pcg_set_stream(gpusupernodal_pcg* pcg, void* cuda_stream) {
  return c::with_pcg(pcg, [&](auto& p) { p.set_stream(cuda_stream); });
}

gpusupernodal_code gpusupernodal_pcg_analyze(gpusupernodal_pcg* pcg, const gpusupernodal_matrix* a) {
  return c::with_pcg(pcg, [&](auto& p) { p.analyze(c::matrix_view<c::Scalar<decltype(p)>>(a)); });
}

gpusupernodal_code gpusupernodal_pcg_update(gpusupernodal_pcg* pcg, const void* values, int64_t count, int space) {
  return c::with_pcg(pcg, [&](auto& p) {
    using S = c::Scalar<decltype(p)>;
    if (count < 0) fail<InvalidInput>("{} values cannot be given", count);
    p.update(gpusupernodal::Span<const S>(static_cast<const S*>(values), static_cast<std::size_t>(count)),
             c::space_of(space, "the values' space"));
  });
}

gpusupernodal_code gpusupernodal_pcg_compute(gpusupernodal_pcg* pcg, const gpusupernodal_matrix* a) {
  return c::with_pcg(pcg, [&](auto& p) { p.compute(c::matrix_view<c::Scalar<decltype(p)>>(a)); });
}

gpusupernodal_code gpusupernodal_pcg_set_operator(gpusupernodal_pcg* pcg, int64_t n, gpusupernodal_pcg_function product,
                                                  void* context) {
  return c::with_pcg(pcg, [&](auto& p) {
    c::require(reinterpret_cast<const void*>(product), "the operator's function");
    p.set_operator(n, c::apply_of<c::Scalar<decltype(p)>>(product, context, "the operator"));
  });
}

gpusupernodal_code gpusupernodal_pcg_set_preconditioner(gpusupernodal_pcg* pcg, gpusupernodal_pcg_function inverse,
                                                        void* context) {
  return c::with_pcg(pcg, [&](auto& p) {
    p.set_preconditioner(c::apply_of<c::Scalar<decltype(p)>>(inverse, context, "the preconditioner"));
  });
}

gpusupernodal_code gpusupernodal_pcg_solve(gpusupernodal_pcg* pcg, const gpusupernodal_dense* b,
                                           const gpusupernodal_dense* x, int use_start) {
  return c::with_pcg(pcg, [&](auto& p) {
    using S = c::Scalar<decltype(p)>;
    p.solve(c::dense_view<const S>(b, p.order(), "b"), c::dense_view<S>(x, p.order(), "x"), use_start != 0);
  });
}

gpusupernodal_code gpusupernodal_pcg_report_number(gpusupernodal_pcg* pcg, int64_t column, const char* name, double* value) {
  return c::with_pcg(pcg, [&](auto& p) {
    c::require(name, "the number's name");
    c::require(value, "the place for the number");
    std::optional<double> found;
    c::for_each_number(c::report_of(p, column), [&](const char* candidate, double number) {
      if (std::string_view(name) == candidate) found = number;
    });
    if (!found) fail<InvalidInput>("the reports have no number '{}'", name);
    *value = *found;
  });
}

gpusupernodal_code gpusupernodal_pcg_report_text(gpusupernodal_pcg* pcg, int64_t column, const char* name,
                                                 const char** text) {
  return c::with_pcg_handle(pcg, [&](gpusupernodal_pcg& handle) {
    c::require(name, "the text's name");
    c::require(text, "the place for the text");
    handle.text = std::visit([&](const auto& p) { return c::text_of(c::report_of(p, column), name); }, handle.pcg);
    *text = handle.text.c_str();
  });
}

const char* gpusupernodal_pcg_report_number_name(int i) {
  const char* found = nullptr;
  c::for_each_number(gpusupernodal::PcgReport(), [&](const char* name, double) {
    if (i-- == 0) found = name;
  });
  return found;
}
