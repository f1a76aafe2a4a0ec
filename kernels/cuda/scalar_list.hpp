#pragma once

/// \file
/// The scalars of this build that a file's kernels are compiled for: real ones, or complex ones where a file of
/// kernels/cuda/complex includes it. Each of the two is a translation unit of its own, so that both are compiled side by
/// side. The second list has those of at most 8 bytes.

#include "gpusupernodal/build_config.hpp"
#include "kernels/common/device_complex.hpp"

#ifdef GPUSUPERNODAL_COMPLEX_KERNELS
#if !GPUSUPERNODAL_HAVE_COMPLEX_DOUBLE
#define GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE) INSTANTIATE(Complex<float>)
#elif !GPUSUPERNODAL_HAVE_COMPLEX_FLOAT
#define GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE) INSTANTIATE(Complex<double>)
#else
#define GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE) \
  INSTANTIATE(Complex<float>);                         \
  INSTANTIATE(Complex<double>)
#endif
#if GPUSUPERNODAL_HAVE_COMPLEX_FLOAT
#define GPUSUPERNODAL_INSTANTIATE_SMALL_SCALARS(INSTANTIATE) INSTANTIATE(Complex<float>)
#else
#define GPUSUPERNODAL_INSTANTIATE_SMALL_SCALARS(INSTANTIATE) static_assert(true)
#endif
#else
#if !GPUSUPERNODAL_HAVE_DOUBLE
#define GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE) INSTANTIATE(float)
#elif !GPUSUPERNODAL_HAVE_FLOAT
#define GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE) INSTANTIATE(double)
#else
#define GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE) \
  INSTANTIATE(float);                                  \
  INSTANTIATE(double)
#endif
#define GPUSUPERNODAL_INSTANTIATE_SMALL_SCALARS(INSTANTIATE) GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE)
#endif
