/// \file
/// Whole fronts of LU, for complex scalars.

#define GPUSUPERNODAL_COMPLEX_KERNELS
#include "kernels/cuda/lu_front.cu"
