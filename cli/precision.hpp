#pragma once

/// \file
/// Runs code in the precision that --precision chooses, and refuses what the library was built without.

#include <complex>
#include <type_traits>

#include "gpusupernodal/built_with.hpp"

namespace gpusupernodal::cli {

/// Throws InvalidInput: `what` needs a scalar type that the library was built without.
[[noreturn]] void refuse_scalar(const char* what, const detail::ScalarChoice& scalar);

/// Throws InvalidInput if single precision is requested, but the library has none of these types. To be called before a file
/// is read.
template <class First, class... Singles>
void require_precision(bool is_single) {
  if constexpr (!built_with<First>() && !(built_with<Singles>() || ...)) {
    if (is_single) refuse_scalar("--precision float", detail::scalar_choices[detail::scalar_index<First>]);
  }
}

/// Calls run(T()). Throws InvalidInput if the library was built without T.
template <class T, class Run>
void run_with(const Run& run) {
  if constexpr (built_with<T>()) {
    run(T());
  } else {
    constexpr bool is_real = std::is_floating_point_v<T>;
    refuse_scalar(is_real ? "--precision float" : "a complex matrix", detail::scalar_choices[detail::scalar_index<T>]);
  }
}

/// Calls run(Single()) or run(Double()).
template <class Single, class Double, class Run>
void in_precision(bool is_single, const Run& run) {
  is_single ? run_with<Single>(run) : run_with<Double>(run);
}

}  // namespace gpusupernodal::cli
