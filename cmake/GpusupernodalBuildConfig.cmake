# What GPUSUPERNODAL_SCALARS and GPUSUPERNODAL_FORMS choose: sets GPUSUPERNODAL_HAVE_<SCALAR> and GPUSUPERNODAL_HAVE_<FORM> to 1 or
# 0, and writes the header gpusupernodal/build_config.hpp, which lists the scalar types for explicit instantiations.
set(type_of_float float)
set(type_of_double double)
set(type_of_complex_float "std::complex<float>")
set(type_of_complex_double "std::complex<double>")

foreach(name ${gpusupernodal_all_scalars} ${gpusupernodal_all_forms})
  string(TOUPPER "GPUSUPERNODAL_HAVE_${name}" variable)
  set(${variable} 0)
  if(name IN_LIST GPUSUPERNODAL_SCALARS OR name IN_LIST GPUSUPERNODAL_FORMS)
    set(${variable} 1)
  endif()
endforeach()

set(GPUSUPERNODAL_HAVE_ALL ON)  # All scalar types and forms.
foreach(name ${gpusupernodal_all_scalars} ${gpusupernodal_all_forms})
  if(NOT name IN_LIST GPUSUPERNODAL_SCALARS AND NOT name IN_LIST GPUSUPERNODAL_FORMS)
    set(GPUSUPERNODAL_HAVE_ALL OFF)
  endif()
endforeach()
if(GPUSUPERNODAL_BENCH AND NOT GPUSUPERNODAL_HAVE_ALL)
  message(FATAL_ERROR "GPUSUPERNODAL_BENCH=ON needs all scalar types and forms, but GPUSUPERNODAL_SCALARS is \"${GPUSUPERNODAL_SCALARS}\" \
and GPUSUPERNODAL_FORMS is \"${GPUSUPERNODAL_FORMS}\"")
endif()

# In one order, however the list is given: the header is then the same, and the compiler cache has its objects.
set(scalar_types "")
set(real_types "")
foreach(name IN LISTS gpusupernodal_all_scalars)
  if(name IN_LIST GPUSUPERNODAL_SCALARS)
    list(APPEND scalar_types "${type_of_${name}}")
    if(NOT name MATCHES complex)
      list(APPEND real_types "${type_of_${name}}")
    endif()
  endif()
endforeach()
foreach(list SCALAR REAL)
  string(TOLOWER "${list}_types" types)
  set(types ${${types}})
  list(JOIN types ", " GPUSUPERNODAL_${list}_TYPES)
  list(TRANSFORM types REPLACE "(.+)" "MACRO(\\1)")
  list(JOIN types " " GPUSUPERNODAL_FOR_EACH_${list})
endforeach()

set(pairs "")
foreach(form IN LISTS gpusupernodal_all_forms)
  if(form IN_LIST GPUSUPERNODAL_FORMS)
    list(TRANSFORM scalar_types REPLACE "(.+)" "MACRO(\\1, Form::${form})" OUTPUT_VARIABLE pairs_of_form)
    list(APPEND pairs ${pairs_of_form})
  endif()
endforeach()
list(JOIN pairs " " GPUSUPERNODAL_FOR_EACH_SCALAR_AND_FORM)

# The folder is the same from the top of each build, also in a project that adds this one: the compiler cache compares options.
set(GPUSUPERNODAL_BUILD_CONFIG_FOLDER "${CMAKE_BINARY_DIR}/gpusupernodal-include")
configure_file("${CMAKE_CURRENT_LIST_DIR}/build_config.hpp.in" "${GPUSUPERNODAL_BUILD_CONFIG_FOLDER}/gpusupernodal/build_config.hpp"
  @ONLY)
message(STATUS "gpusupernodal: scalars ${GPUSUPERNODAL_SCALARS}; forms ${GPUSUPERNODAL_FORMS}")
if(NOT PROJECT_IS_TOP_LEVEL)  # A project that adds this one reads them as after find_package.
  set(gpusupernodal_SCALARS "${GPUSUPERNODAL_SCALARS}" PARENT_SCOPE)
  set(gpusupernodal_FORMS "${GPUSUPERNODAL_FORMS}" PARENT_SCOPE)
endif()
