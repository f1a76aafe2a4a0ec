#pragma once

/// \file
/// A progress function that another thread ends by a flag.

#include <atomic>
#include <functional>

#include "gpusupernodal/options.hpp"

namespace gpusupernodal {

/// A progress function that any thread may call, because it only reads a flag. The analysis asks it within its steps too; it
/// calls all others between its steps, from the calling thread.
struct UntilStopped {
  const std::atomic<bool>* stop;
  bool operator()(const Progress& /*at*/) const { return !*stop; }
};

/// The flag of a progress function; nullptr if it is none of UntilStopped.
inline const std::atomic<bool>* flag_of(const std::function<bool(const Progress&)>& progress) {
  const UntilStopped* const known = progress.target<UntilStopped>();
  return known == nullptr ? nullptr : known->stop;
}

}  // namespace gpusupernodal
