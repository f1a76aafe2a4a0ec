# The library that users link, shared or static, and the archive of all layers that tests and benches link.
set(GPUSUPERNODAL_PRIVATE_LIBRARIES Threads::Threads)
if(GPUSUPERNODAL_HAVE_METIS)
  list(APPEND GPUSUPERNODAL_PRIVATE_LIBRARIES METIS::METIS)
endif()
if(GPUSUPERNODAL_THREADS STREQUAL "tbb")
  list(APPEND GPUSUPERNODAL_PRIVATE_LIBRARIES TBB::tbb)
endif()
target_link_libraries(gpusupernodal_objects PRIVATE ${GPUSUPERNODAL_PRIVATE_LIBRARIES} gpusupernodal_format
  $<TARGET_NAME_IF_EXISTS:nlohmann_json::nlohmann_json>)
# Not for the objects: solver/cuda/run sees CUDA's headers in another way.
if(GPUSUPERNODAL_HAVE_CUDA)
  list(APPEND GPUSUPERNODAL_PRIVATE_LIBRARIES CUDA::cudart CUDA::cublas CUDA::cusolver)
endif()

# These files share names or macros with others of their folder, or instantiate members of a class that another file
# instantiates as a whole.
gpusupernodal_merge_sources(gpusupernodal_objects library ALONE base/ solver/api/determinant.cpp solver/api/device_batch_solve.cpp
  solver/api/operator_state.cpp solver/api/outcome.cpp solver/api/pcg_state.cpp solver/api/preview.cpp solver/api/product_result.cpp solver/api/repivot.cpp
  solver/api/system_automatic.cpp solver/api/system_methods.cpp solver/api/system_mixed.cpp solver/api/system_row_accuracy.cpp
  solver/api/system_state.cpp solver/c/ solver/cuda/plan/ solver/general/ solver/plan/)

# By $<TARGET_OBJECTS>, as what is exported must not name the objects or the settings they were compiled with.
if(GPUSUPERNODAL_SHARED)
  add_library(gpusupernodal SHARED $<TARGET_OBJECTS:gpusupernodal_objects>)
  set(exports "${CMAKE_CURRENT_LIST_DIR}/exports.map")
  target_link_options(gpusupernodal PRIVATE $<TARGET_PROPERTY:gpusupernodal_settings,INTERFACE_LINK_OPTIONS>
    "LINKER:--version-script=${exports}")
  set_target_properties(gpusupernodal PROPERTIES LINK_DEPENDS "${exports}")
else()
  add_library(gpusupernodal STATIC $<TARGET_OBJECTS:gpusupernodal_objects>)
  target_link_options(gpusupernodal INTERFACE
    $<BUILD_INTERFACE:$<TARGET_PROPERTY:gpusupernodal_settings,INTERFACE_LINK_OPTIONS>>)
endif()
target_link_libraries(gpusupernodal PRIVATE ${GPUSUPERNODAL_PRIVATE_LIBRARIES})
target_include_directories(gpusupernodal INTERFACE
  $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/solver/include> $<BUILD_INTERFACE:${GPUSUPERNODAL_BUILD_CONFIG_FOLDER}>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(gpusupernodal INTERFACE cxx_std_17)
set_target_properties(gpusupernodal PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${GPUSUPERNODAL_SOVERSION})
add_library(gpusupernodal::gpusupernodal ALIAS gpusupernodal)

add_library(gpusupernodal_internal STATIC EXCLUDE_FROM_ALL)
target_link_libraries(gpusupernodal_internal PUBLIC gpusupernodal_objects ${GPUSUPERNODAL_PRIVATE_LIBRARIES}
  gpusupernodal_format $<TARGET_NAME_IF_EXISTS:nlohmann_json::nlohmann_json>)
