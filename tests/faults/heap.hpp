#pragma once

/// \file
/// Replaces the heap for our code: link heap.cpp into the test program, with the linker's --wrap for malloc, calloc,
/// realloc and free (CMakeLists.txt), and every operator new and every malloc in the program's objects can be made to
/// fail. Mallocs in shared libraries (METIS, oneTBB, PETSc, CUDA) never fail here.

#include <cstdint>

#include "tests/faults/injection.hpp"

namespace gpusupernodal::test {

/// Sites: each operator new in the process; each malloc, calloc and realloc in our objects.
Injection& heap_faults();

/// Number of allocations at those sites that have not been freed.
std::int64_t heap_pieces();

}  // namespace gpusupernodal::test
