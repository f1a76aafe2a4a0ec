#include "cli/available_memory.hpp"

#include <fstream>
#include <limits>
#include <string>

namespace gpusupernodal::cli {

std::int64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string key; file >> key;) {
    std::int64_t kilobytes = 0;
    if (key == "MemAvailable:" && file >> kilobytes) return 1024 * kilobytes;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::numeric_limits<std::int64_t>::max();
}

}  // namespace gpusupernodal::cli
