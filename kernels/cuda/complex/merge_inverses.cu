/// \file
/// Merged inverses, for complex scalars.

#define GPUSUPERNODAL_COMPLEX_KERNELS
#include "kernels/cuda/merge_inverses.cu"
