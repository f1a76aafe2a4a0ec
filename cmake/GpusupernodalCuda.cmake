# Looks for a CUDA toolkit that can build the CUDA backend, and sets GPUSUPERNODAL_HAVE_CUDA. A toolkit that cannot is no
# reason to fail unless GPUSUPERNODAL_CUDA is ON: enable_language(CUDA) would fail, so the toolkit is tried in a project of
# its own first.
set(GPUSUPERNODAL_HAVE_CUDA OFF)
set(gpusupernodal_least_cuda 12.0)

# Sets GPUSUPERNODAL_CUDA_COMMAND to the CUDA compiler, or to nothing. CMake looks for nvcc on PATH only; NVIDIA's packages
# do not put it there.
function(gpusupernodal_find_nvcc)
  if(NOT CMAKE_CUDA_COMPILER)
    unset(CMAKE_CUDA_COMPILER CACHE)  # A NOTFOUND that an earlier search left would stop enable_language.
  endif()
  set(command "${CMAKE_CUDA_COMPILER}")
  if(NOT command AND DEFINED ENV{CUDACXX})
    separate_arguments(words UNIX_COMMAND "$ENV{CUDACXX}")
    list(POP_FRONT words command)
  endif()
  if(NOT command)
    find_program(GPUSUPERNODAL_NVCC nvcc PATHS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
    mark_as_advanced(GPUSUPERNODAL_NVCC)
    if(GPUSUPERNODAL_NVCC)
      set(ENV{CUDACXX} "${GPUSUPERNODAL_NVCC}")
      set(command "${GPUSUPERNODAL_NVCC}")
    endif()
  endif()
  set(GPUSUPERNODAL_CUDA_COMMAND "${command}" PARENT_SCOPE)
endfunction()

# Sets `reason` to why the compiler's own answer to --version rules it out, or to nothing.
function(gpusupernodal_check_nvcc_version reason)
  set(${reason} "" PARENT_SCOPE)
  execute_process(COMMAND "${GPUSUPERNODAL_CUDA_COMMAND}" --version RESULT_VARIABLE status OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    string(STRIP "${status} ${output}" why)
    set(${reason} "${GPUSUPERNODAL_CUDA_COMMAND} --version fails (${why})" PARENT_SCOPE)
  elseif(output MATCHES "release ([0-9]+\\.[0-9]+)" AND CMAKE_MATCH_1 VERSION_LESS gpusupernodal_least_cuda)
    set(${reason} "${GPUSUPERNODAL_CUDA_COMMAND} is of CUDA ${CMAKE_MATCH_1}, and ${gpusupernodal_least_cuda} or newer is needed"
      PARENT_SCOPE)
  endif()
endfunction()

# Sets `line` to the first line of `output` that tells of an error, or to its last line.
function(gpusupernodal_first_error line output)
  if(output MATCHES "[^\n]*(fatal *:|[^a-z]error[: ]|No such file|not found|ld: )[^\n]*")
    set(found "${CMAKE_MATCH_0}")
  else()
    string(STRIP "${output}" found)
    string(REGEX REPLACE ".*\n" "" found "${found}")
  endif()
  string(STRIP "${found}" found)
  set(${line} "${found}" PARENT_SCOPE)
endfunction()

# Builds cmake/cuda_check by the compilers and settings of this build; sets `reason` to why that failed, or to nothing. What
# succeeded once is not tried again in this build folder.
function(gpusupernodal_try_toolkit reason)
  set(${reason} "" PARENT_SCOPE)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/cuda_check")
  set(settings "")
  foreach(name CMAKE_BUILD_TYPE CMAKE_CUDA_ARCHITECTURES CMAKE_CUDA_FLAGS CMAKE_CUDA_HOST_COMPILER CMAKE_CXX_COMPILER
      CMAKE_MAKE_PROGRAM CMAKE_PREFIX_PATH CMAKE_TOOLCHAIN_FILE CUDAToolkit_ROOT)
    if(NOT "${${name}}" STREQUAL "")
      string(APPEND settings "set(${name} [==[${${name}}]==] CACHE STRING \"\")\n")
    endif()
  endforeach()
  # The compiler is in the key by the path found here: CMAKE_CUDA_COMPILER is set only from the first enable_language on.
  string(SHA256 key "${CMAKE_VERSION} ${GPUSUPERNODAL_CUDA_COMMAND} $ENV{CUDAHOSTCXX} $ENV{CUDAFLAGS} ${settings}")
  if(CMAKE_CUDA_COMPILER)
    string(APPEND settings "set(CMAKE_CUDA_COMPILER [==[${CMAKE_CUDA_COMPILER}]==] CACHE STRING \"\")\n")
  endif()
  if(GPUSUPERNODAL_CUDA_WORKED STREQUAL key)
    return()
  endif()
  message(STATUS "Trying the CUDA toolkit of ${GPUSUPERNODAL_CUDA_COMMAND}")
  file(REMOVE_RECURSE "${folder}")
  file(WRITE "${folder}/settings.cmake" "${settings}")
  execute_process(COMMAND "${CMAKE_COMMAND}" -G "${CMAKE_GENERATOR}" -C "${folder}/settings.cmake"
    -S "${PROJECT_SOURCE_DIR}/cmake/cuda_check" -B "${folder}/build"
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status EQUAL 0)
    execute_process(COMMAND "${CMAKE_COMMAND}" --build "${folder}/build" --config Release
      RESULT_VARIABLE status OUTPUT_VARIABLE built ERROR_VARIABLE built)
    string(APPEND output "${built}")
  endif()
  if(status EQUAL 0)
    set(GPUSUPERNODAL_CUDA_WORKED "${key}" CACHE INTERNAL "Settings with which the CUDA toolkit has been tried")
    return()
  endif()
  file(WRITE "${folder}/output.log" "${output}")
  gpusupernodal_first_error(error "${output}")
  set(${reason} "the toolkit of ${GPUSUPERNODAL_CUDA_COMMAND} does not build a small program for the architectures \
${CMAKE_CUDA_ARCHITECTURES} (${error}; all of its output: ${folder}/output.log)" PARENT_SCOPE)
endfunction()

if(NOT GPUSUPERNODAL_CUDA STREQUAL "OFF")
  set(CMAKE_CUDA_ARCHITECTURES "${GPUSUPERNODAL_CUDA_ARCHITECTURES}")
  gpusupernodal_find_nvcc()
  set(gpusupernodal_no_cuda "")
  set(gpusupernodal_severity WARNING)
  if(NOT GPUSUPERNODAL_CUDA_COMMAND)
    set(gpusupernodal_no_cuda "no CUDA compiler was found (put nvcc on PATH or set CMAKE_CUDA_COMPILER)")
    set(gpusupernodal_severity STATUS)
  else()
    gpusupernodal_check_nvcc_version(gpusupernodal_no_cuda)
  endif()
  if(NOT gpusupernodal_no_cuda)
    gpusupernodal_try_toolkit(gpusupernodal_no_cuda)
  endif()
  if(NOT gpusupernodal_no_cuda)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(GPUSUPERNODAL_HAVE_CUDA ON)
    # CMake takes the toolkit's folder for one that the loader knows; only some installers make it so.
    list(APPEND CMAKE_BUILD_RPATH "${CUDAToolkit_LIBRARY_DIR}")
    list(APPEND CMAKE_INSTALL_RPATH "${CUDAToolkit_LIBRARY_DIR}")
  elseif(GPUSUPERNODAL_CUDA STREQUAL "ON")
    message(FATAL_ERROR "GPUSUPERNODAL_CUDA=ON, but ${gpusupernodal_no_cuda}")
  else()
    message(${gpusupernodal_severity} "Only the host backend is built: ${gpusupernodal_no_cuda}")
  endif()
endif()
