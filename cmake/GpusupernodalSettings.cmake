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

set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
