/// Uses a library that was built for double and the form llt alone: it solves, and it refuses the rest with a sentence that
/// names the build option.

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <gpusupernodal/gpusupernodal.hpp>
#include <limits>
#include <string>

#include "gpusupernodal.h"

namespace {

using gpusupernodal::Form;

static_assert(gpusupernodal::built_with<double>() && !gpusupernodal::built_with<float>());
static_assert(gpusupernodal::built_with(Form::llt) && !gpusupernodal::built_with(Form::ldlt));

constexpr std::array<int, 3> starts{0, 2, 3};
constexpr std::array<int, 3> rows{0, 1, 1};
constexpr std::array<double, 3> values{4, 1, 3};

gpusupernodal::MatrixView<double> matrix() {
  gpusupernodal::MatrixView<double> a;
  a.n = 2;
  a.offsets = starts.data();
  a.indices = rows.data();
  a.values = values.data();
  a.part = gpusupernodal::StoredPart::lower;
  return a;
}

/// Solves [4 1; 1 3] x = (6, 7), whose solution is (1, 2), by solve(x). Returns the sentence of the error, or "" if x is
/// right.
std::string outcome_of(const std::function<void(std::array<double, 2>&)>& solve) {
  // Solutions with the backward error c·n·eps have an error of about κ∞(A) = 25/11 times that; the norm of x is 2.
  constexpr double c = 100.0, n = 2.0, condition = 25.0 / 11.0;
  constexpr double bound = c * n * std::numeric_limits<double>::epsilon() * condition * 2.0;
  std::array<double, 2> x{6, 7};
  try {
    solve(x);
  } catch (const gpusupernodal::InvalidInput& error) {
    return error.what();
  }
  return std::abs(x[0] - 1) + std::abs(x[1] - 2) < bound ? "" : "the solution is wrong";
}

std::string outcome_of(Form form) {
  return outcome_of([form](std::array<double, 2>& x) {
    gpusupernodal::Options options;
    options.form = form;
    gpusupernodal::Solver<double> solver(options);
    solver.compute(matrix());
    solver.solve({x.data(), 2}, {x.data(), 2});
  });
}

std::string outcome_of(gpusupernodal::Method method) {
  return outcome_of([method](std::array<double, 2>& x) {
    gpusupernodal::SystemOptions options;
    options.method = method;
    gpusupernodal::SystemSolver<double> solver(options);
    solver.compute(matrix());
    const std::array<double, 2> b = x;
    solver.solve({b.data(), 2}, {x.data(), 2});
  });
}

std::string outcome_of_single_factor() {
  return outcome_of([](std::array<double, 2>&) {
    gpusupernodal::PcgOptions options;
    options.factor_precision = gpusupernodal::FactorPrecision::single;
    gpusupernodal::Pcg<double> pcg(options);
  });
}

std::string outcome_in_c(gpusupernodal_scalar scalar, const char* form) {
  gpusupernodal_solver* solver = nullptr;
  gpusupernodal_code code = gpusupernodal_create(scalar, &solver);
  if (code == GPUSUPERNODAL_OK) code = gpusupernodal_set_option(solver, "form", form);
  const std::string sentence = code == GPUSUPERNODAL_OK ? "" : gpusupernodal_message(solver);
  gpusupernodal_destroy(solver);
  return sentence;
}

bool is(const char* what, const std::string& found, const std::string& expected) {
  const bool right = expected.empty() ? found.empty() : found.find(expected) != std::string::npos;
  std::printf("%s: %s\n", what, found.empty() ? "works" : found.c_str());
  return right;
}

}  // namespace

int main() {
  const std::string of_form = "but this library was built without it; it has llt; build it with -DGPUSUPERNODAL_FORMS='llt;";
  const std::string of_scalar =
      "but this library was built without it; it has double; build it with -DGPUSUPERNODAL_SCALARS='double;";
  bool good = is("llt", outcome_of(Form::llt), "");
  good = is("ldlt", outcome_of(Form::ldlt), "the form is ldlt, " + of_form + "ldlt'") && good;
  good = is("lu", outcome_of(Form::lu), "the form is lu, " + of_form + "lu'") && good;
  good = is("automatic", outcome_of(gpusupernodal::Method::automatic), "") && good;
  good = is("direct", outcome_of(gpusupernodal::Method::direct), "") && good;
  good = is("mixed", outcome_of(gpusupernodal::Method::mixed),
            "the method mixed needs the scalar type float, " + of_scalar + "float'") &&
         good;
  good = is("factor in single precision", outcome_of_single_factor(),
            "factor_precision single needs the scalar type float, ") &&
         good;
  good = is("C, double", outcome_in_c(GPUSUPERNODAL_DOUBLE, "llt"), "") && good;
  good = is("C, complex", outcome_in_c(GPUSUPERNODAL_COMPLEX_DOUBLE, "llt"),
            "a solver needs the scalar type complex_double, " + of_scalar + "complex_double'") &&
         good;
  good = is("C, lu", outcome_in_c(GPUSUPERNODAL_DOUBLE, "lu"), "the form is lu, " + of_form) && good;
  const bool told = gpusupernodal_built_with("double") == 1 && gpusupernodal_built_with("lu") == 0 &&
                    gpusupernodal::build_info().forms.size() == 1;
  std::printf("what the library tells of itself: %s\n", told ? "right" : "wrong");
  return good && told ? 0 : 1;
}
