# Every option of the build; docs/install.md has them in a table, which tests/packaging compares with this file.

# gpusupernodal_choice(NAME DEFAULT DESCRIPTION VALUES...): a cache variable that takes one of the values.
function(gpusupernodal_choice name default description)
  set(${name} "${default}" CACHE STRING "${description}")
  set_property(CACHE ${name} PROPERTY STRINGS ${ARGN})
  if(NOT "${${name}}" IN_LIST ARGN)
    list(JOIN ARGN ", " values)
    message(FATAL_ERROR "${name} is \"${${name}}\"; it takes one of ${values}")
  endif()
endfunction()

set(default_shared ON)
if(DEFINED BUILD_SHARED_LIBS)
  set(default_shared ${BUILD_SHARED_LIBS})
endif()

# Parts of the build are AUTO in a project of its own, where a missing package leaves the part out with a message. A project
# that adds this one gets the library alone, unless it asks for more.
set(default_part OFF)
if(PROJECT_IS_TOP_LEVEL)
  set(default_part AUTO)
endif()

gpusupernodal_choice(GPUSUPERNODAL_CUDA AUTO "CUDA backend: if a toolkit is found, always, never" AUTO ON OFF)
set(GPUSUPERNODAL_CUDA_ARCHITECTURES "" CACHE STRING "CUDA architectures to compile for; empty: those of this machine's GPUs, else a list")
option(GPUSUPERNODAL_CUDA_TENSOR_CORES "Use tensor cores where the GPU has those for the scalar type" ON)
option(GPUSUPERNODAL_CUDA_DELAYS "Let tasks on the GPU begin and end late, for tests of what waits for them" OFF)
gpusupernodal_choice(GPUSUPERNODAL_PETSC AUTO "PETSc plugin: if PETSc is found, always, never" AUTO ON OFF)
gpusupernodal_choice(GPUSUPERNODAL_PETSC_COMPLEX AUTO "PETSc plugin for complex scalars: if such a PETSc is found, always, never" AUTO ON OFF)
set(GPUSUPERNODAL_PETSC_FOLDER "" CACHE STRING "Where the PETSc plugin is installed, if not beside the library")
option(GPUSUPERNODAL_SHARED "Build a shared library, not a static one" ${default_shared})
gpusupernodal_choice(GPUSUPERNODAL_METIS AUTO "The ordering metis: if METIS is found, always, never" AUTO ON OFF)
gpusupernodal_choice(GPUSUPERNODAL_COST_FILES AUTO "Files of cost figures: if nlohmann/json is found, always, never" AUTO ON OFF)
gpusupernodal_choice(GPUSUPERNODAL_EIGEN AUTO "The Eigen class: if Eigen is found, always, never" AUTO ON OFF)
gpusupernodal_choice(GPUSUPERNODAL_CLI ${default_part} "The command gpusupernodal: if its packages are found, always, never" AUTO ON OFF)
option(GPUSUPERNODAL_PYTHON "Install the Python package, too" OFF)
option(GPUSUPERNODAL_TESTS "Build the tests" OFF)
option(GPUSUPERNODAL_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(GPUSUPERNODAL_INSTALL "Write the rules that install" ${PROJECT_IS_TOP_LEVEL})
option(GPUSUPERNODAL_BENCH "Build the benches" OFF)
option(GPUSUPERNODAL_WERROR "Treat warnings as errors" OFF)
set(GPUSUPERNODAL_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize= (address,undefined or thread)")
gpusupernodal_choice(GPUSUPERNODAL_THREADS tbb "Threads of the host backend: oneTBB, or std for the thread sanitizer" tbb std)
