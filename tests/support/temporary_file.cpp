#include "tests/support/temporary_file.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace gpusupernodal::test {

TemporaryFile::TemporaryFile(std::string_view content, const std::string& suffix)
    : path_((std::filesystem::temp_directory_path() / ("gpusupernodal-XXXXXX" + suffix)).string()) {
  const int descriptor = mkstemps(path_.data(), static_cast<int>(suffix.size()));
  if (descriptor < 0) throw std::runtime_error("cannot make " + path_);
  close(descriptor);
  std::ofstream(path_, std::ios::binary) << content;
}

TemporaryFile::~TemporaryFile() { std::remove(path_.c_str()); }

std::string TemporaryFile::read() const {
  std::ifstream file(path_, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace gpusupernodal::test
