/// \file
/// Whole fronts of a run of levels in one launch, of LU, for complex scalars.

#define GPUSUPERNODAL_COMPLEX_KERNELS
#include "kernels/cuda/lu_level_run.cu"
