/// Tests of solve --method pcg: what it prints, writes and refuses.

#include <gtest/gtest.h>

#include <filesystem>

#include "io/residual.hpp"
#include "io/symmetric_matrix.hpp"
#include "tests/cli/run_command.hpp"
#include "tests/support/random_matrices.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

TEST(PcgCommand, SolvesWithEveryPreconditioner) {
  for (const char* const name : {"auto", "none", "jacobi", "block_jacobi", "ssor_ai", "fsai", "ic0", "factor"}) {
    const CommandResult result =
        run_command(std::string("solve lap2d:20 --backend host --method pcg --json --preconditioner ") + name);
    ASSERT_EQ(result.code, 0) << result.errors;
    const nlohmann::json json = result.json();
    EXPECT_EQ(json["method"], "pcg");
    EXPECT_EQ(json["status"], "converged");
    EXPECT_EQ(json["preconditioner"], std::string(name) == "auto" ? "fsai" : name);
    EXPECT_LE(json["relative_residual"].get<double>(), 1e-10);
    EXPECT_LE(json["solution_error"].get<double>(), 1e-7);
    EXPECT_EQ(json["iterations_of_columns"].size(), 1u);
  }
}

TEST(PcgCommand, PrintsTextAndWritesX) {
  const io::SymmetricMatrix a = io::generate("lap3d:6");
  const TemporaryFile b_file, x_file;
  io::write_dense(b_file.path(), {a.n, 2, random_vector(2 * a.n, 3)});
  const CommandResult result = run_command("solve lap3d:6 --method pcg --backend host --tolerance 1e-12 -b " +
                                           b_file.path() + " -o " + x_file.path());
  ASSERT_EQ(result.code, 0) << result.errors;
  for (const char* const line : {"n = 216", "preconditioner  fsai", "status          converged", "iterations ", "residual ",
                                 "2 right-hand sides", "written"}) {
    EXPECT_TRUE(result.says(line)) << line << "\n" << result.output;
  }
  const io::DenseMatrix x = io::read_dense(x_file.path(), a.n), b = io::read_dense(b_file.path(), a.n);
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_LE(io::backward_error(a, Span<const double>(x.values).subspan(c * 216, 216),
                                 Span<const double>(b.values).subspan(c * 216, 216)),
              1e-11);
  }
}

TEST(PcgCommand, FloatHasItsOwnTolerance) {
  const CommandResult result = run_command("solve lap2d:20 --backend host --method pcg --precision float --json");
  ASSERT_EQ(result.code, 0) << result.errors;
  EXPECT_LE(result.json()["relative_residual"].get<double>(), 1e-5);
}

TEST(PcgCommand, SaysWhyItDidNotConverge) {
  const TemporaryFile x_file;
  std::filesystem::remove(x_file.path());
  const CommandResult few =
      run_command("solve lap2d:30 --backend host --method pcg --max-iterations 3 --json -o " + x_file.path());
  EXPECT_EQ(few.code, 8);
  EXPECT_EQ(few.json()["status"], "max_iterations");
  EXPECT_EQ(few.json()["kind"], "not_converged");
  EXPECT_TRUE(few.complains("not converged after 3 iterations")) << few.errors;
  EXPECT_FALSE(std::filesystem::exists(x_file.path()));
  const CommandResult drift =
      run_command("solve lap2d:100 --backend host --method pcg --preconditioner none --tolerance 1e-16");
  EXPECT_EQ(drift.code, 8);
  EXPECT_TRUE(drift.complains("raise --tolerance")) << drift.errors;
  const TemporaryFile indefinite("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 2 -1\n");
  const CommandResult broken = run_command("solve --backend host --method pcg " + indefinite.path());
  EXPECT_EQ(broken.code, 3);
  EXPECT_TRUE(broken.complains("the preconditioner fsai does not exist: the pivot in row 2")) << broken.errors;
  const CommandResult plain = run_command("solve --backend host --method pcg --preconditioner none " + indefinite.path());
  EXPECT_EQ(plain.code, 3);
  EXPECT_TRUE(plain.complains("broke down")) << plain.errors;
}

TEST(PcgCommand, RefusesOptionsOfTheOtherMethod) {
  const auto refused = [](const std::string& arguments, const std::string& sentence) {
    const CommandResult result = run_command("solve lap2d:5 " + arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_TRUE(result.complains(sentence)) << result.errors;
  };
  refused("--tolerance 1e-8", "--tolerance needs --method pcg");
  refused("--method direct --preconditioner jacobi", "--preconditioner needs --method pcg");
  refused("--method pcg --ordering amd", "--ordering goes with --method direct");
  refused("--method pcg --form lu", "--form goes with --method direct");
  refused("--method pcg --refine 2", "--refine goes with --method direct");
  refused("--method gmres", "pcg");
  refused("--method pcg --preconditioner ilu", "did you mean 'ic0'");
  refused("--method pcg --tolerance 3", "tolerance is 3");
  refused("--method pcg --block-size 9", "block_size is 9");
}

}  // namespace
}  // namespace gpusupernodal::test
