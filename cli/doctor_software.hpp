#pragma once

/// \file
/// The checks of `gpusupernodal doctor` for software that the library, its plugins and its users' builds need.

#include <filesystem>

#include "cli/doctor_checks.hpp"

namespace gpusupernodal::cli {

/// NVIDIA's driver: whether libcuda.so.1 can be loaded, and its version.
Check check_cuda_driver();
/// NVIDIA's toolkit, for builds: the first of CUDA_HOME, CUDA_PATH, the folder of nvcc and /usr/local/cuda.
Check check_cuda_toolkit();
/// The oneTBB that this process has loaded.
Check check_tbb();
/// Whether the ordering metis works.
Check check_metis();
/// Whether the PETSc plugin is in the folder of `library`, or in a folder in it.
Check check_petsc_plugin(const std::filesystem::path& library);
/// The header of the Eigen class, in the installation of `library` or in the system's folders.
Check check_eigen_class(const std::filesystem::path& library);
/// Eigen's headers in CMAKE_PREFIX_PATH and the system's folders.
Check check_eigen_headers();
/// Whether `python3` imports the package. Starts a process; takes up to some seconds.
Check check_python_package();

}  // namespace gpusupernodal::cli
