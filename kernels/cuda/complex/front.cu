/// \file
/// Whole fronts, for complex scalars.

#define GPUSUPERNODAL_COMPLEX_KERNELS
#include "kernels/cuda/front.cu"
