#include "cli/doctor_checks.hpp"

#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <system_error>

#include "base/fmt.hpp"
#include "cli/doctor_software.hpp"
#include "cli/exit_code.hpp"
#include "cli/print.hpp"
#include "gpusupernodal/info.hpp"
#include "gpusupernodal/names.hpp"
#include "gpusupernodal/solver.hpp"
#include "io/residual.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::cli {
namespace {

/// File of the library, or of the command if the library is linked statically; empty if the system does not tell.
std::filesystem::path library_file() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&version), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  const auto path = std::filesystem::canonical(info.dli_fname, error);
  return error ? std::filesystem::path(info.dli_fname) : path;
}

Check check_backend(const BackendInfo& backend) {
  Check check{backend.name, backend.available, backend.reason, ""};
  for (const std::string& device : backend.devices) check.text += (check.text.empty() ? "" : "; ") + device;
  if (backend.available) return check;
  check.advice = check.text.find("this build") != std::string::npos
                     ? "to use a GPU: build with -DGPUSUPERNODAL_CUDA=ON"
                     : "to use a GPU: type 'nvidia-smi' to see whether the driver finds it";
  return check;
}

Check check_memory() {
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  Check check{"memory", true, "", ""};
  check.text = fmt::format("{} installed", bytes_text(page * sysconf(_SC_PHYS_PAGES)));
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    check.text +=
        fmt::format(", address space limited to {} (ulimit -v)", bytes_text(static_cast<std::int64_t>(limit.rlim_cur)));
  return check;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Check check_cost_model() {
  const std::string path = variable("GPUSUPERNODAL_COST_MODEL");
  if (path.empty()) return {"cost figures", true, "built in, measured on an Intel Xeon and an NVIDIA H200", ""};
  if (access(path.c_str(), R_OK) == 0) return {"cost figures", true, "from " + path + " (GPUSUPERNODAL_COST_MODEL)", ""};
  return {"cost figures", false, path + " (GPUSUPERNODAL_COST_MODEL) cannot be read",
          "type 'unset GPUSUPERNODAL_COST_MODEL'"};
}

Check check_backend_variable() {
  const std::string value = variable("GPUSUPERNODAL_BACKEND");
  const std::string name = "GPUSUPERNODAL_BACKEND";
  if (value.empty()) return {name, true, "not set: the options name the backend", ""};
  if (backend_of(value)) return {name, true, value + ": the backend unless the options name one", ""};
  return {name, false, fmt::format("'{}' is not a backend", value), "type 'unset GPUSUPERNODAL_BACKEND'"};
}

Check check_cache_variable() {
  const std::string value = variable("GPUSUPERNODAL_PLAN_CACHE");
  const std::string name = "GPUSUPERNODAL_PLAN_CACHE";
  if (value.empty()) return {name, true, "not set: the options decide about the plan cache", ""};
  if (value == "0") return {name, true, "0: no program keeps plans for later analyses", ""};
  if (value == "1") return {name, true, "1: the options decide about the plan cache", ""};
  return {name, false, fmt::format("'{}' is neither 0 nor 1", value), "type 'unset GPUSUPERNODAL_PLAN_CACHE'"};
}

}  // namespace

Check check_solve() {
  try {
    const io::SymmetricMatrix a = io::load("lap2d:10");
    const std::vector<double> b = io::multiply(a, std::vector<double>(static_cast<std::size_t>(a.n), 1.0));
    std::vector<double> x(b.size());
    Solver<double> solver;
    solver.analyze(a.view());
    solver.factorize(a.view());
    solver.solve(DenseView<const double>(b.data(), a.n, 1, a.n), DenseView<double>(x.data(), a.n, 1, a.n));
    const double error = io::backward_error(a, x, b);
    constexpr double limit = 1e-13;  // About n·eps for n = 100 with a factor of 5.
    return {"test solve", error <= limit, fmt::format("backward error {:.2e} on {}", error, name_of(solver.backend())),
            error <= limit ? "" : "report this as a defect, with the output of this command"};
  } catch (const std::exception&) {
    return {"test solve", false, current_failure().sentence, "correct what is reported as missing, then run this again"};
  }
}

std::vector<Check> check_installation() {
  const std::filesystem::path library = library_file();
  std::vector<Check> checks{{"version", true, version(), ""}, {"library", !library.empty(), library.string(), ""}};
  for (const BackendInfo& backend : backends()) checks.push_back(check_backend(backend));
  checks.push_back(check_cuda_driver());
  checks.push_back(check_cuda_toolkit());
  checks.push_back(check_tbb());
  checks.push_back(check_metis());
  checks.push_back(check_petsc_plugin(library));
  checks.push_back(check_eigen_class(library));
  checks.push_back(check_eigen_headers());
  checks.push_back(check_python_package());
  checks.push_back(check_memory());
  checks.push_back(check_cost_model());
  checks.push_back(check_backend_variable());
  checks.push_back(check_cache_variable());
  return checks;
}

}  // namespace gpusupernodal::cli
