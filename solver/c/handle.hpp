#pragma once

/// \file
/// Contents of a handle of the C interface, and the conversion of exceptions to codes.

#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <variant>

#include "gpusupernodal.h"
#include "gpusupernodal/built_with.hpp"
#include "gpusupernodal/solver.hpp"

namespace gpusupernodal::c {

/// A sentence in a fixed buffer, so that reporting a lack of memory allocates nothing. Longer sentences are cut.
struct Message {
  char text[1024] = "";

  void assign(const char* sentence) noexcept;
};

/// The calling thread's message for calls without a solver.
Message& message_without_solver() noexcept;

/// Returns the code of the exception being handled and writes its sentence to `message`.
gpusupernodal_code code_of_exception(Message& message) noexcept;

/// Calls call() and converts an exception to a code.
template <class Call>
gpusupernodal_code guarded(Message& message, const Call& call) noexcept {
  try {
    call();
    return GPUSUPERNODAL_OK;
  } catch (...) {
    return code_of_exception(message);
  }
}

template <template <class> class Of, class... T>
using VariantOf = std::variant<Of<T>...>;
/// Of<T> for each scalar type T that the library has, and for each real one.
template <template <class> class Of>
using ForScalars = VariantOf<Of, GPUSUPERNODAL_SCALAR_TYPES>;
template <template <class> class Of>
using ForReals = VariantOf<Of, GPUSUPERNODAL_REAL_TYPES>;

template <class T>
struct ScalarNumber;
template <>
struct ScalarNumber<float> : std::integral_constant<gpusupernodal_scalar, GPUSUPERNODAL_FLOAT> {};
template <>
struct ScalarNumber<double> : std::integral_constant<gpusupernodal_scalar, GPUSUPERNODAL_DOUBLE> {};
template <>
struct ScalarNumber<std::complex<float>> : std::integral_constant<gpusupernodal_scalar, GPUSUPERNODAL_COMPLEX_FLOAT> {};
template <>
struct ScalarNumber<std::complex<double>> : std::integral_constant<gpusupernodal_scalar, GPUSUPERNODAL_COMPLEX_DOUBLE> {};

/// Throws InvalidInput: `what` needs `scalar`, which the library was built without.
[[noreturn]] void refuse_scalar_number(const char* what, gpusupernodal_scalar scalar);

/// Makes `made` an empty Of<T> for the one of the types T with this number. Throws InvalidInput if there is none, because
/// the library was built without it; the sentence calls the object `what`.
template <template <class> class Of, class... T, class Variant>
void emplace_among(const char* what, gpusupernodal_scalar scalar, Variant& made) {
  const bool has_made = ((ScalarNumber<T>::value == scalar && (made.template emplace<Of<T>>(), true)) || ...);
  if (!has_made) refuse_scalar_number(what, scalar);
}
template <template <class> class Of, class... T>
void emplace_for(const char* what, gpusupernodal_scalar scalar, std::variant<Of<T>...>& made) {
  emplace_among<Of, T...>(what, scalar, made);
}

}  // namespace gpusupernodal::c

struct gpusupernodal_solver {
  gpusupernodal::c::ForScalars<gpusupernodal::Solver> solver;
  std::string text;  ///< Storage for the results of get_option and report_text.
  gpusupernodal::c::Message message;
};

namespace gpusupernodal::c {

/// Throws InvalidInput: `what` is a null pointer.
[[noreturn]] void fail_null(const char* what);

inline void require(const void* pointer, const char* what) {
  if (pointer == nullptr) fail_null(what);
}

/// Largest order of a matrix.
inline constexpr std::int64_t max_rows = std::numeric_limits<std::int32_t>::max();

/// Throws InvalidInput unless `count`, the length of an array with one entry per row or group of rows, is 0 to
/// max_rows.
void require_count(std::int64_t count, const char* what);

/// Calls call(handle). A null handle is an invalid input.
template <class Call>
gpusupernodal_code with_handle(gpusupernodal_solver* handle, const Call& call) noexcept {
  if (handle == nullptr) return guarded(message_without_solver(), [] { fail_null("the solver"); });
  return guarded(handle->message, [&] { call(*handle); });
}

/// Calls call(solver) with the handle's Solver<T>.
template <class Call>
gpusupernodal_code with_solver(gpusupernodal_solver* handle, const Call& call) noexcept {
  return with_handle(handle, [&](gpusupernodal_solver& h) { std::visit(call, h.solver); });
}

}  // namespace gpusupernodal::c
