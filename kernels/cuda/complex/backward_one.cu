/// \file
/// Backward sweeps for one right-hand side, for complex scalars.

#define GPUSUPERNODAL_COMPLEX_KERNELS
#include "kernels/cuda/backward_one.cu"
