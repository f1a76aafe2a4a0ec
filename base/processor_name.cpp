#include "base/processor_name.hpp"

#include <sys/utsname.h>

#include <fstream>
#include <istream>

namespace gpusupernodal {
namespace {

/// What follows the colon of a line that begins with `key`; empty for other lines.
std::string value_of(const std::string& line, const std::string& key) {
  const std::size_t colon = line.find(": ");
  return line.rfind(key, 0) == 0 && colon != std::string::npos ? line.substr(colon + 2) : "";
}

}  // namespace

std::string processor_name(std::istream& cpuinfo, const std::string& architecture) {
  std::string implementer, part;
  for (std::string line; std::getline(cpuinfo, line);) {
    const std::string name = value_of(line, "model name");
    if (!name.empty()) return name;
    if (implementer.empty()) implementer = value_of(line, "CPU implementer");
    if (part.empty()) part = value_of(line, "CPU part");
  }
  return implementer.empty() || part.empty() ? "" : architecture + ", implementer " + implementer + ", part " + part;
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  utsname system{};
  return processor_name(file, uname(&system) == 0 ? system.machine : "");
}

}  // namespace gpusupernodal
