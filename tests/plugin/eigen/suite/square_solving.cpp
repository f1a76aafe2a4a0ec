/// \file
/// Eigen's generic tests of sparse solvers of square matrices, from its source package (test/sparse_solver.h), for
/// GpuSupernodalLU with all index types, storage orders and orderings. GPUSUPERNODAL_SUITE_SCALAR is float,
/// double or one of their complex types.

#include "sparse_solver.h"
// Included after Eigen's header, because it must tolerate its macros.
#include <gpusupernodal/eigen.hpp>

namespace {

/// In double also matrices with an empty column, which have to be refused. In float replaced pivots are so large that the
/// backward errors of refined solves with such a matrix are mostly within the bound, so it passes.
template <class Solver>
void check_solver() {
  constexpr bool deficient = sizeof(typename Solver::RealScalar) == sizeof(double);
  Solver solver;
  check_sparse_square_solving(solver, 300, 100000, deficient);
  check_sparse_square_abs_determinant(solver);
}

template <class StorageIndex, int Order>
void check_storage() {
  check_solver<Eigen::GpuSupernodalLU<Eigen::SparseMatrix<GPUSUPERNODAL_SUITE_SCALAR, Order, StorageIndex>>>();
}

template <class Ordering>
void check_ordering() {
  check_solver<Eigen::GpuSupernodalLU<Eigen::SparseMatrix<GPUSUPERNODAL_SUITE_SCALAR>, Ordering>>();
}

}  // namespace

EIGEN_DECLARE_TEST(gpusupernodal_lu) {
  CALL_SUBTEST((check_storage<int, Eigen::ColMajor>()));
  CALL_SUBTEST((check_storage<int, Eigen::RowMajor>()));
  CALL_SUBTEST((check_storage<std::int64_t, Eigen::ColMajor>()));
  CALL_SUBTEST((check_storage<std::int64_t, Eigen::RowMajor>()));
  CALL_SUBTEST((check_ordering<Eigen::NaturalOrdering<int>>()));
  CALL_SUBTEST((check_ordering<Eigen::AMDOrdering<int>>()));
  CALL_SUBTEST((check_ordering<Eigen::COLAMDOrdering<int>>()));
}
