/// \file
/// Launches on vectors, for complex scalars.

#define GPUSUPERNODAL_COMPLEX_KERNELS
#include "kernels/cuda/vectors.cu"
