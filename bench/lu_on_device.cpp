/// \file
/// Times LU, or the forms of --form, on a CUDA device with A, b and x in device memory: refactorization, solves for 1 and 16
/// right-hand sides as they are verified, and the error of a solution. Prints one Markdown row per matrix, form and
/// precision; exits 1 if a backward error exceeds its bound.

#include <CLI/CLI.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/fmt.hpp"
#include "bench/device_array.hpp"
#include "bench/indefinite_problems.hpp"
#include "gpusupernodal/gpusupernodal.hpp"
#include "gpusupernodal/names.hpp"
#include "io/general_matrix.hpp"
#include "io/residual.hpp"

namespace {

using namespace gpusupernodal;
using bench::Array;
using bench::median_seconds;

constexpr int many = 16;

struct Settings {
  int repeat = 21;
  std::vector<std::string> forms{name_of(Form::lu)};
  bool is_double_only = false;
  std::string matching = name_of(MatchingRule::automatic);
  std::string ordering = name_of(Ordering::automatic);
};

template <class T>
bool measure(const io::GeneralMatrix& a, Form form, const Settings& settings) {
  const std::vector<T> narrow(a.values.begin(), a.values.end());
  MatrixView<T> view;
  view.n = a.n;
  view.offsets = a.view().offsets;
  view.indices = a.view().indices;
  view.part = StoredPart::full;
  view.compression = a.view().compression;
  view.values = narrow.data();
  Options options;
  options.backend = Backend::cuda;
  options.form = form;
  options.plan_cache = false;
  options.matching = matching_rule_of(settings.matching).value();
  options.ordering = ordering_of(settings.ordering).value();
  Solver<T> solver(options);
  solver.analyze(view);
  const std::vector<double> right = io::multiply(a, std::vector<double>(static_cast<std::size_t>(a.n), 1.0));
  std::vector<double> columns;
  for (int c = 0; c < many; ++c) columns.insert(columns.end(), right.begin(), right.end());
  Array<T> values(a.values, MemorySpace::device);
  Array<T> b(columns, MemorySpace::device);
  Array<T> x(columns, MemorySpace::device);
  solver.reserve_right_hand_sides(many);
  const MemorySpace space = MemorySpace::device;
  const std::int64_t n = a.n;
  const double refactorize =
      median_seconds(settings.repeat, [&] { solver.refactorize(Span<const T>(values.data(), a.values.size()), space); });
  if (solver.status() != Status::success) {
    fmt::print("| {} | {} | {} |\n", a.name, name_of(form), name_of(solver.status()));
    return true;
  }
  const double solve = median_seconds(
      settings.repeat, [&] { solver.solve(DenseView<const T>(b.data(), n, space), DenseView<T>(x.data(), n, space)); });
  std::vector<double> solution = x.to_host();
  solution.resize(static_cast<std::size_t>(n));
  const double error = io::backward_error(a, solution, right);
  const double solve_many = median_seconds(settings.repeat, [&] {
    solver.solve({b.data(), n, many, n, space}, {x.data(), n, many, n, space});
  });
  const FactorReport report = solver.factor_report();
  fmt::print("| {} | {} | {} | {} | {} | {:.1f} | {:.4f} | {:.4f} | {:.4f} | {} | {} | {:.1e} | {:.1e} |\n", a.name,
             name_of(form), sizeof(T) == sizeof(float) ? "float" : "double", n, solver.analyze_report().stored_l,
             solver.analyze_report().seconds_total * 1e3, refactorize * 1e3, solve * 1e3, solve_many * 1e3,
             solver.solve_report().refinement_steps, report.perturbed_pivots, report.growth, error);
  std::fflush(stdout);
  return error <= 100.0 * std::sqrt(static_cast<double>(std::max<std::int64_t>(n, 1))) * std::numeric_limits<T>::epsilon();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("LU, LDLᵀ and LLᵀ on a device");
  std::vector<std::string> matrices;
  Settings settings;
  app.add_option("matrices", matrices, "Matrix Market files, generators, shift:N or kkt:N")->required();
  app.add_option("--repeat", settings.repeat, "Runs; the median counts")->check(CLI::PositiveNumber);
  app.add_option("--form", settings.forms, "Forms: llt, ldlt, lu")->delimiter(',')->allow_extra_args(false);
  app.add_flag("--double", settings.is_double_only, "Double precision only");
  app.add_option("--matching", settings.matching, "Exchange of rows");
  app.add_option("--ordering", settings.ordering, "Fill-reducing ordering");
  CLI11_PARSE(app, argc, argv);
  fmt::print(
      "| matrix | form | scalar | n | stored | analyze ms | refactorize ms | solve 1 ms | solve 16 ms | steps | replaced | "
      "growth | error |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  bool good = true;
  for (const std::string& name : matrices) {
    const io::GeneralMatrix a = bench::load_problem(name);
    for (const std::string& form : settings.forms) {
      good = measure<double>(a, form_of(form).value(), settings) && good;
      if (!settings.is_double_only) good = measure<float>(a, form_of(form).value(), settings) && good;
    }
  }
  return good ? 0 : 1;
}
