# Finds what the build needs and sets GPUSUPERNODAL_HAVE_<PART> for each optional part: METIS, COST_FILES, EIGEN, CLI, CUDA,
# PETSC, PETSC_COMPLEX. Each part that is left out is named in one line with what it lacks.
include(CheckCXXSourceCompiles)
find_package(Threads REQUIRED)

# gpusupernodal_lacks(MESSAGES PACKAGE DEBIAN-PACKAGE [VERSION]): appends to MESSAGES unless find_package finds it. Eigen 5
# calls itself incompatible with a request for 3.4, so the version is compared here.
macro(gpusupernodal_lacks messages package debian)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    list(APPEND ${messages} "${package} was not found (Debian, Ubuntu: ${debian})")
  elseif(NOT "${ARGN}" STREQUAL "" AND ${package}_VERSION VERSION_LESS "${ARGN}")
    list(APPEND ${messages} "${package} ${${package}_VERSION} is too old: ${ARGN} or newer is needed")
  endif()
endmacro()

# gpusupernodal_part(PART WHAT LACKS...): decides by GPUSUPERNODAL_<PART> and by what it lacks whether a part is built, and sets
# GPUSUPERNODAL_HAVE_<PART>.
function(gpusupernodal_part part what)
  set(have ON)
  if(GPUSUPERNODAL_${part} STREQUAL "OFF")
    set(have OFF)
  elseif(ARGN)
    list(JOIN ARGN "; " lacks)
    if(GPUSUPERNODAL_${part} STREQUAL "ON")
      message(FATAL_ERROR "GPUSUPERNODAL_${part}=ON, but ${lacks}")
    endif()
    message(STATUS "gpusupernodal: without ${what}: ${lacks}")
    set(have OFF)
  endif()
  set(GPUSUPERNODAL_HAVE_${part} ${have} PARENT_SCOPE)
endfunction()

# Sentences are formatted by the standard library where it can, else by fmt.
set(CMAKE_CXX_STANDARD 20)  # for the check alone
check_cxx_source_compiles("#include <format>
int main() { return std::format(\"{}\", 1).size() == 1 ? 0 : 1; }" GPUSUPERNODAL_STD_FORMAT)
unset(CMAKE_CXX_STANDARD)
if(NOT GPUSUPERNODAL_STD_FORMAT)
  find_package(fmt QUIET)
  if(NOT fmt_FOUND)
    message(FATAL_ERROR "gpusupernodal: this compiler's standard library has no std::format (GCC has it from 13 on), and fmt, which \
takes its place, was not found: install it (Debian, Ubuntu: libfmt-dev) or set fmt_DIR")
  endif()
endif()
add_library(gpusupernodal_format INTERFACE)
if(GPUSUPERNODAL_STD_FORMAT)
  target_compile_definitions(gpusupernodal_format INTERFACE GPUSUPERNODAL_STD_FORMAT=1)
else()
  target_link_libraries(gpusupernodal_format INTERFACE fmt::fmt-header-only)
endif()

if(GPUSUPERNODAL_THREADS STREQUAL "tbb")
  find_package(TBB QUIET)
  if(NOT TBB_FOUND)
    message(FATAL_ERROR "gpusupernodal: oneTBB was not found: install it (Debian, Ubuntu: libtbb-dev) or set TBB_DIR")
  endif()
endif()

set(lacks "")
gpusupernodal_lacks(lacks METIS libmetis-dev)
gpusupernodal_part(METIS "the ordering metis" ${lacks})

set(lacks "")
gpusupernodal_lacks(lacks nlohmann_json nlohmann-json3-dev 3)
gpusupernodal_part(COST_FILES "files of cost figures" ${lacks})

set(lacks "")
gpusupernodal_lacks(lacks Eigen3 libeigen3-dev 3.4)
gpusupernodal_part(EIGEN "the Eigen class" ${lacks})

set(lacks "")
gpusupernodal_lacks(lacks CLI11 libcli11-dev)
gpusupernodal_lacks(lacks ZLIB zlib1g-dev)
gpusupernodal_lacks(lacks nlohmann_json nlohmann-json3-dev 3)
gpusupernodal_lacks(lacks fmt libfmt-dev)
gpusupernodal_part(CLI "the command gpusupernodal" ${lacks})

# Tests and benches read matrices and compare with other libraries: they need every part of the library, and zlib.
if(GPUSUPERNODAL_TESTS OR GPUSUPERNODAL_BENCH)
  set(lacks "")
  gpusupernodal_lacks(lacks METIS libmetis-dev)
  gpusupernodal_lacks(lacks nlohmann_json nlohmann-json3-dev 3)
  gpusupernodal_lacks(lacks Eigen3 libeigen3-dev 3.4)
  gpusupernodal_lacks(lacks ZLIB zlib1g-dev)
  gpusupernodal_lacks(lacks fmt libfmt-dev)
  foreach(part METIS COST_FILES EIGEN)
    if(NOT GPUSUPERNODAL_HAVE_${part} AND GPUSUPERNODAL_${part} STREQUAL "OFF")
      list(APPEND lacks "GPUSUPERNODAL_${part} is OFF")
    endif()
  endforeach()
  if(lacks)
    list(JOIN lacks "; " lacks)
    message(FATAL_ERROR "The tests and benches of gpusupernodal need more: ${lacks}. Without them: -DGPUSUPERNODAL_TESTS=OFF \
-DGPUSUPERNODAL_BENCH=OFF")
  endif()
endif()

include(GpusupernodalCuda)

# gpusupernodal_petsc_scalars(RESULT PREFIX): "real" or "complex", by the headers of the PETSc that pkg_check_modules found.
function(gpusupernodal_petsc_scalars result prefix)
  set(is_complex "")
  if(EXISTS "${${prefix}_INCLUDEDIR}/petscconf.h")
    file(STRINGS "${${prefix}_INCLUDEDIR}/petscconf.h" is_complex REGEX "define PETSC_USE_COMPLEX ")
  endif()
  if(is_complex)
    set(${result} complex PARENT_SCOPE)
  else()
    set(${result} real PARENT_SCOPE)
  endif()
endfunction()

set(lacks "")
if(NOT GPUSUPERNODAL_PETSC STREQUAL "OFF")
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(PETSC QUIET IMPORTED_TARGET PETSc)
  endif()
  if(NOT PETSC_FOUND)
    set(lacks "pkg-config finds no module PETSc (set PKG_CONFIG_PATH to PETSC_DIR/PETSC_ARCH/lib/pkgconfig)")
  elseif(PETSC_VERSION VERSION_LESS 3.18)
    set(lacks "the PETSc ${PETSC_VERSION} that pkg-config finds (PKG_CONFIG_PATH) is older than 3.18")
  else()
    gpusupernodal_petsc_scalars(petsc_scalars PETSC)
    if(petsc_scalars STREQUAL "complex")
      set(lacks "the PETSc ${PETSC_VERSION} that pkg-config finds (PKG_CONFIG_PATH) has complex scalars (\
GPUSUPERNODAL_PETSC_COMPLEX_DIR names such a one)")
    endif()
  endif()
endif()
gpusupernodal_part(PETSC "the PETSc plugin" ${lacks})

# The plugin for complex scalars has a PETSc of its own, which has the same name for pkg-config.
file(GLOB petsc_complex_folders "/usr/lib/petscdir/petsc*/*-complex/lib/pkgconfig")
list(SORT petsc_complex_folders COMPARE NATURAL ORDER DESCENDING)
set(petsc_complex_folder "")
if(petsc_complex_folders)
  list(GET petsc_complex_folders 0 petsc_complex_folder)
endif()
set(GPUSUPERNODAL_PETSC_COMPLEX_DIR "${petsc_complex_folder}" CACHE PATH
  "Folder lib/pkgconfig of a PETSc with complex scalars, for the plugin libgpusupernodal_petsc_complex.so")
mark_as_advanced(GPUSUPERNODAL_PETSC_COMPLEX_DIR)
set(lacks "")
if(NOT GPUSUPERNODAL_PETSC_COMPLEX STREQUAL "OFF")
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND AND GPUSUPERNODAL_PETSC_COMPLEX_DIR)
    set(petsc_path "$ENV{PKG_CONFIG_PATH}")
    set(ENV{PKG_CONFIG_PATH} "${GPUSUPERNODAL_PETSC_COMPLEX_DIR}")
    pkg_check_modules(PETSC_COMPLEX QUIET IMPORTED_TARGET PETSc)
    set(ENV{PKG_CONFIG_PATH} "${petsc_path}")
    gpusupernodal_petsc_scalars(petsc_scalars PETSC_COMPLEX)
  endif()
  if(NOT PETSC_COMPLEX_FOUND)
    set(lacks "no PETSc with complex scalars was found (Debian, Ubuntu: libpetsc-complex-dev; else set \
GPUSUPERNODAL_PETSC_COMPLEX_DIR to its folder lib/pkgconfig)")
  elseif(PETSC_COMPLEX_VERSION VERSION_LESS 3.18 OR NOT petsc_scalars STREQUAL "complex")
    set(lacks "the PETSc ${PETSC_COMPLEX_VERSION} in GPUSUPERNODAL_PETSC_COMPLEX_DIR is older than 3.18 or has real scalars")
  endif()
endif()
gpusupernodal_part(PETSC_COMPLEX "the PETSc plugin for complex scalars" ${lacks})

message(STATUS "gpusupernodal: CUDA ${GPUSUPERNODAL_HAVE_CUDA}, PETSc ${GPUSUPERNODAL_HAVE_PETSC} ${PETSC_VERSION}, \
PETSc complex ${GPUSUPERNODAL_HAVE_PETSC_COMPLEX} ${PETSC_COMPLEX_VERSION}, \
Eigen ${GPUSUPERNODAL_HAVE_EIGEN}, command ${GPUSUPERNODAL_HAVE_CLI}")
