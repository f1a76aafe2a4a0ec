# `cpack` in the build folder makes Debian packages (the preset `package` has the settings): the library, what programs are
# built with, the command, and the PETSc plugin where it is built.
set(DEBIAN_LIBRARY "libgpusupernodal${GPUSUPERNODAL_SOVERSION}")
set(DEBIAN_VERSION "${PROJECT_VERSION}-1")
set(maintainer_name "$ENV{DEBFULLNAME}")
set(maintainer_address "$ENV{DEBEMAIL}")
if(NOT maintainer_name OR NOT maintainer_address)
  set(maintainer_name "unknown packager")
  set(maintainer_address "root@localhost")
endif()
set(DEBIAN_MAINTAINER "${maintainer_name} <${maintainer_address}>")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gpusupernodal)
set(CPACK_PACKAGE_VENDOR "the gpusupernodal authors")
set(CPACK_PACKAGING_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${DEBIAN_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SOURCE gpusupernodal)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_CURRENT_BINARY_DIR}")
set(CPACK_COMPONENTS_GROUPING IGNORE)

# Each package has a summary of its own.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(summary "sparse Cholesky solver on GPUs and on the host")
set(about "gpusupernodal solves A x = b for large, sparse, symmetric positive
definite A by a supernodal Cholesky factorization, on CUDA devices where
the build has CUDA, and on the host.")

# gpusupernodal_package(COMPONENT NAME SECTION DEPENDS KIND TEXT): a package, with the copyright and the changelog that the
# policy asks for; these are installed by cpack alone.
function(gpusupernodal_package component name section depends kind text)
  string(TOUPPER "CPACK_DEBIAN_${component}" prefix)
  set(${prefix}_PACKAGE_NAME "${name}" PARENT_SCOPE)
  set(${prefix}_PACKAGE_SECTION "${section}" PARENT_SCOPE)
  set(${prefix}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(${prefix}_DESCRIPTION "${summary} (${kind})\n${about}\n\n${text}" PARENT_SCOPE)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
  install(FILES packaging/copyright "${CMAKE_CURRENT_BINARY_DIR}/changelog.Debian.gz"
    DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/${name}" COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

# gpusupernodal_gzip(IN OUT): without name and time of the file, so that the same input gives the same bytes.
find_program(GPUSUPERNODAL_GZIP gzip)
mark_as_advanced(GPUSUPERNODAL_GZIP)
function(gpusupernodal_gzip in out)
  if(GPUSUPERNODAL_GZIP)
    execute_process(COMMAND "${GPUSUPERNODAL_GZIP}" -9nc "${in}" OUTPUT_FILE "${out}" COMMAND_ERROR_IS_FATAL ANY)
  endif()
endfunction()

set(LC_ALL_BEFORE "$ENV{LC_ALL}")
set(ENV{LC_ALL} C)
string(TIMESTAMP DEBIAN_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(ENV{LC_ALL} "${LC_ALL_BEFORE}")
configure_file(packaging/changelog.in "${CMAKE_CURRENT_BINARY_DIR}/changelog.Debian" @ONLY)
gpusupernodal_gzip("${CMAKE_CURRENT_BINARY_DIR}/changelog.Debian" "${CMAKE_CURRENT_BINARY_DIR}/changelog.Debian.gz")

set(CPACK_COMPONENTS_ALL "")
if(GPUSUPERNODAL_SHARED)
  gpusupernodal_package(library ${DEBIAN_LIBRARY} libs "" "shared library" "This package has the library that programs load.")
  # The policy wants ldconfig as a trigger; the scripts that CPack writes call it as well.
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/debian/triggers" "activate-noawait ldconfig\n")
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/debian/shlibs"
    "libgpusupernodal ${GPUSUPERNODAL_SOVERSION} ${DEBIAN_LIBRARY} (>= ${PROJECT_VERSION})\n")
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${CMAKE_CURRENT_BINARY_DIR}/debian/triggers"
    "${CMAKE_CURRENT_BINARY_DIR}/debian/shlibs")
  set(needs_library "${DEBIAN_LIBRARY} (= ${DEBIAN_VERSION})")
else()
  set(needs_library "")
endif()
gpusupernodal_package(development libgpusupernodal-dev libdevel "${needs_library}" "development files"
  "This package has the headers of the library and of its Eigen class, which
needs libeigen3-dev, a CMake package and pkg-config modules.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "libeigen3-dev (>= 3.4)")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
if(TARGET gpusupernodal_cli)
  gpusupernodal_package(command gpusupernodal math "${needs_library}" "command"
    "This package has the command gpusupernodal, which solves systems from
Matrix Market files.")
  gpusupernodal_gzip("${PROJECT_SOURCE_DIR}/packaging/gpusupernodal.1" "${CMAKE_CURRENT_BINARY_DIR}/gpusupernodal.1.gz")
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/gpusupernodal.1.gz" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1"
    COMPONENT command EXCLUDE_FROM_ALL)
endif()
if(TARGET gpusupernodal_petsc)
  gpusupernodal_package(petsc gpusupernodal-petsc math "${needs_library}" "PETSc plugin"
    "This package has the plugin that PETSc programs load by -dll_append to
use the solver as the MatSolverType gpusupernodal.")
endif()
include(CPack)
