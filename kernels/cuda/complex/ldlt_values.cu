/// \file
/// Assembly and outcome of LDLᴴ, for complex scalars.

#define GPUSUPERNODAL_COMPLEX_KERNELS
#include "kernels/cuda/ldlt_values.cu"
