/// Uses a library that was built without its optional parts: it solves, and it says what it lacks.

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <gpusupernodal/gpusupernodal.hpp>
#include <string>

namespace {

using gpusupernodal::Ordering;

/// Solves [4 1; 1 3] x = (6, 7), whose solution is (1, 2). Returns the sentence of the error, or "" if x is right.
std::string outcome_of(Ordering ordering) {
  const std::array<int, 3> starts{0, 2, 3};
  const std::array<int, 3> rows{0, 1, 1};
  const std::array<double, 3> values{4, 1, 3};
  std::array<double, 2> x{6, 7};
  gpusupernodal::Options options;
  options.ordering = ordering;
  try {
    gpusupernodal::Solver<double> solver(options);
    gpusupernodal::MatrixView<double> a;
    a.n = 2;
    a.offsets = starts.data();
    a.indices = rows.data();
    a.values = values.data();
    a.part = gpusupernodal::StoredPart::lower;
    solver.compute(a);
    solver.solve({x.data(), 2}, {x.data(), 2});
  } catch (const gpusupernodal::Error& error) {
    return error.what();
  }
  return std::abs(x[0] - 1) + std::abs(x[1] - 2) < 1e-14 ? "" : "the solution is wrong";
}

bool is(const char* what, const std::string& found, const std::string& expected) {
  const bool right = expected.empty() ? found.empty() : found.find(expected) != std::string::npos;
  std::printf("%s: %s\n", what, found.empty() ? "solved" : found.c_str());
  return right;
}

}  // namespace

int main() {
  bool good = is("automatic", outcome_of(Ordering::automatic), "");
  good = is("metis", outcome_of(Ordering::metis), "this build of gpusupernodal has no METIS") && good;
  setenv("GPUSUPERNODAL_COST_MODEL", "figures.json", 1);
  good = is("cost model", outcome_of(Ordering::automatic), "was built without nlohmann/json") && good;
  return good ? 0 : 1;
}
