# Compile settings of our own code; not exported to users.
add_library(gpusupernodal_settings INTERFACE)
target_compile_features(gpusupernodal_settings INTERFACE cxx_std_20)
target_compile_options(gpusupernodal_settings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion>)
if(GPUSUPERNODAL_WERROR)
  target_compile_options(gpusupernodal_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(GPUSUPERNODAL_SANITIZE)
  target_compile_options(gpusupernodal_settings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${GPUSUPERNODAL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all>)
  target_link_options(gpusupernodal_settings INTERFACE -fsanitize=${GPUSUPERNODAL_SANITIZE})
endif()

# For targets that are installed: errors name a source file from the root of the project, not from that of the machine that
# compiled it. The compiler may be given the file by either path (ccache makes it relative to the build folder). nvcc hands
# words on to a shell as they are: the quotes are for that, where a path has a space.
cmake_path(RELATIVE_PATH PROJECT_SOURCE_DIR BASE_DIRECTORY "${CMAKE_BINARY_DIR}" OUTPUT_VARIABLE source_from_build)
set(GPUSUPERNODAL_SHORT_PATHS "")
foreach(folder "${PROJECT_SOURCE_DIR}" "${source_from_build}")
  list(APPEND GPUSUPERNODAL_SHORT_PATHS $<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${folder}/=>
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=\"-fmacro-prefix-map=${folder}/=\">")
endforeach()

set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# For every target: without it CMake takes a target's C++ standard as its CUDA standard, even where the target has no CUDA
# source, and Debian 12's CMake 3.25.1 does not know that nvcc compiles C++20.
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
# The linker's own list of what it read does not escape spaces: with one in the path each build would link again.
set(CMAKE_LINK_DEPENDS_USE_LINKER OFF)
