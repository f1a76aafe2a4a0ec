#pragma once

/// \file
/// Scalar types and forms that the installed library was built with: a build may leave some out.

#include <type_traits>

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/options.hpp"

namespace gpusupernodal {

namespace detail {
/// Whether T is one of Types.
template <class T, class... Types>
inline constexpr bool is_one_of = (std::is_same_v<T, Types> || ...);
}  // namespace detail

/// Returns whether the library has solvers for matrices of T (float, double, std::complex<float> or std::complex<double>).
template <class T>
constexpr bool built_with() noexcept {
  return detail::is_one_of<T, GPUSUPERNODAL_SCALAR_TYPES>;
}

/// Returns whether the library has the form; every build has Form::llt.
constexpr bool built_with(Form form) noexcept {
  return form == Form::llt || (form == Form::ldlt && GPUSUPERNODAL_HAVE_LDLT) || (form == Form::lu && GPUSUPERNODAL_HAVE_LU);
}

namespace detail {
/// Stops the compilation of a program that uses a class for a scalar type which the library does not have.
template <class T>
struct CheckScalar : std::true_type {
  static_assert(built_with<T>(),
                "this gpusupernodal was built without this scalar type: name it in the build option GPUSUPERNODAL_SCALARS "
                "(float, double, complex_float, complex_double)");
};
/// The same for the classes of real scalars.
template <class T>
struct CheckReal : std::true_type {
  static_assert(is_one_of<T, GPUSUPERNODAL_REAL_TYPES>,
                "gpusupernodal has this class for the real scalar types that it was built with: name float or double in the "
                "build option GPUSUPERNODAL_SCALARS");
};
}  // namespace detail

}  // namespace gpusupernodal
