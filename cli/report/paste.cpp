#include "cli/report/paste.hpp"

#include <algorithm>
#include <cctype>

#include "base/fmt.hpp"
#include "gpusupernodal/names.hpp"

namespace gpusupernodal::cli {
namespace {

/// What the method's texts have in common.
struct Direct {
  const char* petsc;
  const char* eigen_class;
  const char* python;
  const char* option;   ///< Option of the command.
  const char* options;  ///< Lines of C++ that set options, with the end of the line.
};

Direct direct_of(Form form) {
  switch (form) {
    case Form::lu:
      return {"-pc_type lu", "GpuSupernodalLU", "lu", " --form lu", "options.form = gpusupernodal::Form::lu;\n"};
    case Form::ldlt:
      return {"-pc_type cholesky -mat_gpusupernodal_form ldlt", "GpuSupernodalLDLT", "ldlt", " --form ldlt",
              "options.form = gpusupernodal::Form::ldlt;\n"};
    case Form::llt:
      break;
  }
  return {"-pc_type cholesky", "GpuSupernodalLLT", "cholesky", "", ""};
}

Paste direct_paste(Form form, const std::string& spec) {
  const Direct d = direct_of(form);
  Paste paste;
  paste.petsc = fmt::format(
      "-dll_append PREFIX/lib/libgpusupernodal_petsc.so\n-ksp_type preonly {}\n-pc_factor_mat_solver_type gpusupernodal\n"
      "-mat_gpusupernodal_expected_factorizations {}",
      d.petsc, factorizations_mark);
  paste.eigen = fmt::format(
      "#include <gpusupernodal/eigen.hpp>\n\nEigen::{}<Eigen::SparseMatrix<double>> solver;\n"
      "solver.options().expected_factorizations = {};\nsolver.compute(A);\nx = solver.solve(b);",
      d.eigen_class, factorizations_mark);
  paste.cpp = fmt::format(
      "#include <gpusupernodal/solver.hpp>\n\ngpusupernodal::Options options;\n{}options.expected_factorizations = {};\n"
      "gpusupernodal::Solver<double> solver(options);\nsolver.compute(A);   // analyze and factorize\n"
      "solver.solve(b, x);  // for each right-hand side",
      d.options, factorizations_mark);
  paste.python =
      fmt::format("import gpusupernodal\n\nfactor = gpusupernodal.{}(A, expected_factorizations={})\nx = factor(b)",
                  d.python, factorizations_mark);
  paste.command = fmt::format("gpusupernodal solve {}{} --expected-factorizations {}", shell_quoted(spec), d.option,
                              factorizations_mark);
  return paste;
}

/// Options of PETSc's own conjugate gradients with the nearest preconditioner that PETSc has.
std::string petsc_of(const std::string& preconditioner, double tolerance) {
  const std::string own = fmt::format("-ksp_type cg -ksp_norm_type unpreconditioned -ksp_rtol {:g}\n", tolerance);
  if (preconditioner == "jacobi" || preconditioner == "none") return own + "-pc_type " + preconditioner;
  if (preconditioner == "block_jacobi") return own + "-pc_type pbjacobi   # for matrices with a block size";
  if (preconditioner == "ic0") return own + "-pc_type icc -pc_factor_levels 0";
  if (preconditioner == "ssor_ai") return own + "-pc_type eisenstat   # SSOR itself";
  return own + fmt::format("-pc_type icc   # PETSc has no {}; this is the nearest", preconditioner);
}

Paste pcg_paste(const std::string& preconditioner, const std::string& spec, double tolerance) {
  Paste paste;
  paste.petsc = petsc_of(preconditioner, tolerance);
  paste.eigen = fmt::format(
      "#include <gpusupernodal/eigen.hpp>\n\nEigen::GpuSupernodalCG<Eigen::SparseMatrix<double>> solver;\n"
      "solver.options().preconditioner = gpusupernodal::Preconditioner::{};\nsolver.setTolerance({:g});\n"
      "solver.compute(A);\nx = solver.solve(b);",
      preconditioner, tolerance);
  paste.cpp = fmt::format(
      "#include <gpusupernodal/pcg.hpp>\n\ngpusupernodal::PcgOptions options;\n"
      "options.preconditioner = gpusupernodal::Preconditioner::{};\noptions.tolerance = {:g};\n"
      "gpusupernodal::Pcg<double> solver(options);\nsolver.compute(A);\nsolver.solve(b, x);",
      preconditioner, tolerance);
  paste.python = fmt::format(
      "import gpusupernodal\n\n# B has the right-hand sides in columns: each call sets the preconditioner up.\n"
      "X, info = gpusupernodal.pcg(A, B, M=\"{}\", rtol={:g})",
      preconditioner, tolerance);
  paste.command = fmt::format("gpusupernodal solve {} --method pcg --preconditioner {} --tolerance {:g}", shell_quoted(spec),
                              preconditioner, tolerance);
  return paste;
}

/// Conjugate gradients with a factor in single precision.
Paste mixed_paste(const std::string& spec, double tolerance) {
  Paste paste;
  paste.petsc = fmt::format(
      "-dll_append PREFIX/lib/libgpusupernodal_petsc.so\n-ksp_type cg -ksp_norm_type unpreconditioned -ksp_rtol {:g}\n"
      "-pc_type cholesky\n-pc_factor_mat_solver_type gpusupernodal   # in the precision of PETSc's scalars",
      tolerance);
  paste.eigen = fmt::format(
      "#include <gpusupernodal/eigen.hpp>\n\nEigen::GpuSupernodalSolver<Eigen::SparseMatrix<double>> solver;\n"
      "solver.options().method = gpusupernodal::Method::mixed;\nsolver.options().tolerance = {:g};\n"
      "solver.compute(A);\nx = solver.solve(b);",
      tolerance);
  paste.cpp = fmt::format(
      "#include <gpusupernodal/system_solver.hpp>\n\ngpusupernodal::SystemOptions options;\n"
      "options.method = gpusupernodal::Method::mixed;\noptions.tolerance = {:g};\n"
      "gpusupernodal::SystemSolver<double> solver(options);\nsolver.compute(A);\nsolver.solve(b, x);",
      tolerance);
  paste.python = fmt::format(
      "import gpusupernodal\n\nsystem = gpusupernodal.System(A, method=\"mixed\", tolerance={:g})\nx = system.solve(b)",
      tolerance);
  paste.command = fmt::format("gpusupernodal solve {} --method mixed --tolerance {:g}", shell_quoted(spec), tolerance);
  return paste;
}

}  // namespace

std::string shell_quoted(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '/' || c == '.' || c == '_' || c == ':' || c == '-' || c == '+';
  });
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

Paste paste_of(const MethodFigures& method, Form form, const std::string& spec, double tolerance) {
  if (method.method == "direct") return direct_paste(form, spec);
  return method.method == "mixed" ? mixed_paste(spec, tolerance) : pcg_paste(method.preconditioner, spec, tolerance);
}

}  // namespace gpusupernodal::cli
