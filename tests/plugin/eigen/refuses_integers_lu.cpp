#include "gpusupernodal/eigen.hpp"

Eigen::GpuSupernodalLU<Eigen::SparseMatrix<int>> solver;
