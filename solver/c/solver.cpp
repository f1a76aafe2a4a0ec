#include <algorithm>
#include <complex>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/info.hpp"
#include "gpusupernodal/names.hpp"
#include "solver/c/handle.hpp"
#include "solver/c/options.hpp"
#include "solver/c/reports.hpp"
#include "solver/c/views.hpp"
#include "solver/common/fail.hpp"
#include "solver/common/outcome_sentence.hpp"

namespace gpusupernodal::c {
namespace {

template <class S>
struct ScalarOf;
template <class T>
struct ScalarOf<Solver<T>> {
  using type = T;
};
template <class S>
using Scalar = typename ScalarOf<std::remove_cvref_t<S>>::type;

template <class T>
Reports reports_of(Solver<T>& solver) {
  return {solver.analyze_report(), solver.is_factorized() ? solver.factor_report() : FactorReport(), solver.solve_report()};
}

void require_order(std::int64_t given, std::int64_t order, const char* what) {
  if (given != order) fail<InvalidInput>("{} has {} entries, but the matrix is of order {}", what, given, order);
}

/// The report of the last factorization, if its form is LDLᵀ.
template <class T>
FactorReport report_of_ldlt(Solver<T>& solver, const char* call) {
  FactorReport report = solver.factor_report();
  if (report.form != Form::ldlt)
    fail<InvalidInput>("{} needs the form ldlt, but the analyzed form is {}", call, name_of(report.form));
  return report;
}

gpusupernodal_code code_of(Status status) {
  switch (status) {
    case Status::success:
      return GPUSUPERNODAL_OK;
    case Status::not_positive_definite:
      return GPUSUPERNODAL_NOT_POSITIVE_DEFINITE;
    case Status::non_finite_input:
      return GPUSUPERNODAL_NON_FINITE_INPUT;
    case Status::singular:
      return GPUSUPERNODAL_SINGULAR;
    case Status::unstable:
      return GPUSUPERNODAL_UNSTABLE;
  }
  return GPUSUPERNODAL_INTERNAL_ERROR;
}

}  // namespace
}  // namespace gpusupernodal::c

namespace c = gpusupernodal::c;
using gpusupernodal::fail;
using gpusupernodal::InvalidInput;
using gpusupernodal::InvalidState;

const char* gpusupernodal_version() { return gpusupernodal::version(); }

int gpusupernodal_built_with(const char* name) {
  int built = 0;
  c::guarded(c::message_without_solver(), [&] {
    c::require(name, "the name of a scalar type or a form");
    const gpusupernodal::BuildInfo info = gpusupernodal::build_info();
    for (const std::vector<std::string>* names : {&info.scalars, &info.forms}) {
      if (std::find(names->begin(), names->end(), name) != names->end()) built = 1;
    }
  });
  return built;
}

int gpusupernodal_backend_available(const char* backend) {
  const gpusupernodal_code code = c::guarded(c::message_without_solver(), [&] {
    c::require(backend, "the backend's name");
    for (const gpusupernodal::BackendInfo& info : gpusupernodal::backends()) {
      if (info.name != backend) continue;
      if (!info.available) fail<gpusupernodal::BackendUnavailable>("{}", info.reason);
      return;
    }
    fail<InvalidInput>("there is no backend '{}'; the backends are host and cuda", backend);
  });
  return code == GPUSUPERNODAL_OK ? 1 : 0;
}

gpusupernodal_code gpusupernodal_create(int scalar, gpusupernodal_solver** solver) {
  return c::guarded(c::message_without_solver(), [&] {
    c::require(solver, "the place for the solver");
    *solver = nullptr;
    auto made = std::make_unique<gpusupernodal_solver>();
    c::emplace_for("a solver", c::enumerator(scalar, GPUSUPERNODAL_COMPLEX_DOUBLE, "the scalar"), made->solver);
    *solver = made.release();
  });
}

void gpusupernodal_destroy(gpusupernodal_solver* solver) { delete solver; }

const char* gpusupernodal_message(const gpusupernodal_solver* solver) {
  return solver == nullptr ? c::message_without_solver().text : solver->message.text;
}

gpusupernodal_code gpusupernodal_set_option(gpusupernodal_solver* solver, const char* name, const char* value) {
  return c::with_solver(solver, [&](auto& s) {
    c::require(name, "the option's name");
    c::require(value, "the option's value");
    gpusupernodal::Options options = s.options();
    c::set_option(options, name, value);
    s.set_options(std::move(options));
  });
}

gpusupernodal_code gpusupernodal_get_option(gpusupernodal_solver* solver, const char* name, const char** value) {
  return c::with_handle(solver, [&](gpusupernodal_solver& handle) {
    c::require(name, "the option's name");
    c::require(value, "the place for the value");
    handle.text = std::visit([&](const auto& s) { return c::option_text(s.options(), name); }, handle.solver);
    *value = handle.text.c_str();
  });
}

const char* gpusupernodal_option_name(int i) { return c::option_name<gpusupernodal::Options>(i); }

gpusupernodal_code gpusupernodal_set_permutation(gpusupernodal_solver* solver, const int64_t* old_of_new, int64_t n) {
  return c::with_solver(solver, [&](auto& s) {
    c::require_count(n, "the permutation");
    if (n > 0) c::require(old_of_new, "the permutation");
    gpusupernodal::Options options = s.options();
    options.ordering = gpusupernodal::Ordering::user;
    options.permutation.assign(old_of_new, old_of_new + n);
    s.set_options(std::move(options));
  });
}

gpusupernodal_code gpusupernodal_set_last_rows(gpusupernodal_solver* solver, const int64_t* rows, const int64_t* sizes,
                                               int64_t groups) {
  return c::with_solver(solver, [&](auto& s) {
    gpusupernodal::Options options = s.options();
    options.last_rows = c::row_groups(rows, sizes, groups);
    s.set_options(std::move(options));
  });
}

gpusupernodal_code gpusupernodal_set_stream(gpusupernodal_solver* solver, void* cuda_stream) {
  return c::with_solver(solver, [&](auto& s) { s.set_stream(cuda_stream); });
}

gpusupernodal_code gpusupernodal_set_shift(gpusupernodal_solver* solver, double offset, double scale) {
  return c::with_solver(solver, [&](auto& s) { s.set_shift(offset, scale); });
}

gpusupernodal_code gpusupernodal_reserve_right_hand_sides(gpusupernodal_solver* solver, int64_t columns) {
  return c::with_solver(solver, [&](auto& s) { s.reserve_right_hand_sides(columns); });
}

gpusupernodal_code gpusupernodal_analyze(gpusupernodal_solver* solver, const gpusupernodal_matrix* a) {
  return c::with_solver(solver, [&](auto& s) { s.analyze(c::matrix_view<c::Scalar<decltype(s)>>(a)); });
}

gpusupernodal_code gpusupernodal_factorize(gpusupernodal_solver* solver, const gpusupernodal_matrix* a) {
  return c::with_solver(solver, [&](auto& s) { s.factorize(c::matrix_view<c::Scalar<decltype(s)>>(a)); });
}

gpusupernodal_code gpusupernodal_compute(gpusupernodal_solver* solver, const gpusupernodal_matrix* a) {
  return c::with_solver(solver, [&](auto& s) { s.compute(c::matrix_view<c::Scalar<decltype(s)>>(a)); });
}

gpusupernodal_code gpusupernodal_refactorize(gpusupernodal_solver* solver, const void* values, int64_t count, int space) {
  return c::with_solver(solver, [&](auto& s) {
    using T = c::Scalar<decltype(s)>;
    if (count < 0) fail<InvalidInput>("{} values cannot be given", count);
    s.refactorize(gpusupernodal::Span<const T>(static_cast<const T*>(values), static_cast<std::size_t>(count)),
                  c::space_of(space, "the values' space"));
  });
}

gpusupernodal_code gpusupernodal_status(gpusupernodal_solver* solver) {
  gpusupernodal_code outcome = GPUSUPERNODAL_OK;
  const gpusupernodal_code code = c::with_handle(solver, [&](gpusupernodal_solver& handle) {
    std::visit(
        [&](auto& s) {
          outcome = c::code_of(s.status());
          if (outcome == GPUSUPERNODAL_OK) return;
          const auto schedule = s.analyze_report().lu_schedule;
          handle.message.assign(gpusupernodal::outcome_sentence(s.factor_report(), schedule).c_str());
        },
        handle.solver);
  });
  return code == GPUSUPERNODAL_OK ? outcome : code;
}

gpusupernodal_code gpusupernodal_solve(gpusupernodal_solver* solver, const gpusupernodal_dense* b,
                                       const gpusupernodal_dense* x) {
  return gpusupernodal_solve_part(solver, GPUSUPERNODAL_A, b, x);
}

gpusupernodal_code gpusupernodal_solve_part(gpusupernodal_solver* solver, int part, const gpusupernodal_dense* b,
                                            const gpusupernodal_dense* x) {
  return c::with_solver(solver, [&](auto& s) {
    using T = c::Scalar<decltype(s)>;
    s.solve(c::dense_view<const T>(b, s.order(), "b"), c::dense_view<T>(x, s.order(), "x"),
            c::enumerator(part, gpusupernodal::System::adjoint, "the part of the solve"));
  });
}

gpusupernodal_code gpusupernodal_report_number(gpusupernodal_solver* solver, const char* name, double* value) {
  return c::with_solver(solver, [&](auto& s) {
    c::require(name, "the number's name");
    c::require(value, "the place for the number");
    *value = c::report_number(c::reports_of(s), name);
  });
}

gpusupernodal_code gpusupernodal_report_text(gpusupernodal_solver* solver, const char* name, const char** text) {
  return c::with_handle(solver, [&](gpusupernodal_solver& handle) {
    c::require(name, "the text's name");
    c::require(text, "the place for the text");
    handle.text = std::visit([&](auto& s) { return c::report_text(c::reports_of(s), name); }, handle.solver);
    *text = handle.text.c_str();
  });
}

const char* gpusupernodal_report_number_name(int i) { return c::report_number_name(i); }
const char* gpusupernodal_report_text_name(int i) { return c::report_text_name(i); }

gpusupernodal_code gpusupernodal_old_of_new(gpusupernodal_solver* solver, int64_t* old_of_new, int64_t n) {
  return c::with_solver(solver, [&](auto& s) {
    const std::vector<std::int64_t> order = s.old_of_new();
    c::require_order(n, s.order(), "the permutation");
    if (n > 0) c::require(old_of_new, "the permutation");
    std::copy(order.begin(), order.end(), old_of_new);
  });
}

gpusupernodal_code gpusupernodal_inertia(gpusupernodal_solver* solver, int64_t* inertia, int* exact) {
  return c::with_solver(solver, [&](auto& s) {
    c::require(inertia, "the place for the inertia");
    c::require(exact, "the place for its certainty");
    const gpusupernodal::FactorReport report = c::report_of_ldlt(s, "gpusupernodal_inertia");
    inertia[0] = report.inertia.positive;
    inertia[1] = report.inertia.negative;
    inertia[2] = report.inertia.zero;
    *exact = report.inertia_exact ? 1 : 0;
  });
}

gpusupernodal_code gpusupernodal_null_pivots(gpusupernodal_solver* solver, int64_t* columns, int64_t count) {
  return c::with_solver(solver, [&](auto& s) {
    const gpusupernodal::FactorReport report = c::report_of_ldlt(s, "gpusupernodal_null_pivots");
    if (count != report.inertia.zero)
      fail<InvalidInput>("{} null pivots were asked for, but there are {}", count, report.inertia.zero);
    if (count > 0) c::require(columns, "the null pivots");
    std::copy(report.null_pivots.begin(), report.null_pivots.end(), columns);
  });
}

gpusupernodal_code gpusupernodal_log_determinant(gpusupernodal_solver* solver, double* value) {
  return c::with_solver(solver, [&](auto& s) {
    c::require(value, "the place for the logarithm");
    *value = s.log_determinant();
  });
}

gpusupernodal_code gpusupernodal_determinant_sign(gpusupernodal_solver* solver, double* sign) {
  return c::with_solver(solver, [&](auto& s) {
    c::require(sign, "the place for the sign");
    const std::complex<double> value(s.determinant_sign());
    sign[0] = value.real();
    sign[1] = value.imag();
  });
}

gpusupernodal_code gpusupernodal_reciprocal_condition(gpusupernodal_solver* solver, const gpusupernodal_matrix* a,
                                                      double* value) {
  return c::with_solver(solver, [&](auto& s) {
    c::require(value, "the place for the estimate");
    *value = s.reciprocal_condition(c::matrix_view<c::Scalar<decltype(s)>>(a));
  });
}

gpusupernodal_code gpusupernodal_extract_l(gpusupernodal_solver* solver, int64_t* offsets, int64_t* rows, void* values,
                                           int64_t entries) {
  return c::with_solver(solver, [&](auto& s) {
    c::require(offsets, "the place for L's offsets");
    const auto l = s.extract_l();
    const auto stored = static_cast<std::int64_t>(l.values.size());
    std::copy(l.offsets.begin(), l.offsets.end(), offsets);
    if (rows == nullptr && values == nullptr) return;
    c::require(rows, "the place for L's rows");
    c::require(values, "the place for L's values");
    if (entries < stored) fail<InvalidInput>("the arrays hold {} entries, but L has {}", entries, stored);
    std::copy(l.rows.begin(), l.rows.end(), rows);
    std::copy(l.values.begin(), l.values.end(), static_cast<c::Scalar<decltype(s)>*>(values));
  });
}

gpusupernodal_code gpusupernodal_save_plan(gpusupernodal_solver* solver, const char* path) {
  return c::with_solver(solver, [&](auto& s) {
    c::require(path, "the path");
    if (!s.is_analyzed()) fail<InvalidState>("{} was called before analyze", "save_plan");
    gpusupernodal::save_plan(*s.plan(), path);
  });
}

gpusupernodal_code gpusupernodal_load_plan(gpusupernodal_solver* solver, const gpusupernodal_matrix* a, const char* path) {
  return c::with_solver(solver, [&](auto& s) {
    c::require(path, "the path");
    s.load_plan(c::matrix_view<c::Scalar<decltype(s)>>(a), path);
  });
}
