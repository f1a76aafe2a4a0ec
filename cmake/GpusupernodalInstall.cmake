# Installs library, headers and command, and what finds them: a CMake package and a pkg-config module (plugin/petsc
# installs its own). Nothing that is installed names the prefix, so the tree can be moved; only libraries from outside keep
# their folders in the run path (CMAKE_INSTALL_RPATH has CUDA's).
include(CMakePackageConfigHelpers)
set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/gpusupernodal")

# How an installed file in `folder` finds the installed libraries at load time.
function(gpusupernodal_install_rpath target folder)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY "${folder}" OUTPUT_VARIABLE to_libraries)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${to_libraries};${CMAKE_INSTALL_RPATH}"
    INSTALL_RPATH_USE_LINK_PATH ON)
endfunction()

install(TARGETS gpusupernodal EXPORT gpusupernodal-targets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT gpusupernodal)
gpusupernodal_install_rpath(gpusupernodal "${CMAKE_INSTALL_FULL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/solver/include/gpusupernodal" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.hpp")

if(TARGET gpusupernodal_eigen)
  set_target_properties(gpusupernodal_eigen PROPERTIES EXPORT_NAME eigen)
  install(TARGETS gpusupernodal_eigen EXPORT gpusupernodal-eigen-targets)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/plugin/eigen/include/gpusupernodal" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    FILES_MATCHING PATTERN "*.hpp")
  install(EXPORT gpusupernodal-eigen-targets NAMESPACE gpusupernodal:: DESTINATION "${package_folder}")
endif()
if(TARGET gpusupernodal_cli)
  gpusupernodal_install_rpath(gpusupernodal_cli "${CMAKE_INSTALL_FULL_BINDIR}")
  install(TARGETS gpusupernodal_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

install(EXPORT gpusupernodal-targets NAMESPACE gpusupernodal:: DESTINATION "${package_folder}")
configure_package_config_file(cmake/gpusupernodal-config.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/gpusupernodal-config.cmake"
  INSTALL_DESTINATION "${package_folder}")
# Before 1.0 a minor version may break what the last one promised.
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/gpusupernodal-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/gpusupernodal-config.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/gpusupernodal-config-version.cmake" DESTINATION "${package_folder}")

set(pkg_config_folder "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig")
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${pkg_config_folder}" OUTPUT_VARIABLE PREFIX_FROM_PC)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" OUTPUT_VARIABLE PC_LIBDIR)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" OUTPUT_VARIABLE PC_INCLUDEDIR)
configure_file(cmake/gpusupernodal.pc.in "${CMAKE_CURRENT_BINARY_DIR}/gpusupernodal.pc" @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/gpusupernodal.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(FILES LICENSE THIRD_PARTY.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
