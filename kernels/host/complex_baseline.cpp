#define GPUSUPERNODAL_ISA_NAMESPACE host_baseline
#define GPUSUPERNODAL_ISA_NAME "baseline"
#include "kernels/host/complex/table.hpp"
