#pragma once

/// \file
/// Scalar types and forms that the installed library was built with: a build may leave some out.

#include <array>
#include <complex>
#include <cstddef>
#include <type_traits>

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/options.hpp"

namespace gpusupernodal {

namespace detail {
/// Whether T is one of Types.
template <class T, class... Types>
inline constexpr bool is_one_of = (std::is_same_v<T, Types> || ...);

/// A scalar type's name in the build option GPUSUPERNODAL_SCALARS, and whether the library has the type.
struct ScalarChoice {
  const char* name;  ///< As in the option.
  bool is_built;     ///< Whether the library has it.
};
/// All scalar types, in the order of the numbers that C has for them.
inline constexpr std::array<ScalarChoice, 4> scalar_choices{{{"float", GPUSUPERNODAL_HAVE_FLOAT != 0},
                                                             {"double", GPUSUPERNODAL_HAVE_DOUBLE != 0},
                                                             {"complex_float", GPUSUPERNODAL_HAVE_COMPLEX_FLOAT != 0},
                                                             {"complex_double", GPUSUPERNODAL_HAVE_COMPLEX_DOUBLE != 0}}};
/// Where T is in scalar_choices.
template <class T>
inline constexpr std::size_t scalar_index = (is_one_of<T, std::complex<float>, std::complex<double>> ? 2 : 0) +
                                            (is_one_of<T, double, std::complex<double>> ? 1 : 0);
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
/// Stops the compilation of a program that uses a class of real scalars for a type which the library does not have.
template <class T>
struct CheckReal : std::true_type {
  static_assert(is_one_of<T, GPUSUPERNODAL_REAL_TYPES>,
                "gpusupernodal has this class for the real scalar types that it was built with: name float or double in the "
                "build option GPUSUPERNODAL_SCALARS; complex scalars are not supported by this class");
};
/// Stops the compilation of a program that uses Program, a class for a form that the library does not have.
template <class Program, Form form>
struct CheckForm : std::bool_constant<built_with(form)> {};
}  // namespace detail

}  // namespace gpusupernodal
