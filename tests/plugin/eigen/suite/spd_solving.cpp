/// \file
/// Eigen's generic tests of sparse solvers of positive definite matrices, from its source package
/// (test/sparse_solver.h), for GpuSupernodalLLT with all index types, storage orders, halves and orderings.
/// GPUSUPERNODAL_SUITE_SCALAR is float, double or one of their complex types. Eigen's test framework defines macros min,
/// max, I, isnan and others, so that no header may use these names.

#include "sparse_solver.h"
// Included after Eigen's header, because it must tolerate those macros.
#include <gpusupernodal/eigen.hpp>

namespace {

using Eigen::GpuSupernodalLLT;

/// check_sparse_spd_determinant with matrices of up to 20 rows; its own, of up to 30 rows, have determinants beyond
/// float's range.
template <class Solver>
void check_float_determinant(Solver& solver) {
  typename Solver::MatrixType a, half;
  Eigen::Matrix<typename Solver::Scalar, Eigen::Dynamic, Eigen::Dynamic> dense;
  generate_sparse_spd_problem(solver, a, half, dense, 20);
  check_sparse_determinant(solver, a, dense);
  check_sparse_determinant(solver, half, dense);
}

template <class Solver>
void check_solver() {
  Solver solver;
  check_sparse_spd_solving(solver);
  if constexpr (sizeof(typename Solver::RealScalar) == sizeof(float)) {
    check_float_determinant(solver);
  } else {
    check_sparse_spd_determinant(solver);
  }
}

template <class StorageIndex, int Order>
void check_halves() {
  using Sparse = Eigen::SparseMatrix<GPUSUPERNODAL_SUITE_SCALAR, Order, StorageIndex>;
  check_solver<GpuSupernodalLLT<Sparse, Eigen::Lower>>();
  check_solver<GpuSupernodalLLT<Sparse, Eigen::Upper>>();
  check_solver<GpuSupernodalLLT<Sparse, Eigen::Lower | Eigen::Upper>>();
}

template <class Ordering>
void check_ordering() {
  using Sparse = Eigen::SparseMatrix<GPUSUPERNODAL_SUITE_SCALAR>;
  check_solver<GpuSupernodalLLT<Sparse, Eigen::Lower, Ordering>>();
  check_solver<GpuSupernodalLLT<Sparse, Eigen::Upper, Ordering>>();
}

}  // namespace

EIGEN_DECLARE_TEST(gpusupernodal_llt) {
  CALL_SUBTEST((check_halves<int, Eigen::ColMajor>()));
  CALL_SUBTEST((check_halves<int, Eigen::RowMajor>()));
  CALL_SUBTEST((check_halves<std::int64_t, Eigen::ColMajor>()));
  CALL_SUBTEST((check_halves<std::int64_t, Eigen::RowMajor>()));
  CALL_SUBTEST((check_ordering<Eigen::NaturalOrdering<int>>()));
  CALL_SUBTEST((check_ordering<Eigen::AMDOrdering<int>>()));
  CALL_SUBTEST((check_ordering<Eigen::COLAMDOrdering<int>>()));
}
