/// \file
/// The gpusupernodal command: parses the command line, runs one subcommand, turns exceptions into exit codes.

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <iostream>
#include <string_view>

#include "cli/command_line_error.hpp"
#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/options.hpp"
#include "cli/print.hpp"
#include "cli/terminal.hpp"
#include "gpusupernodal/info.hpp"

namespace gpusupernodal::cli {
namespace {

constexpr const char* description =
    "Solves A x = b for sparse A: symmetric positive definite by Cholesky, symmetric by LDLT (--form ldlt),\n"
    "any square A by LU (--form lu); on CUDA if a device is found and expected to be faster, on the host\n"
    "otherwise.";

constexpr const char* footer = R"(
Matrices are Matrix Market files ('coordinate real symmetric', with --form lu also 'general'; for solve also
'complex'; plain or gzip) or generated:
  lap2d:N  5-point, N² nodes          lap3d:N  7-point, N³ nodes      lap27:N  27-point, N³ nodes
  elas:N   27-point, 3 unknowns       shell:N  9-point on N² nodes, 6 unknowns
  convdiff:N  convection, --form lu   circuit:N  resistors and sources, --form lu

Exit codes:
  0 success   1 any other error   2 bad input or options   3 not positive definite
  4 not enough memory   5 backend not available   6 singular   7 unstable
  8 conjugate gradients did not converge

Examples:
  gpusupernodal solve bcsstk18.mtx.gz                  solve for b = A·ones, print times and backward error
  gpusupernodal solve A.mtx -b b.mtx -o x.mtx          solve and write x
  gpusupernodal solve A.mtx --backend cuda --refine-to 1e-15
  gpusupernodal solve jacobian.mtx --form lu           a general matrix; symmetric indefinite: --form ldlt
  gpusupernodal solve A.mtx --method pcg               conjugate gradients
  gpusupernodal analyze lap3d:60 --ordering metis      what a factorization would take
  gpusupernodal analyze A.mtx --plot-pattern pattern.svg --plot-tree tree.svg
  gpusupernodal bench lap3d:40 A.mtx --rhs 1,16 --json
  gpusupernodal report A.mtx -o report.html            a page about A: which method, and why

'gpusupernodal SUBCOMMAND --help' lists the options of a subcommand.)";

/// Opens /dev/null in place of each closed standard stream. Otherwise the first file opened would get the descriptor of the
/// stream, and printed text would go into that file. The direction is reversed (stdin write-only, the others read-only), so
/// that reading or printing still fails.
void take_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const bool closed = fcntl(stream, F_GETFD) < 0 && errno == EBADF;
    if (closed && open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

/// Parses the command line and runs the subcommand. Throws what the subcommand throws.
ExitCode run(int argc, char** argv) {
  CLI::App app(description, "gpusupernodal");
  app.set_help_flag("-h,--help", "print this help");  // Before adding the subcommands, which inherit it.
  app.set_version_flag("--version", version(), "print the version");
  add_color(app);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  const std::array<Command, 10> commands{add_solve(app),    add_analyze(app),   add_bench(app),  add_batch(app),
                                         add_multiply(app), add_tune(app),      add_report(app), add_info(app),
                                         add_doctor(app),   add_completion(app)};
  app.footer(footer);  // Set after adding the subcommands, which would inherit it.
  ExitCode code = ExitCode::failure;
  try {
    app.parse(argc, argv);
    for (const Command& command : commands) {
      if (command.app->parsed()) code = command.run();
    }
  } catch (const CLI::ParseError& e) {
    // --help and --version also end parsing with an exception, whose exit code is 0.
    if (e.get_exit_code() != 0) refuse_command_line(app, e);
    app.exit(e);
    code = ExitCode::success;
  }
  finish_output();
  return code;
}

/// Whether the command line has --json. Looks at the words, because errors of the command line have no parsed options.
bool asks_for_json(int argc, char** argv) {
  return std::any_of(argv, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
}

}  // namespace
}  // namespace gpusupernodal::cli

int main(int argc, char** argv) {
  namespace cli = gpusupernodal::cli;
  try {
    cli::take_closed_streams();
    cli::choose_color(argc, argv);
    return static_cast<int>(cli::run(argc, argv));
  } catch (const std::exception&) {
    const cli::Failure failure = cli::current_failure();
    if (cli::asks_for_json(argc, argv)) {
      cli::print_json(cli::to_json(failure));
      std::cout.flush();  // If standard output is what failed, stderr still has the sentence.
    }
    return static_cast<int>(cli::report(failure));
  }
}
