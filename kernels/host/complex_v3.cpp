#define GPUSUPERNODAL_ISA_NAMESPACE host_v3
#define GPUSUPERNODAL_ISA_NAME "x86-64-v3"
#include "kernels/host/complex/table.hpp"
