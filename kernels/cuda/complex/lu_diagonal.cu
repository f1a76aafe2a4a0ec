/// \file
/// Diagonal blocks of LU, for complex scalars.

#define GPUSUPERNODAL_COMPLEX_KERNELS
#include "kernels/cuda/lu_diagonal.cu"
