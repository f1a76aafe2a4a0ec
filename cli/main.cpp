/// \file
/// The command gpusupernodal: parses the line, runs one subcommand, turns exceptions into exit codes.

#include <CLI/CLI.hpp>
#include <array>
#include <exception>

#include "cli/commands.hpp"
#include "cli/print.hpp"
#include "gpusupernodal/info.hpp"

namespace {

constexpr const char* description =
    "Solves A x = b for sparse, symmetric positive definite A by a supernodal Cholesky factorization,\n"
    "on CUDA where a device is found and is faster, on the host otherwise.";

constexpr const char* footer = R"(
Matrices are Matrix Market files ('coordinate real symmetric', plain or gzip) or generated:
  lap2d:N  5-point, N² nodes          lap3d:N  7-point, N³ nodes      lap27:N  27-point, N³ nodes
  elas:N   27-point, 3 unknowns       shell:N  9-point on N² nodes, 6 unknowns

Exit codes:
  0 solved   2 bad input or options   3 not positive definite   4 not enough memory
  5 backend not available   1 anything else

Examples:
  gpusupernodal solve bcsstk18.mtx.gz                  solve for b = A·ones, print times and backward error
  gpusupernodal solve A.mtx -b b.mtx -o x.mtx          solve and write x
  gpusupernodal solve A.mtx --backend cuda --refine-to 1e-15
  gpusupernodal analyze lap3d:60 --ordering metis      what a factorization would take
  gpusupernodal bench lap3d:40 A.mtx --rhs 1,16 --json

'gpusupernodal SUBCOMMAND --help' lists the options of a subcommand.)";

}  // namespace

int main(int argc, char** argv) {
  using namespace gpusupernodal;
  CLI::App app(description, "gpusupernodal");
  app.set_version_flag("--version", version());
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  const std::array<cli::Command, 4> commands{cli::add_solve(app), cli::add_analyze(app), cli::add_bench(app),
                                             cli::add_info(app)};
  app.footer(footer);  // After the subcommands, which would inherit it.
  try {
    app.parse(argc, argv);
    for (const cli::Command& command : commands) {
      if (!command.app->parsed()) continue;
      const cli::ExitCode code = command.run();
      cli::finish_output();
      return static_cast<int>(code);
    }
  } catch (const CLI::ParseError& e) {
    // --help and --version end parsing too, with code 0.
    return app.exit(e) == 0 ? 0 : static_cast<int>(cli::ExitCode::bad_input);
  } catch (const std::exception&) {
    return static_cast<int>(cli::report_exception());
  }
  return static_cast<int>(cli::ExitCode::failure);
}
