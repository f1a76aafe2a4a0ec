/// \file
/// Forward sweeps for several right-hand sides, for complex scalars.

#define GPUSUPERNODAL_COMPLEX_KERNELS
#include "kernels/cuda/forward_many.cu"
