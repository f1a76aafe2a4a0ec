#pragma once

/// \file
/// The process's heap as our code sees it: link heap.cpp into the test program, with the linker's --wrap for malloc,
/// calloc, realloc and free (CMakeLists.txt), and every operator new and every malloc of the objects of the program can
/// fail. What shared libraries (METIS, oneTBB, PETSc, CUDA) take by malloc is theirs and never fails here.

#include <cstdint>

#include "tests/faults/injection.hpp"

namespace gpusupernodal::test {

/// Sites: each operator new of the process, each malloc, calloc and realloc of our objects.
Injection& heap_faults();

/// Pieces taken at those sites and not given back.
std::int64_t heap_pieces();

}  // namespace gpusupernodal::test
