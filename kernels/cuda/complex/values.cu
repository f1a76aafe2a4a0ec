/// \file
/// Assembly and outcome, for complex scalars.

#define GPUSUPERNODAL_COMPLEX_KERNELS
#include "kernels/cuda/values.cu"
