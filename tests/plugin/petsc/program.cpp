#include "tests/plugin/petsc/program.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace gpusupernodal::test {
namespace {

/// Open MPI and PETSc keep memory until the process ends; a preloaded library precedes the sanitizer's.
constexpr char sanitizer_options[] = "detect_leaks=0:verify_asan_link_order=0";

}  // namespace
}  // namespace gpusupernodal::test

/// The address sanitizer, if used, reads this when the process starts.
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() {
  return gpusupernodal::test::sanitizer_options;
}

namespace gpusupernodal::test {
namespace {

std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr ? folder : "/tmp";
}

/// A folder for temporary files of this process and its children: Open MPI programs that start and end concurrently
/// would remove each other's files from a common folder.
class OwnFolder {
 public:
  OwnFolder() {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make a folder for temporary files");
    setenv("TMPDIR", path_.c_str(), 1);
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  ~OwnFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

 private:
  std::string path_ = temporary_folder() + "/gpusupernodal_XXXXXX";
};

}  // namespace

void prepare_mpi_environment() {
  static const OwnFolder folder;
  const char* const settings[][2] = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                     {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                     {"OMPI_MCA_ess_singleton_isolated", "1"},
                                     {"OMPI_MCA_btl", "self"},
                                     // Others probe for hardware, which takes a third of a short program's time.
                                     {"OMPI_MCA_pml", "ob1"},
                                     {"OPENBLAS_NUM_THREADS", "1"},
                                     {"OMPI_MCA_plm_rsh_agent", "/bin/false"}};
  for (const auto& setting : settings) setenv(setting[0], setting[1], 0);
  const char* given = std::getenv("ASAN_OPTIONS");
  const std::string options = given != nullptr ? given : "";
  if (options.find(sanitizer_options) == std::string::npos) {
    setenv("ASAN_OPTIONS", (options + ":" + sanitizer_options).c_str(), 1);
  }
}

Outcome run(const std::string& command) {
  prepare_mpi_environment();
  Outcome outcome;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start " + command);
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    outcome.output.append(buffer.data(), got);
  const int status = pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

std::string project_matrix(const std::string& file) { return TEST_DATA "/" + file; }

std::string load_plugin() { return " -dll_append " TEST_PLUGIN; }

std::string use_plugin() { return load_plugin() + " -pc_type cholesky -pc_factor_mat_solver_type gpusupernodal"; }

Outcome solve_matrix(const std::string& path, const std::string& options) {
  return run(TEST_PROGRAM " -f " + path + " " + options);
}

std::vector<double> numbers_after(const std::string& text, const std::string& label) {
  std::vector<double> numbers;
  for (std::size_t at = text.find(label); at != std::string::npos; at = text.find(label, at + 1)) {
    numbers.push_back(std::strtod(text.c_str() + at + label.size(), nullptr));
  }
  return numbers;
}

std::string temporary_path(const std::string& name) {
  prepare_mpi_environment();
  return temporary_folder() + "/" + name;
}

std::string temporary_file(const std::string& name, const std::string& text) {
  const std::string path = temporary_path(name);
  std::ofstream(path) << text;
  return path;
}

std::string indefinite_matrix() {
  return temporary_file("indefinite.mtx",
                        "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 2\n2 2 1\n3 3 3\n2 1 3\n");
}

}  // namespace gpusupernodal::test
