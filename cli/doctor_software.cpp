#include "cli/doctor_software.hpp"

#include <dlfcn.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "base/fmt.hpp"
#include "gpusupernodal/solver.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::cli {
namespace {

namespace fs = std::filesystem;

constexpr int oldest_toolkit = 12000;  // As CUDA counts: 1000·major + 10·minor.

/// A folder that cannot be examined has no such file for this user either.
bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// The parts of an environment variable like PATH.
std::vector<std::string> paths_of(const char* variable) {
  std::vector<std::string> paths;
  const char* const value = std::getenv(variable);
  std::istringstream stream(value == nullptr ? "" : value);
  for (std::string path; std::getline(stream, path, ':');) {
    if (!path.empty()) paths.push_back(path);
  }
  return paths;
}

/// Value of `#define name value` in a header; empty if the file cannot be read or has no such line.
std::string definition(const fs::path& header, const std::string& name) {
  std::ifstream file(header);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string directive, defined, value;
    if (words >> directive >> defined >> value && directive == "#define" && defined == name) return value;
  }
  return "";
}

std::string cuda_version(int number) { return fmt::format("{}.{}", number / 1000, number % 1000 / 10); }

std::vector<fs::path> toolkit_folders() {
  std::vector<fs::path> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    for (const std::string& path : paths_of(variable)) folders.emplace_back(path);
  }
  for (const std::string& path : paths_of("PATH")) {
    std::error_code error;
    const fs::path compiler = fs::canonical(fs::path(path) / "nvcc", error);
    if (!error) folders.push_back(compiler.parent_path().parent_path());
  }
  folders.emplace_back("/usr/local/cuda");
  return folders;
}

/// Version of Eigen's headers in a folder, like "3.4.0"; empty if there are none.
std::string eigen_version(const fs::path& folder) {
  const fs::path newer = folder / "Eigen/Version";  // From 5.0 on.
  const bool is_newer = is_there(newer);
  const fs::path header = is_newer ? newer : folder / "Eigen/src/Core/util/Macros.h";
  const std::string major = definition(header, "EIGEN_MAJOR_VERSION");
  if (major.empty()) return "";
  const std::string minor = definition(header, "EIGEN_MINOR_VERSION");
  if (is_newer) return fmt::format("{}.{}.{}", major, minor, definition(header, "EIGEN_PATCH_VERSION"));
  return fmt::format("{}.{}.{}", definition(header, "EIGEN_WORLD_VERSION"), major, minor);
}

/// Exit code and last line of a shell command's output.
std::pair<int, std::string> last_line(const char* command) {
  std::FILE* const pipe = popen(command, "r");
  if (pipe == nullptr) return {-1, ""};
  std::string text;
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), static_cast<int>(part.size()), pipe) != nullptr) text += part.data();
  const int status = pclose(pipe);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text.substr(text.rfind('\n') + 1)};
}

/// A file in a folder or in one of the folders there; empty if there is none.
fs::path find_beside(const fs::path& folder, const char* name) {
  if (is_there(folder / name)) return folder / name;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored) && is_there(entry->path() / name)) return entry->path() / name;
  }
  return {};
}

}  // namespace

Check check_cuda_driver() {
  const char* const advice = "for an NVIDIA GPU: install NVIDIA's driver, then type 'nvidia-smi' to see whether it works";
  void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return {"CUDA driver", false, "libcuda.so.1 cannot be loaded", advice};
  const auto get_version = reinterpret_cast<int (*)(int*)>(dlsym(library, "cuDriverGetVersion"));
  int version = 0;
  const bool works = get_version != nullptr && get_version(&version) == 0 && version > 0;
  dlclose(library);
  if (!works) return {"CUDA driver", false, "libcuda.so.1 does not tell its version", advice};
  return {"CUDA driver", true, "for CUDA " + cuda_version(version), ""};
}

Check check_cuda_toolkit() {
  const char* const advice =
      "to build the CUDA backend: install NVIDIA's toolkit, 12.0 or newer, and type 'export CUDA_HOME=ITS_FOLDER'";
  for (const fs::path& folder : toolkit_folders()) {
    const int version = std::atoi(definition(folder / "include/cuda.h", "CUDA_VERSION").c_str());
    if (version == 0) continue;
    const std::string text = fmt::format("{} in {}", cuda_version(version), folder.string());
    if (version >= oldest_toolkit) return {"CUDA toolkit", true, text, ""};
    return {"CUDA toolkit", false, text + " is too old", advice};
  }
  return {"CUDA toolkit", false, "not in CUDA_HOME, CUDA_PATH, PATH or /usr/local/cuda", advice};
}

Check check_tbb() {
  void* const symbol = dlsym(RTLD_DEFAULT, "TBB_runtime_version");
  Dl_info info{};
  if (symbol == nullptr || dladdr(symbol, &info) == 0)
    return {"oneTBB", true, "not loaded: it is inside the library, or this build does not use it", ""};
  return {"oneTBB", true, fmt::format("{} in {}", reinterpret_cast<const char* (*)()>(symbol)(), info.dli_fname), ""};
}

Check check_metis() {
  try {
    Options options;
    options.backend = Backend::host;
    options.ordering = Ordering::metis;
    options.plan_cache = false;
    Solver<double>::preview(io::generate("lap2d:10").view(), options);
    return {"METIS", true, "the ordering metis works", ""};
  } catch (const std::exception& error) {
    return {"METIS", false, error.what(),
            "for the ordering metis: install METIS (libmetis-dev) and build with -DGPUSUPERNODAL_METIS=ON"};
  }
}

Check check_petsc_plugin(const fs::path& library) {
  const fs::path folder = library.parent_path();
  const fs::path real = find_beside(folder, "libgpusupernodal_petsc.so");
  const fs::path complex = find_beside(folder, "libgpusupernodal_petsc_complex.so");
  const std::string with_complex = "for a PETSc with complex scalars: " + complex.string();
  if (!real.empty())
    return {"PETSc plugin", true, real.string() + (complex.empty() ? "" : "; " + with_complex),
            "for PETSc programs: add '-dll_append " + real.string() + "'"};
  if (!complex.empty())
    return {"PETSc plugin", true, with_complex, "for PETSc programs: add '-dll_append " + complex.string() + "'"};
  return {"PETSc plugin", false, fmt::format("no libgpusupernodal_petsc.so in {}", folder.string()),
          "for PETSc programs: install PETSc (libpetsc-real-dev) and build with -DGPUSUPERNODAL_PETSC=ON"};
}

Check check_eigen_class(const fs::path& library) {
  const char* const name = "gpusupernodal/eigen.hpp";
  std::vector<fs::path> folders;
  for (fs::path folder = library.parent_path(); folder.has_relative_path(); folder = folder.parent_path())
    folders.push_back(folder / "include");
  folders.insert(folders.end(), {"/usr/local/include", "/usr/include"});
  for (const fs::path& folder : folders) {
    if (is_there(folder / name)) return {"Eigen class", true, (folder / name).string(), ""};
  }
  return {"Eigen class", false, fmt::format("no {} near the library", name),
          "for Eigen programs: install libgpusupernodal-dev, or type 'cmake --install BUILD --prefix FOLDER'"};
}

Check check_eigen_headers() {
  std::vector<fs::path> folders;
  for (const std::string& path : paths_of("CMAKE_PREFIX_PATH")) folders.push_back(fs::path(path) / "include/eigen3");
  folders.insert(folders.end(), {"/usr/local/include/eigen3", "/usr/include/eigen3"});
  for (const fs::path& folder : folders) {
    const std::string version = eigen_version(folder);
    if (!version.empty()) return {"Eigen headers", true, fmt::format("{} in {}", version, folder.string()), ""};
  }
  return {"Eigen headers", false, "not in CMAKE_PREFIX_PATH, /usr/local or /usr",
          "for Eigen programs: install Eigen 3.4 or newer (libeigen3-dev), or type 'export CMAKE_PREFIX_PATH=ITS_FOLDER'"};
}

Check check_python_package() {
  // The current folder may have a folder of the package's name, so it is not searched.
  const auto [code, line] = last_line(
      "PYTHONDONTWRITEBYTECODE=1 python3 -c '"
      "import sys; sys.path = [path for path in sys.path if path]; "
      "import gpusupernodal as g; print(g.__version__, \"in\", g.__path__[0])' 2>&1");
  if (code == 0) return {"Python package", true, line, ""};
  if (code == 127)
    return {"Python package", false, "there is no python3 in PATH", "for Python: install python3 (python3-pip)"};
  return {"Python package", false, "python3: " + line, "for Python: type 'pip install .' in the folder of the sources"};
}

}  // namespace gpusupernodal::cli
