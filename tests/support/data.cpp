#include "tests/support/data.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace gpusupernodal::test {
namespace {

std::vector<std::string> matrices_in(const std::filesystem::path& folder) {
  std::vector<std::string> paths;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string name = file.path().filename().string();
    if (name.ends_with(".mtx") || name.ends_with(".mtx.gz")) paths.push_back(file.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

std::vector<std::string> project_matrices() { return matrices_in(GPUSUPERNODAL_PROJECT_DATA); }

std::vector<std::string> further_matrices() {
  const char* folder = std::getenv("GPUSUPERNODAL_TEST_DATA");
  if (folder == nullptr || *folder == '\0') return {};
  return matrices_in(folder);
}

}  // namespace gpusupernodal::test
