/// \file
/// Tests of solve and multiply with complex files.

#include <gtest/gtest.h>

#include "io/complex_matrix.hpp"
#include "tests/cli/run_command.hpp"
#include "tests/support/accuracy.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

const std::string hermitian_file =
    "%%MatrixMarket matrix coordinate complex hermitian\n3 3 5\n1 1 4 0\n2 2 5 0\n3 3 6 0\n2 1 1 2\n3 2 0 -1\n";
/// Complex symmetric, with a first pivot of zero.
const std::string symmetric_file = "%%MatrixMarket matrix coordinate complex symmetric\n2 2 2\n2 1 1 1\n2 2 2 -1\n";
const std::string singular_file =
    "%%MatrixMarket matrix coordinate complex general\n2 2 4\n1 1 1 1\n1 2 2 0\n2 1 -1 1\n2 2 0 2\n";

TEST(ComplexCommand, SolvesByEitherFormInEitherPrecision) {
  const TemporaryFile hermitian(hermitian_file);
  const TemporaryFile symmetric(symmetric_file);
  for (const auto& command :
       {"solve " + hermitian.path(), "solve --form lu " + hermitian.path(), "solve --form lu " + symmetric.path(),
        "solve --form ldlt " + hermitian.path(), "solve --form ldlt " + symmetric.path()}) {
    const CommandResult text = run_command(command);
    EXPECT_EQ(text.code, 0) << text.errors;
    const nlohmann::json twice = run_command(command + " --json").json();
    EXPECT_EQ(twice["scalar"], "complex");
    EXPECT_LE(twice["backward_error"].get<double>(), backward_error_bound<double>(3));
    EXPECT_LE(twice["solution_error"].get<double>(), 100.0 * backward_error_bound<double>(3));
    const nlohmann::json single = run_command(command + " --json --precision float").json();
    EXPECT_LE(single["backward_error"].get<double>(), backward_error_bound<float>(3));
    EXPECT_EQ(single["precision"], "float");
  }
}

TEST(ComplexCommand, ReadsAndWritesComplexVectors) {
  const TemporaryFile file(hermitian_file);
  const TemporaryFile b_file;
  const TemporaryFile x_file;
  const io::ComplexMatrix a = io::read_hermitian_matrix_market(file.path());
  const io::ComplexDense b{3, 2, {{1.0, 2.0}, 3.0, {0.0, -1.0}, 4.0, {5.0, 5.0}, 6.0}};
  io::write_dense(b_file.path(), b);
  const CommandResult result = run_command("solve " + file.path() + " -b " + b_file.path() + " -o " + x_file.path());
  ASSERT_EQ(result.code, 0) << result.errors;
  const io::ComplexDense x = io::read_complex_dense(x_file.path(), 3);
  for (std::size_t column = 0; column < 2; ++column) {
    EXPECT_LE(io::backward_error(a, Span<const std::complex<double>>(x.values).subspan(3 * column, 3),
                                 Span<const std::complex<double>>(b.values).subspan(3 * column, 3)),
              backward_error_bound<double>(3));
  }
}

TEST(ComplexCommand, SolvesByConjugateGradients) {
  const TemporaryFile file(hermitian_file);
  const TemporaryFile b_file;
  const TemporaryFile x_file;
  const io::ComplexMatrix a = io::read_hermitian_matrix_market(file.path());
  const io::ComplexDense b{3, 1, {{1.0, 2.0}, 3.0, {0.0, -1.0}}};
  io::write_dense(b_file.path(), b);
  const std::string command = "solve --method pcg " + file.path();
  const CommandResult result = run_command(command + " -b " + b_file.path() + " -o " + x_file.path());
  ASSERT_EQ(result.code, 0) << result.errors;
  const io::ComplexDense x = io::read_complex_dense(x_file.path(), 3);
  constexpr double tolerance = 1e-10;  // The default, relative to ‖b‖.
  EXPECT_LE(io::backward_error(a, x.values, b.values), tolerance + backward_error_bound<double>(3));
  for (const std::string precision : {"double", "float"}) {
    const nlohmann::json json = run_command(command + " --preconditioner jacobi --json --precision " + precision).json();
    EXPECT_EQ(json["scalar"], "complex");
    EXPECT_EQ(json["status"], "converged");
    EXPECT_LE(json["iterations"].get<int>(), 3);
    EXPECT_LE(json["solution_error"].get<double>(), precision == "float" ? 1e-4 : 1e-9);
  }
  const TemporaryFile symmetric(symmetric_file);
  const CommandResult refused = run_command("solve --method pcg " + symmetric.path());
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(refused.complains("the matrix is not Hermitian")) << refused.errors;
  const CommandResult cuda = run_command(command + " --backend cuda");
  EXPECT_NE(cuda.code, 0);
  EXPECT_TRUE(cuda.complains("conjugate gradients with complex matrices run on the host only")) << cuda.errors;
}

TEST(ComplexCommand, MultipliesByMatricesOfEverySymmetry) {
  const TemporaryFile hermitian(hermitian_file);
  const TemporaryFile symmetric(symmetric_file);
  const TemporaryFile general(singular_file);
  for (const std::string& arguments : {hermitian.path(), symmetric.path(), "--general " + hermitian.path(),
                                       "--general " + general.path(), "--precision float " + hermitian.path()}) {
    const CommandResult text = run_command("multiply --repeat 1 " + arguments);
    EXPECT_EQ(text.code, 0) << text.errors;
    const nlohmann::json json = run_command("multiply --repeat 1 --json " + arguments).json();
    EXPECT_EQ(json["scalar"], "complex");
    EXPECT_EQ(json["backend"], "host");
    EXPECT_LE(json["difference"].get<double>(), backward_error_bound<float>(3)) << arguments;
  }
  const CommandResult refused = run_command("multiply " + general.path());
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(refused.complains("Add --general to multiply by it.")) << refused.errors;
}

TEST(ComplexCommand, RefusesWhatItCannotSolve) {
  const TemporaryFile hermitian(hermitian_file);
  const TemporaryFile symmetric(symmetric_file);
  const TemporaryFile singular(singular_file);
  const CommandResult cholesky = run_command("solve " + symmetric.path());
  EXPECT_EQ(cholesky.code, 2);
  EXPECT_TRUE(cholesky.complains("Add --form lu, or --form ldlt if it is complex symmetric, to solve or analyze it."))
      << cholesky.errors;
  const CommandResult ldlt = run_command("solve --form ldlt " + singular.path());
  EXPECT_EQ(ldlt.code, 2);
  EXPECT_TRUE(ldlt.complains("neither Hermitian nor symmetric")) << ldlt.errors;
  const CommandResult lu = run_command("solve --form lu " + singular.path());
  EXPECT_NE(lu.code, 0);
  EXPECT_TRUE(lu.complains("the matrix is singular up to rounding")) << lu.errors;
  const CommandResult cuda = run_command("solve --form lu --lu-schedule columns --backend cuda " + symmetric.path());
  EXPECT_NE(cuda.code, 0);
  EXPECT_TRUE(cuda.complains("LU by columns of complex matrices runs on the host only")) << cuda.errors;
  const CommandResult analyze = run_command("analyze " + hermitian.path());
  EXPECT_EQ(analyze.code, 2);
  EXPECT_TRUE(analyze.complains("holds complex numbers, where real ones are needed")) << analyze.errors;
}

TEST(ComplexCommand, DrawsPatternsAndTrees) {
  const TemporaryFile file(hermitian_file);
  const TemporaryFile pattern;
  const TemporaryFile tree;
  const CommandResult result =
      run_command("solve " + file.path() + " --plot-pattern " + pattern.path() + " --plot-tree " + tree.path());
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_NE(pattern.read().find("<svg"), std::string::npos);
  EXPECT_NE(tree.read().find("<svg"), std::string::npos);
}

}  // namespace
}  // namespace gpusupernodal::test
