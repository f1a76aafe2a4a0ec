#pragma once

/// \file
/// Runs code in the precision that --precision chooses, if the library was built with it.

#include <complex>

#include "gpusupernodal/built_with.hpp"

namespace gpusupernodal::cli {

/// Throws InvalidInput: the library was built without the scalar type of this name.
[[noreturn]] void refuse_scalar(const char* name);

constexpr const char* scalar_name(float) { return "float"; }
constexpr const char* scalar_name(double) { return "double"; }
constexpr const char* scalar_name(std::complex<float>) { return "complex_float"; }
constexpr const char* scalar_name(std::complex<double>) { return "complex_double"; }

/// Calls run(T()). Throws InvalidInput if the library was built without T.
template <class T, class Run>
void run_with(const Run& run) {
  if constexpr (built_with<T>()) {
    run(T());
  } else {
    refuse_scalar(scalar_name(T()));
  }
}

/// Calls run(Single()) or run(Double()).
template <class Single, class Double, class Run>
void in_precision(bool is_single, const Run& run) {
  is_single ? run_with<Single>(run) : run_with<Double>(run);
}

}  // namespace gpusupernodal::cli
