/// \file
/// Diagonal blocks, for complex scalars.

#define GPUSUPERNODAL_COMPLEX_KERNELS
#include "kernels/cuda/diagonal.cu"
