/// \file
/// Forward sweeps for one right-hand side, for complex scalars.

#define GPUSUPERNODAL_COMPLEX_KERNELS
#include "kernels/cuda/forward_one.cu"
