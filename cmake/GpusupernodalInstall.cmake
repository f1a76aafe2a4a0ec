# Installs library, headers, command and plugin, and what finds them: a CMake package and pkg-config modules. Nothing that is
# installed names the prefix, so the tree can be moved; only libraries from outside keep their folders in the run path
# (CMAKE_INSTALL_RPATH has CUDA's). The components are those of packaging: library, development, command, petsc; notices.
include(CMakePackageConfigHelpers)
set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/gpusupernodal")

# How an installed file in `folder` finds the installed libraries at load time.
function(gpusupernodal_install_rpath target folder)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY "${folder}" OUTPUT_VARIABLE to_libraries)
  set(folder_of_libraries "$ORIGIN")
  if(NOT to_libraries STREQUAL ".")
    string(APPEND folder_of_libraries "/${to_libraries}")
  endif()
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "${folder_of_libraries};${CMAKE_INSTALL_RPATH}")
endfunction()

install(TARGETS gpusupernodal EXPORT gpusupernodal-targets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library NAMELINK_COMPONENT development
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
gpusupernodal_install_rpath(gpusupernodal "${CMAKE_INSTALL_FULL_LIBDIR}")
set_target_properties(gpusupernodal PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(EXPORT gpusupernodal-targets NAMESPACE gpusupernodal:: DESTINATION "${package_folder}" COMPONENT development)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/solver/include/gpusupernodal"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development FILES_MATCHING PATTERN "*.hpp")
install(FILES "${GPUSUPERNODAL_BUILD_CONFIG_FOLDER}/gpusupernodal/build_config.hpp"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/gpusupernodal" COMPONENT development)
if(TARGET gpusupernodal_eigen)
  set_target_properties(gpusupernodal_eigen PROPERTIES EXPORT_NAME eigen)
  install(TARGETS gpusupernodal_eigen EXPORT gpusupernodal-eigen-targets)
  install(EXPORT gpusupernodal-eigen-targets NAMESPACE gpusupernodal:: DESTINATION "${package_folder}" COMPONENT development)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/plugin/eigen/include/gpusupernodal"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development FILES_MATCHING PATTERN "*.hpp")
endif()
install(FILES "${PROJECT_SOURCE_DIR}/solver/include/gpusupernodal.h" "${PROJECT_SOURCE_DIR}/solver/include/gpusupernodal_batch.h"
  "${PROJECT_SOURCE_DIR}/solver/include/gpusupernodal_product.h" "${PROJECT_SOURCE_DIR}/solver/include/gpusupernodal_system.h"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  COMPONENT development)

if(TARGET gpusupernodal_cli)
  install(TARGETS gpusupernodal_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT command)
  gpusupernodal_install_rpath(gpusupernodal_cli "${CMAKE_INSTALL_FULL_BINDIR}")
  set_target_properties(gpusupernodal_cli PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  if(NOT CMAKE_CROSSCOMPILING AND NOT GPUSUPERNODAL_SANITIZE)
    set(completions "${CMAKE_CURRENT_BINARY_DIR}/cli/completions")
    set(share "${CMAKE_INSTALL_DATAROOTDIR}")
    install(FILES "${completions}/gpusupernodal.bash" RENAME gpusupernodal DESTINATION "${share}/bash-completion/completions"
      COMPONENT command)
    install(FILES "${completions}/gpusupernodal.zsh" RENAME _gpusupernodal DESTINATION "${share}/zsh/site-functions"
      COMPONENT command)
    install(FILES "${completions}/gpusupernodal.fish" DESTINATION "${share}/fish/vendor_completions.d" COMPONENT command)
  endif()
endif()

if(TARGET gpusupernodal_petsc)
  set(plugin_folder "${CMAKE_INSTALL_LIBDIR}/${GPUSUPERNODAL_PETSC_FOLDER}")
  set_target_properties(gpusupernodal_petsc PROPERTIES EXPORT_NAME petsc)
  install(TARGETS gpusupernodal_petsc EXPORT gpusupernodal-petsc-targets
    LIBRARY DESTINATION "${plugin_folder}" COMPONENT petsc)
  # Not PETSc's folder: the program has loaded its PETSc, and a second one beside it would be worse than none.
  gpusupernodal_install_rpath(gpusupernodal_petsc "${CMAKE_INSTALL_FULL_LIBDIR}/${GPUSUPERNODAL_PETSC_FOLDER}")
  # With the plugin, not with the headers: it says that the plugin is there.
  install(EXPORT gpusupernodal-petsc-targets NAMESPACE gpusupernodal:: DESTINATION "${package_folder}" COMPONENT petsc)
endif()

if(TARGET gpusupernodal_petsc_complex)  # Beside the other one.
  install(TARGETS gpusupernodal_petsc_complex LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/${GPUSUPERNODAL_PETSC_FOLDER}"
    COMPONENT petsc)
  gpusupernodal_install_rpath(gpusupernodal_petsc_complex "${CMAKE_INSTALL_FULL_LIBDIR}/${GPUSUPERNODAL_PETSC_FOLDER}")
endif()

# Who links the static library links what it uses.
set(GPUSUPERNODAL_FIND_DEPENDENCIES "")
if(NOT GPUSUPERNODAL_SHARED)
  set(dependencies Threads)
  if(GPUSUPERNODAL_HAVE_METIS)
    list(APPEND dependencies METIS)
  endif()
  if(GPUSUPERNODAL_THREADS STREQUAL "tbb")
    list(APPEND dependencies TBB)
  endif()
  if(GPUSUPERNODAL_HAVE_CUDA)
    list(APPEND dependencies CUDAToolkit)
  endif()
  list(TRANSFORM dependencies REPLACE "(.+)" "find_dependency(\\1)")
  list(JOIN dependencies "\n" dependencies)
  set(GPUSUPERNODAL_FIND_DEPENDENCIES "include(CMakeFindDependencyMacro)
list(APPEND CMAKE_MODULE_PATH \"\${CMAKE_CURRENT_LIST_DIR}\")
${dependencies}
list(REMOVE_ITEM CMAKE_MODULE_PATH \"\${CMAKE_CURRENT_LIST_DIR}\")")
  install(FILES cmake/FindMETIS.cmake DESTINATION "${package_folder}" COMPONENT development)
endif()
string(JOIN " " gpusupernodal_choices_of_SCALARS ${gpusupernodal_all_scalars})
string(JOIN " " gpusupernodal_choices_of_FORMS ${gpusupernodal_all_forms})
configure_package_config_file(cmake/gpusupernodal-config.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/gpusupernodal-config.cmake"
  INSTALL_DESTINATION "${package_folder}" NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a minor version may break what the last one promised.
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/gpusupernodal-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/gpusupernodal-config.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/gpusupernodal-config-version.cmake" DESTINATION "${package_folder}" COMPONENT development)

include(GpusupernodalPkgConfig)
install(FILES LICENSE THIRD_PARTY.md DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT notices)
if(TARGET gpusupernodal_cli)
  install(FILES packaging/gpusupernodal.1 DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT notices)
endif()
