#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/system_solver.hpp"
#include "gpusupernodal_system.h"
#include "solver/c/handle.hpp"
#include "solver/c/options.hpp"
#include "solver/c/views.hpp"
#include "solver/common/fail.hpp"

struct gpusupernodal_system_solver {
  gpusupernodal::c::ForReals<gpusupernodal::SystemSolver> system;
  std::string text;  ///< Storage for the results of get_option and report_text.
  gpusupernodal::c::Message message;
};

namespace gpusupernodal::c {
namespace {

template <class P>
struct ScalarOfSystem;
template <class S>
struct ScalarOfSystem<SystemSolver<S>> {
  using type = S;
};
template <class P>
using SystemScalar = typename ScalarOfSystem<std::remove_cvref_t<P>>::type;

/// Calls call(handle). A null handle is an invalid input.
template <class Call>
gpusupernodal_code with_system_handle(gpusupernodal_system_solver* handle, const Call& call) noexcept {
  if (handle == nullptr) return guarded(message_without_solver(), [] { fail_null("the solver"); });
  return guarded(handle->message, [&] { call(*handle); });
}

/// Calls call(system) with the handle's SystemSolver<S>.
template <class Call>
gpusupernodal_code with_system(gpusupernodal_system_solver* handle, const Call& call) noexcept {
  return with_system_handle(handle, [&](gpusupernodal_system_solver& h) { std::visit(call, h.system); });
}

template <class Visit>
void for_each_number(const SystemReport& r, const Visit& visit) {
  const auto number = [&](const char* name, auto value) { visit(name, static_cast<double>(value)); };
  number("forecast_direct", r.forecast_direct);
  number("forecast_mixed", r.forecast_mixed);
  number("forecast_pcg", r.forecast_pcg);
  number("forecast_iterations", r.forecast_iterations);
  number("probe_iterations", r.probe_iterations);
  number("smallest_ritz", r.smallest_ritz);
  number("largest_ritz", r.largest_ritz);
  number("iterations", r.iterations);
  number("residual", r.residual);
  number("backward_error", r.backward_error);
  number("refinement_steps", r.refinement_steps);
  number("factor_shift", r.factor_shift);
  number("failed_column", r.failed_column);
  number("seconds_analysis", r.seconds_analysis);
  number("seconds_factorize", r.seconds_factorize);
  number("seconds_iteration", r.seconds_iteration);
  number("seconds_solve", r.seconds_solve);
  number("memory", r.memory);
  number("factorizations", r.factorizations);
  number("solves", r.solves);
}

std::string text_of(const SystemReport& report, std::string_view name) {
  if (name == "status") return name_of(report.status);
  if (name == "method") return name_of(report.method);
  if (name == "reason") return report.reason;
  if (name == "backend") return name_of(report.backend);
  fail<InvalidInput>("the reports have no text '{}'", name);
}

gpusupernodal_code code_of(SystemStatus status) {
  switch (status) {
    case SystemStatus::solved:
      return GPUSUPERNODAL_OK;
    case SystemStatus::not_positive_definite:
      return GPUSUPERNODAL_NOT_POSITIVE_DEFINITE;
    case SystemStatus::not_finite:
      return GPUSUPERNODAL_NON_FINITE_INPUT;
    case SystemStatus::not_solved:  // solve never returns it.
    case SystemStatus::not_converged:
    case SystemStatus::inaccurate:
      break;
  }
  return GPUSUPERNODAL_NUMERICAL_FAILURE;
}

}  // namespace
}  // namespace gpusupernodal::c

namespace c = gpusupernodal::c;
using gpusupernodal::fail;
using gpusupernodal::InvalidInput;

gpusupernodal_code gpusupernodal_system_create(int scalar, gpusupernodal_system_solver** system) {
  return c::guarded(c::message_without_solver(), [&] {
    c::require(system, "the place for the solver");
    *system = nullptr;
    auto made = std::make_unique<gpusupernodal_system_solver>();
    c::emplace_for("a system solver", c::enumerator(scalar, GPUSUPERNODAL_DOUBLE, "the scalar"), made->system);
    *system = made.release();
  });
}

void gpusupernodal_system_destroy(gpusupernodal_system_solver* system) { delete system; }

const char* gpusupernodal_system_message(const gpusupernodal_system_solver* system) {
  return system == nullptr ? c::message_without_solver().text : system->message.text;
}

gpusupernodal_code gpusupernodal_system_set_option(gpusupernodal_system_solver* system, const char* name,
                                                   const char* value) {
  return c::with_system(system, [&](auto& s) {
    c::require(name, "the option's name");
    c::require(value, "the option's value");
    gpusupernodal::SystemOptions options = s.options();
    c::set_option(options, name, value);
    s.set_options(std::move(options));
  });
}

gpusupernodal_code gpusupernodal_system_get_option(gpusupernodal_system_solver* system, const char* name,
                                                   const char** value) {
  return c::with_system_handle(system, [&](gpusupernodal_system_solver& handle) {
    c::require(name, "the option's name");
    c::require(value, "the place for the value");
    handle.text = std::visit([&](const auto& s) { return c::option_text(s.options(), name); }, handle.system);
    *value = handle.text.c_str();
  });
}

const char* gpusupernodal_system_option_name(int i) { return c::option_name<gpusupernodal::SystemOptions>(i); }

gpusupernodal_code gpusupernodal_system_set_stream(gpusupernodal_system_solver* system, void* cuda_stream) {
  return c::with_system(system, [&](auto& s) { s.set_stream(cuda_stream); });
}

gpusupernodal_code gpusupernodal_system_analyze(gpusupernodal_system_solver* system, const gpusupernodal_matrix* a) {
  return c::with_system(system, [&](auto& s) { s.analyze(c::matrix_view<c::SystemScalar<decltype(s)>>(a)); });
}

gpusupernodal_code gpusupernodal_system_update(gpusupernodal_system_solver* system, const void* values, int64_t count,
                                               int space) {
  return c::with_system(system, [&](auto& s) {
    using S = c::SystemScalar<decltype(s)>;
    if (count < 0) fail<InvalidInput>("{} values cannot be given", count);
    s.update(gpusupernodal::Span<const S>(static_cast<const S*>(values), static_cast<std::size_t>(count)),
             c::space_of(space, "the values' space"));
  });
}

gpusupernodal_code gpusupernodal_system_compute(gpusupernodal_system_solver* system, const gpusupernodal_matrix* a) {
  return c::with_system(system, [&](auto& s) { s.compute(c::matrix_view<c::SystemScalar<decltype(s)>>(a)); });
}

gpusupernodal_code gpusupernodal_system_solve(gpusupernodal_system_solver* system, const gpusupernodal_dense* b,
                                              const gpusupernodal_dense* x) {
  gpusupernodal_code outcome = GPUSUPERNODAL_OK;
  const gpusupernodal_code code = c::with_system_handle(system, [&](gpusupernodal_system_solver& handle) {
    std::visit(
        [&](auto& s) {
          using S = c::SystemScalar<decltype(s)>;
          const auto& report = s.solve(c::dense_view<const S>(b, s.order(), "b"), c::dense_view<S>(x, s.order(), "x"));
          outcome = c::code_of(report.status);
          if (outcome != GPUSUPERNODAL_OK) handle.message.assign(report.reason.c_str());
        },
        handle.system);
  });
  return code == GPUSUPERNODAL_OK ? outcome : code;
}

gpusupernodal_code gpusupernodal_system_report_number(gpusupernodal_system_solver* system, const char* name, double* value) {
  return c::with_system(system, [&](auto& s) {
    c::require(name, "the number's name");
    c::require(value, "the place for the number");
    std::optional<double> found;
    c::for_each_number(s.report(), [&](const char* candidate, double number) {
      if (std::string_view(name) == candidate) found = number;
    });
    if (!found) fail<InvalidInput>("the reports have no number '{}'", name);
    *value = *found;
  });
}

gpusupernodal_code gpusupernodal_system_report_text(gpusupernodal_system_solver* system, const char* name,
                                                    const char** text) {
  return c::with_system_handle(system, [&](gpusupernodal_system_solver& handle) {
    c::require(name, "the text's name");
    c::require(text, "the place for the text");
    handle.text = std::visit([&](const auto& s) { return c::text_of(s.report(), name); }, handle.system);
    *text = handle.text.c_str();
  });
}

const char* gpusupernodal_system_report_number_name(int i) {
  const char* found = nullptr;
  c::for_each_number(gpusupernodal::SystemReport(), [&](const char* name, double) {
    if (i-- == 0) found = name;
  });
  return found;
}
