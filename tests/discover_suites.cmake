# Writes FILE with one CTest test per test suite of PROGRAM, or one per test if SEPARATE is on. A process per test would spend
# more time on starting than on testing: it loads cuBLAS, cuSOLVER or PETSc each time.
# usage: cmake -D PROGRAM=... -D FILE=... -D PREFIX=... -D SEPARATE=... -D PROPERTIES=... -P discover_suites.cmake
#   PREFIX: of the tests' names. PROPERTIES: arguments of set_tests_properties as text.
execute_process(COMMAND "${PROGRAM}" --gtest_list_tests OUTPUT_VARIABLE listing RESULT_VARIABLE status TIMEOUT 60)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests failed (${status}):\n${listing}")
endif()

set(code "")
# add(NAME): a CTest test of the GoogleTest tests that the filter NAME selects.
macro(add name)
  string(REGEX REPLACE "[.][*]$" "" label "${PREFIX}${name}")
  string(APPEND code "add_test([==[${label}]==] [==[${PROGRAM}]==] [==[--gtest_filter=${name}]==])\n"
    "set_tests_properties([==[${label}]==] PROPERTIES ${PROPERTIES})\n")
endmacro()

# GoogleTest prints "Suite.  # comment" for a suite, and then "  Test  # comment" for each of its tests.
string(REPLACE ";" " " listing "${listing}")
string(REGEX REPLACE " *#[^\n]*" "" listing "${listing}")
string(REGEX MATCHALL "[^\n]+" lines "${listing}")
foreach(line IN LISTS lines)
  if(line MATCHES "^  (.+)$")
    if(SEPARATE AND NOT CMAKE_MATCH_1 MATCHES "^DISABLED_")
      add("${suite}${CMAKE_MATCH_1}")
    endif()
  elseif(line MATCHES "[.]$")
    set(suite "${line}")
    if(NOT SEPARATE)
      add("${suite}*")
    endif()
  endif()
endforeach()
if(code STREQUAL "")
  message(FATAL_ERROR "${PROGRAM} has no tests")
endif()
file(WRITE "${FILE}" "${code}")
