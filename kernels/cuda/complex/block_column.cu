/// \file
/// Diagonal blocks with the rows below them, for complex scalars.

#define GPUSUPERNODAL_COMPLEX_KERNELS
#include "kernels/cuda/block_column.cu"
