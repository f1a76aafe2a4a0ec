#pragma once

/// \file
/// The scalars that a file's kernels are compiled for: real ones, or complex ones where a file of kernels/cuda/complex
/// includes it. Each of the two is a translation unit of its own, so that both are compiled side by side. The second list
/// has those of at most 8 bytes.

#include "kernels/common/device_complex.hpp"

#ifdef GPUSUPERNODAL_COMPLEX_KERNELS
#define GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE) \
  INSTANTIATE(Complex<float>);                         \
  INSTANTIATE(Complex<double>)
#define GPUSUPERNODAL_INSTANTIATE_SMALL_SCALARS(INSTANTIATE) INSTANTIATE(Complex<float>)
#else
#define GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE) \
  INSTANTIATE(float);                                  \
  INSTANTIATE(double)
#define GPUSUPERNODAL_INSTANTIATE_SMALL_SCALARS(INSTANTIATE) GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE)
#endif
