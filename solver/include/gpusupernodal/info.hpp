#pragma once

/// \file
/// What this build and this machine offer.

#include <string>
#include <vector>

#include "gpusupernodal/export.hpp"

namespace gpusupernodal {

/// "MAJOR.MINOR.PATCH".
GPUSUPERNODAL_API const char* version();

/// A backend, and whether it can be used in this process.
struct BackendInfo {
  std::string name;                  ///< "host", "cuda".
  bool available = false;            ///< Whether a solver can use it here.
  std::string reason;                ///< Why not available; for the host the instruction set chosen.
  std::vector<std::string> devices;  ///< One line a device or processor.
};

/// The backends compiled in, and for each whether it can be used here. Never throws for a missing device.
GPUSUPERNODAL_API std::vector<BackendInfo> backends();

}  // namespace gpusupernodal
