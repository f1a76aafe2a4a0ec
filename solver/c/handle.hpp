#pragma once

/// \file
/// What a handle of the C interface holds, and how exceptions become codes.

#include <cstdint>
#include <limits>
#include <string>
#include <variant>

#include "gpusupernodal.h"
#include "gpusupernodal/solver.hpp"

namespace gpusupernodal::c {

/// Kept without allocating: it may have to say that there is no memory. Longer sentences are cut.
struct Message {
  char text[1024] = "";

  void assign(const char* sentence) noexcept;
};

/// Of calls without a solver, a thread.
Message& message_without_solver() noexcept;

/// Code of the exception that is being handled; its sentence goes to `message`.
gpusupernodal_code code_of_exception(Message& message) noexcept;

/// Calls call(); what it throws becomes a code.
template <class Call>
gpusupernodal_code guarded(Message& message, const Call& call) noexcept {
  try {
    call();
    return GPUSUPERNODAL_OK;
  } catch (...) {
    return code_of_exception(message);
  }
}

}  // namespace gpusupernodal::c

struct gpusupernodal_solver {
  std::variant<gpusupernodal::Solver<float>, gpusupernodal::Solver<double>> solver;
  std::string text;  ///< What get_option and report_text point at.
  gpusupernodal::c::Message message;
};

namespace gpusupernodal::c {

/// Throws InvalidInput.
[[noreturn]] void fail_null(const char* what);

inline void require(const void* pointer, const char* what) {
  if (pointer == nullptr) fail_null(what);
}

/// A matrix has no more rows.
inline constexpr std::int64_t max_rows = std::numeric_limits<std::int32_t>::max();

/// Throws InvalidInput for the length of an array with an entry a row, or a group of rows, where no matrix has so many.
void require_count(std::int64_t count, const char* what);

/// Calls call(handle); a null handle is an invalid input.
template <class Call>
gpusupernodal_code with_handle(gpusupernodal_solver* handle, const Call& call) noexcept {
  if (handle == nullptr) return guarded(message_without_solver(), [] { fail_null("the solver"); });
  return guarded(handle->message, [&] { call(*handle); });
}

/// Calls call(solver) with the Solver<T>.
template <class Call>
gpusupernodal_code with_solver(gpusupernodal_solver* handle, const Call& call) noexcept {
  return with_handle(handle, [&](gpusupernodal_solver& h) { std::visit(call, h.solver); });
}

}  // namespace gpusupernodal::c
