#pragma once

/// \file
/// Refuses numbers that are no enumerator.

#include <array>
#include <cstdint>
#include <string>

#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {

/// Enumerators count from 0 in the order of their names; a cast or uninitialised memory can hold any other number. The
/// sentence begins with `prefix` and `what`, which are joined only then: solves must not allocate.
template <class Enum, std::size_t Count>
void check_enumerator(Enum value, const std::array<const char*, Count>& names, const char* what, const char* prefix = "") {
  const auto number = static_cast<std::int64_t>(value);
  if (number >= 0 && number < static_cast<std::int64_t>(Count)) return;
  std::string all;
  for (std::size_t k = 0; k < Count; ++k) all += fmt::format("{}{} ({})", k == 0 ? "" : ", ", names[k], k);
  fail<InvalidInput>("{} is {}; it must be one of {}", std::string(prefix) + what, number, all);
}

/// Far more than any machine has; the host keeps a few bytes per thread.
inline constexpr int max_threads = 4096;

}  // namespace gpusupernodal
