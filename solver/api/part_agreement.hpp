#pragma once

/// \file
/// Errors of one part that all parts must know of.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string_view>

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/fabric.hpp"
#include "solver/backend/merge_parts.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {

/// The error of a part, as other parts know it.
struct PartFailure {
  std::int32_t part = -1;         ///< −1: none.
  std::array<char, 1020> text{};  ///< The beginning of its message, with a zero at its end.

  void set_text(std::string_view message) {
    std::size_t length = std::min(message.size(), text.size() - 1);
    // No character of UTF-8 is cut.
    while (length < message.size() && length > 0 && (static_cast<unsigned char>(message[length]) & 0xC0U) == 0x80U) --length;
    std::memcpy(text.data(), message.data(), length);
  }
};

/// Calls body(), which must not communicate, on all parts. If it throws on one, all parts throw: this one the same error,
/// the others InvalidState with the message of the lowest part that failed. All parts call it, with no sends pending.
template <class Body>
void on_all_parts(Fabric& fabric, const Body& body) {
  std::exception_ptr error;
  PartFailure failure;
  try {
    body();
  } catch (const std::exception& thrown) {
    error = std::current_exception();
    failure.set_text(thrown.what());
  } catch (...) {
    error = std::current_exception();
    failure.set_text("an exception that is no std::exception");
  }
  if (error) failure.part = fabric.part();
  failure = merge_parts(fabric, failure, [](const PartFailure& a, const PartFailure& b) { return a.part >= 0 ? a : b; });
  if (error) std::rethrow_exception(error);
  if (failure.part >= 0) fail<InvalidState>("part {} of {} failed: {}", failure.part, fabric.parts(), failure.text.data());
}

}  // namespace gpusupernodal
