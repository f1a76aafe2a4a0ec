#include "tests/cli/run_command.hpp"

#include <sys/wait.h>

#include <cstdlib>
#include <stdexcept>

#include "tests/support/data.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {

CommandResult run_command(const std::string& arguments, const std::string& before) {
  const TemporaryFile output({}, ".out");
  const TemporaryFile errors({}, ".err");
  const std::string line =
      before + " '" GPUSUPERNODAL_COMMAND "' " + arguments + " > '" + output.path() + "' 2> '" + errors.path() + "'";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output.read(), errors.read()};
}

std::string project_matrix(const std::string& name) {
  for (const std::string& path : project_matrices()) {
    if (path.find("/" + name + ".mtx") != std::string::npos) return path;
  }
  throw std::runtime_error("no matrix " + name + " in tests/data");
}

}  // namespace gpusupernodal::test
