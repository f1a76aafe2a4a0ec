#pragma once

/// \file
/// Names of the scalar types, for code that does not have the type as a parameter. Plain C++.

#include <complex>
#include <cstdint>
#include <type_traits>

namespace gpusupernodal {

enum class ScalarType : std::uint8_t { real_single, real_double, complex_single, complex_double };

constexpr bool is_complex(ScalarType type) {
  return type == ScalarType::complex_single || type == ScalarType::complex_double;
}
constexpr bool is_single(ScalarType type) { return type == ScalarType::real_single || type == ScalarType::complex_single; }
/// Bytes of one number.
constexpr std::int64_t bytes_of(ScalarType type) { return (is_single(type) ? 4 : 8) * (is_complex(type) ? 2 : 1); }

namespace detail {
template <class S>
struct ScalarTypeOf;
template <>
struct ScalarTypeOf<float> : std::integral_constant<ScalarType, ScalarType::real_single> {};
template <>
struct ScalarTypeOf<double> : std::integral_constant<ScalarType, ScalarType::real_double> {};
template <>
struct ScalarTypeOf<std::complex<float>> : std::integral_constant<ScalarType, ScalarType::complex_single> {};
template <>
struct ScalarTypeOf<std::complex<double>> : std::integral_constant<ScalarType, ScalarType::complex_double> {};
}  // namespace detail

template <class S>
inline constexpr ScalarType scalar_type_of = detail::ScalarTypeOf<S>::value;

}  // namespace gpusupernodal
