/// \file
/// Launches of sweeps, for complex scalars.

#define GPUSUPERNODAL_COMPLEX_KERNELS
#include "kernels/cuda/solve.cu"
