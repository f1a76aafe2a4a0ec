#define GPUSUPERNODAL_ISA_NAMESPACE host_v4
#define GPUSUPERNODAL_ISA_NAME "x86-64-v4"
#include "kernels/host/complex/table.hpp"
