#pragma once

/// \file
/// Version and backends of this build on this machine.

#include <string>
#include <vector>

#include "gpusupernodal/export.hpp"

namespace gpusupernodal {

/// Returns "MAJOR.MINOR.PATCH".
GPUSUPERNODAL_API const char* version();

/// A backend and its availability in this process.
struct BackendInfo {
  std::string name;                  ///< "host" or "cuda".
  bool available = false;            ///< Whether a solver can use it here.
  std::string reason;                ///< Why it is unavailable; for the host, the instruction set chosen.
  std::vector<std::string> devices;  ///< One line per device or processor.
};

/// Lists the backends and whether each can be used here. A missing device is not an error.
GPUSUPERNODAL_API std::vector<BackendInfo> backends();

}  // namespace gpusupernodal
