/// \file
/// Residuals of Hermitian matrices, for complex scalars.

#define GPUSUPERNODAL_COMPLEX_KERNELS
#include "kernels/cuda/residual.cu"
