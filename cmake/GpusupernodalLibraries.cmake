# The shared library users link, and the static archive tests and benches link.
set(GPUSUPERNODAL_PRIVATE_LIBRARIES METIS::METIS Threads::Threads)
if(GPUSUPERNODAL_THREADS STREQUAL "tbb")
  list(APPEND GPUSUPERNODAL_PRIVATE_LIBRARIES TBB::tbb)
endif()
if(GPUSUPERNODAL_HAVE_CUDA)
  list(APPEND GPUSUPERNODAL_PRIVATE_LIBRARIES CUDA::cudart CUDA::cublas CUDA::cusolver)
endif()
target_link_libraries(gpusupernodal_objects PRIVATE ${GPUSUPERNODAL_PRIVATE_LIBRARIES} Eigen3::Eigen fmt::fmt-header-only
  nlohmann_json::nlohmann_json)

add_library(gpusupernodal SHARED)
target_link_libraries(gpusupernodal PRIVATE gpusupernodal_objects ${GPUSUPERNODAL_PRIVATE_LIBRARIES})
target_include_directories(gpusupernodal INTERFACE
  $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/solver/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(gpusupernodal INTERFACE cxx_std_17)
set_target_properties(gpusupernodal PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
add_library(gpusupernodal::gpusupernodal ALIAS gpusupernodal)

add_library(gpusupernodal_internal STATIC EXCLUDE_FROM_ALL)
target_link_libraries(gpusupernodal_internal PUBLIC gpusupernodal_objects ${GPUSUPERNODAL_PRIVATE_LIBRARIES}
  Eigen3::Eigen fmt::fmt-header-only nlohmann_json::nlohmann_json)
