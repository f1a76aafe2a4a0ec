#define GPUSUPERNODAL_ISA_NAMESPACE host_v2
#define GPUSUPERNODAL_ISA_NAME "x86-64-v2"
#include "kernels/host/complex/table.hpp"
