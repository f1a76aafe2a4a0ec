/// \file
/// Rows below diagonal blocks, for complex scalars.

#define GPUSUPERNODAL_COMPLEX_KERNELS
#include "kernels/cuda/trsm.cu"
