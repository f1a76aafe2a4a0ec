#pragma once

/// \file
/// Runs PETSc programs as a user does and reads what they print.

#include <string>
#include <vector>

namespace gpusupernodal::test {

struct Outcome {
  int exit_code = 0;
  std::string output;  ///< Standard output and error, in the order written.
  bool says(const std::string& text) const { return output.find(text) != std::string::npos; }
};

/// Sets environment variables for this process and its children with which a single MPI process starts fast and as any
/// user.
void prepare_mpi_environment();

/// Runs a shell command.
Outcome run(const std::string& command);

/// Path of a matrix in tests/data, by its file name.
std::string project_matrix(const std::string& file);

/// Options with which a program loads the plugin and selects the solver.
std::string load_plugin();
std::string use_plugin();

/// Runs the program of examples/petsc with a matrix and options.
Outcome solve_matrix(const std::string& path, const std::string& options);

/// The numbers that follow each occurrence of `label` in a text.
std::vector<double> numbers_after(const std::string& text, const std::string& label);

/// A path in the tests' temporary folder, different for each process.
std::string temporary_path(const std::string& name);
/// Writes a text to a temporary file and returns its path.
std::string temporary_file(const std::string& name, const std::string& text);

/// A 3 × 3 matrix with an eigenvalue of about −1.54; natural elimination stops in row 1 at the pivot −3.5.
std::string indefinite_matrix();

}  // namespace gpusupernodal::test
