/// \file
/// Whole fronts of a run of levels in one launch, for complex scalars.

#define GPUSUPERNODAL_COMPLEX_KERNELS
#include "kernels/cuda/level_run.cu"
