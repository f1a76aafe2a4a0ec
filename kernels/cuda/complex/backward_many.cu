/// \file
/// Backward sweeps for several right-hand sides, for complex scalars.

#define GPUSUPERNODAL_COMPLEX_KERNELS
#include "kernels/cuda/backward_many.cu"
