// Shows how failures are reported and that the solver stays usable: numerical failures are a status; misuse and missing
// memory are exceptions whose messages name the cause.
#include <cmath>
#include <cstdio>
#include <gpusupernodal/gpusupernodal.hpp>
#include <limits>
#include <memory>
#include <vector>

#include "budget.hpp"
#include "grid.hpp"

using gpusupernodal::Solver;
using gpusupernodal::Status;

namespace {

/// A diagonal entry is negative: the report names its column in the caller's numbering, whatever the ordering is.
bool not_positive_definite(Solver<double>& solver) {
  example::Grid a(30);
  a.diagonal(123) = -1.0;
  solver.compute(a.view());
  const gpusupernodal::FactorReport report = solver.factor_report();
  std::printf("%s: pivot %g in column %d\n", name_of(report.status), report.failed_value,
              static_cast<int>(report.failed_column));
  return report.status == Status::not_positive_definite && report.failed_column == 123;
}

/// A value is NaN: the check finds it before it spreads. The earlier analysis is reused because the pattern is the same.
bool not_finite(Solver<double>& solver) {
  example::Grid a(30);
  a.diagonal(45) = std::numeric_limits<double>::quiet_NaN();
  solver.refactorize(a.values);
  const gpusupernodal::FactorReport report = solver.factor_report();
  std::printf("%s: %g in row %d, column %d\n", name_of(report.status), report.failed_value,
              static_cast<int>(report.failed_row), static_cast<int>(report.failed_column));
  return report.status == Status::non_finite_input && report.failed_row == 45 && report.failed_column == 45;
}

/// Errors in the program: a pattern that differs from the analyzed one, and a solve without a factor.
bool misuse(Solver<double>& solver) {
  std::vector<double> x(900, 1.0);
  int refused = 0;
  try {
    solver.refactorize(example::Grid(31).view());
  } catch (const gpusupernodal::InvalidInput& error) {
    std::printf("InvalidInput: %s\n", error.what());
    ++refused;
  }
  try {
    solver.solve({x.data(), 900}, {x.data(), 900});
  } catch (const gpusupernodal::NumericalFailure& error) {
    std::printf("NumericalFailure: %s\n", error.what());
    ++refused;
  }
  return refused == 2;
}

/// Memory is insufficient: the exception says how much is needed. With a larger budget the same solver succeeds.
bool out_of_memory() {
  const auto budget = std::make_shared<example::Budget>(1000);
  gpusupernodal::Options options;
  options.backend = gpusupernodal::Backend::host;
  options.host_allocator = budget;
  Solver<double> solver(options);
  const example::Grid a(30);
  try {
    solver.compute(a.view());
    return false;
  } catch (const gpusupernodal::OutOfMemory& error) {
    std::printf("OutOfMemory (%lld bytes): %s\n", static_cast<long long>(error.bytes_needed()), error.what());
    budget->set_limit(std::size_t{1} << 30);
  }
  solver.compute(a.view());
  return solver.status() == Status::success;
}

/// After these failures the same solver solves a valid system.
bool solves(Solver<double>& solver) {
  const example::Grid a(30);
  const std::vector<double> b(static_cast<std::size_t>(a.n()), 1.0);
  std::vector<double> x(b.size());
  solver.refactorize(a.view());
  solver.solve({b.data(), a.n()}, {x.data(), a.n()});
  const double error = example::backward_error(a, x.data(), b.data());
  std::printf("%s: backward error %.2e\n", name_of(solver.status()), error);
  return error <= example::rounding_bound(a.n());
}

}  // namespace

int main() {
  Solver<double> solver;
  const bool good =
      not_positive_definite(solver) && not_finite(solver) && misuse(solver) && out_of_memory() && solves(solver);
  return good ? 0 : 1;
}
