#pragma once

/// \file
/// Version and backends of this build on this machine.

#include <string>
#include <vector>

#include "gpusupernodal/export.hpp"
#include "gpusupernodal/options.hpp"

namespace gpusupernodal {

/// Returns "MAJOR.MINOR.PATCH".
GPUSUPERNODAL_API const char* version();

/// What the library was built with, by the names of the build options GPUSUPERNODAL_SCALARS and GPUSUPERNODAL_FORMS.
/// built_with.hpp tells the same at compile time.
struct BuildInfo {
  std::vector<std::string> scalars;  ///< Some of "float", "double", "complex_float", "complex_double".
  std::vector<std::string> forms;    ///< "llt" and perhaps "ldlt", "lu".
};

/// Returns what the library that the program has loaded was built with.
GPUSUPERNODAL_API BuildInfo build_info();

/// A backend and its availability in this process.
struct BackendInfo {
  std::string name;                  ///< "host" or "cuda".
  bool available = false;            ///< Whether a solver can use it here.
  std::string reason;                ///< Why it is unavailable; for the host, the instruction set chosen.
  std::vector<std::string> devices;  ///< One line per device or processor.
};

/// Lists the backends and whether each can be used here. A missing device is not an error.
GPUSUPERNODAL_API std::vector<BackendInfo> backends();

/// Rates that the cost model assumes for a backend, in double precision: upper bounds of what large problems reach. They
/// were fitted on other machines unless the environment variable GPUSUPERNODAL_COST_MODEL names a file for this one.
struct MachineRates {
  double flops_per_second = 0.0;          ///< Rate of products in a factorization, by all threads.
  double solve_bytes_per_second = 0.0;    ///< Bytes of L in triangular solves, by all threads.
  double product_bytes_per_second = 0.0;  ///< Bytes of matrix and vectors in sparse products, from memory, by all threads.
  double cache_bytes_per_second = 0.0;    ///< The same, from the last cache, by all threads.
  double cache_bytes = 0.0;               ///< Bytes of matrix and vectors that stay in that cache.
  std::string source;                     ///< Where the figures come from, for readers; a file that was ignored is named.
};

/// Returns the rates of `backend`, `automatic` as `host`. `threads`: host threads; 0: all that the process may use.
/// `device`: for CUDA, a line of BackendInfo::devices. Throws InvalidInput if the file of the environment variable cannot be
/// read or is not valid.
GPUSUPERNODAL_API MachineRates machine_rates(Backend backend, int threads = 0, const std::string& device = {});

}  // namespace gpusupernodal
