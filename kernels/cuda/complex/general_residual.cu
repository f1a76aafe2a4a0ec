/// \file
/// Residuals of general matrices, for complex scalars.

#define GPUSUPERNODAL_COMPLEX_KERNELS
#include "kernels/cuda/general_residual.cu"
