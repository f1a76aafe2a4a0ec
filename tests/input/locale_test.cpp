/// Tests of a program whose C and C++ locales use decimal commas and grouped digits: numbers in files, options and
/// reports are unaffected.

#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <limits>
#include <locale>

#include "gpusupernodal.h"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/solver.hpp"
#include "io/symmetric_matrix.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

class Commas : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

/// Texts that the library writes, and numbers that it reads from texts.
std::vector<std::string> texts() {
  const TemporaryFile file("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1.25\n2 2 2.5e3\n");
  const TemporaryFile x, plan;
  const io::SymmetricMatrix a = io::load(file.path());
  io::write_dense(x.path(), {2, 1, {1234567.5, -0.125}});
  Options options;
  options.backend = Backend::host;
  options.trace = true;
  Solver<double> solver(options);
  const io::SymmetricMatrix grid = io::load("lap2d:40");
  solver.compute(grid.view());
  save_plan(*solver.plan(), plan.path());
  std::vector<std::string> all{std::to_string(a.values[0] + a.values[1]),
                               content_of(x.path()),
                               content_of(plan.path()),
                               plan_json(*solver.plan()),
                               plan_graphviz(*solver.plan()),
                               solver.analyze_report().device};
  try {
    solver.set_shift(1234.5, std::numeric_limits<double>::infinity());
  } catch (const InvalidInput& error) {
    all.emplace_back(error.what());
  }
  gpusupernodal_solver* handle = nullptr;
  const char* value = nullptr;
  EXPECT_EQ(gpusupernodal_create(GPUSUPERNODAL_DOUBLE, &handle), GPUSUPERNODAL_OK);
  EXPECT_EQ(gpusupernodal_set_option(handle, "refinement.backward_error", "1.5e-3"), GPUSUPERNODAL_OK);
  EXPECT_EQ(gpusupernodal_set_option(handle, "ordering_seed", "1234567"), GPUSUPERNODAL_OK);
  for (const char* name : {"refinement.backward_error", "ordering_seed"}) {
    EXPECT_EQ(gpusupernodal_get_option(handle, name, &value), GPUSUPERNODAL_OK);
    all.emplace_back(value);
  }
  gpusupernodal_destroy(handle);
  return all;
}

TEST(Locale, CppLocaleDoesNotChangeOutput) {
  const std::vector<std::string> expected = texts();
  EXPECT_EQ(expected.front(), "2501.250000");
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Commas));
  const std::vector<std::string> with_commas = texts();
  std::locale::global(before);
  EXPECT_EQ(with_commas, expected);
}

TEST(Locale, CLocaleDoesNotChangeOutput) {
  std::vector<std::string> expected = texts();
  const TemporaryFolder folder;
  const std::string name = "de_DE.UTF-8";
  std::system(("localedef -i de_DE -f UTF-8 " + folder.file(name) + " >/dev/null 2>&1").c_str());
  setenv("LOCPATH", folder.path().c_str(), 1);
  const bool found = std::setlocale(LC_ALL, name.c_str()) != nullptr && *std::localeconv()->decimal_point == ',';
  std::vector<std::string> with_commas = texts();
  std::setlocale(LC_ALL, "C");
  unsetenv("LOCPATH");
  if (!found) GTEST_SKIP() << "There is no locale with a decimal comma.";
  EXPECT_EQ(with_commas.front(), "2501,250000") << "made by the test itself";
  with_commas.erase(with_commas.begin());
  expected.erase(expected.begin());
  EXPECT_EQ(with_commas, expected);
}

}  // namespace
}  // namespace gpusupernodal::test
