/// \file
/// Solves a Matrix Market file through Eigen. To solve with Eigen's own class, replace GpuSupernodalLLT by SimplicialLLT.
/// usage: demo_eigen A.mtx[.gz] X.mtx       b = A·ones; x is written to X.mtx

#include <Eigen/SparseCore>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <gpusupernodal/eigen.hpp>

#include "io/residual.hpp"
#include "io/symmetric_matrix.hpp"

namespace io = gpusupernodal::io;
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, std::int64_t>;

/// Copies the lower triangle of `a` to an Eigen matrix.
static SparseMatrix to_eigen(const io::SymmetricMatrix& a) {
  SparseMatrix lower(a.n, a.n);
  lower.resizeNonZeros(a.offsets.back());
  std::copy(a.offsets.begin(), a.offsets.end(), lower.outerIndexPtr());
  std::copy(a.indices.begin(), a.indices.end(), lower.innerIndexPtr());
  std::copy(a.values.begin(), a.values.end(), lower.valuePtr());
  return lower;
}

static int run(const char* matrix_file, const char* solution_file) {
  const io::SymmetricMatrix file = io::read_matrix_market(matrix_file);
  const SparseMatrix a = to_eigen(file);
  const Eigen::VectorXd b = a.selfadjointView<Eigen::Lower>() * Eigen::VectorXd::Ones(a.rows());

  const Eigen::GpuSupernodalLLT<SparseMatrix> solver(a);
  if (solver.info() != Eigen::Success) {
    std::fprintf(stderr, "%s: not positive definite\n", matrix_file);
    return 3;
  }
  const Eigen::VectorXd x = solver.solve(b);

  io::DenseMatrix solution{x.size(), 1, {x.begin(), x.end()}};
  const double error = io::backward_error(file, solution.values, {b.data(), static_cast<std::size_t>(b.size())});
  std::printf("Eigen::GpuSupernodalLLT  log det %.6g, backward error %.2e\n", solver.logDeterminant(), error);
  io::write_dense(solution_file, solution);
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: demo_eigen A.mtx[.gz] X.mtx\n");
    return 2;
  }
  try {
    return run(argv[1], argv[2]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "demo_eigen: %s\n", e.what());
    return 2;
  }
}
