// Conjugate gradients in double, preconditioned with a factor in float: half the memory of a factor in double at full double
// accuracy. Compares it with Eigen's preconditioners, then uses one factor for a sequence of slowly changing matrices.
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <gpusupernodal/eigen.hpp>
#include <vector>

using SparseMatrix = Eigen::SparseMatrix<double>;
using FloatFactor = Eigen::GpuSupernodalLLT<Eigen::SparseMatrix<float>>;
template <class Preconditioner>
using ConjugateGradient = Eigen::ConjugateGradient<SparseMatrix, Eigen::Lower | Eigen::Upper, Preconditioner>;

// Bound on ‖b − Ax‖ / ‖b‖.
constexpr double tolerance = 1e-12;

/// Conduction on an m × m × m grid, both halves stored. Every other layer has 100 times the conductivity.
SparseMatrix conduction(int m) {
  const int n = m * m * m;
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<double> diagonal(static_cast<std::size_t>(n), 0.5);
  const auto couple = [&](int i, int j) {
    const double conductivity = (i / (m * m)) % 2 == 0 ? 100.0 : 1.0;
    entries.emplace_back(i, j, -conductivity);
    entries.emplace_back(j, i, -conductivity);
    diagonal[static_cast<std::size_t>(i)] += conductivity;
    diagonal[static_cast<std::size_t>(j)] += conductivity;
  };
  for (int i = 0; i < n; ++i) {
    if ((i + 1) % m != 0) couple(i, i + 1);
    if (i / m % m + 1 < m) couple(i, i + m);
    if (i + m * m < n) couple(i, i + m * m);
  }
  for (int i = 0; i < n; ++i) entries.emplace_back(i, i, diagonal[static_cast<std::size_t>(i)]);
  SparseMatrix a(n, n);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

template <class Call>
double milliseconds(const Call& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// Returns the number of iterations to the tolerance; −1 if it was not reached.
template <class Preconditioner>
int compare(const char* name, const SparseMatrix& a, const Eigen::VectorXd& b) {
  ConjugateGradient<Preconditioner> cg;
  cg.setTolerance(tolerance);
  Eigen::VectorXd x;
  const double setup = milliseconds([&] { cg.compute(a); });
  const double again = milliseconds([&] { cg.factorize(a); });  // New values, the same pattern.
  const double solve = milliseconds([&] { x = cg.solve(b); });
  const int iterations = cg.info() == Eigen::Success && (b - a * x).norm() <= 10 * tolerance * b.norm()
                             ? static_cast<int>(cg.iterations())
                             : -1;
  std::printf("%-20s %9.1f %13.1f %10d %9.1f\n", name, setup, again, iterations, solve);
  return iterations;
}

/// A preconditioner for Eigen's iterative solvers that keeps its factor until renew() is called.
class LaggedFactor {
 public:
  void renew() { renew_ = true; }
  int renewals() const { return renewals_; }

  template <class Matrix>
  LaggedFactor& analyzePattern(const Matrix& a) {
    if (!factor_.solver().is_analyzed()) factor_.analyzePattern(a);
    return *this;
  }
  template <class Matrix>
  LaggedFactor& factorize(const Matrix& a) {
    if (renew_) {
      factor_.factorize(a);
      ++renewals_;
    }
    renew_ = false;
    return *this;
  }
  template <class Matrix>
  LaggedFactor& compute(const Matrix& a) {
    return analyzePattern(a).factorize(a);
  }
  template <class Rhs>
  Eigen::VectorXd solve(const Rhs& b) const {
    return factor_.solve(b);
  }
  Eigen::ComputationInfo info() const { return factor_.info(); }

 private:
  FloatFactor factor_;
  bool renew_ = true;
  int renewals_ = 0;
};

/// Solves a sequence of matrices and renews the factor after solves with more than 12 iterations. Returns whether all were
/// solved with fewer factorizations than matrices.
bool follow(SparseMatrix a, const Eigen::VectorXd& b) {
  ConjugateGradient<LaggedFactor> cg;
  cg.setTolerance(tolerance);
  int most = 0;
  for (int step = 0; step < 20; ++step) {
    cg.compute(a);
    const Eigen::VectorXd x = cg.solve(b);
    if (cg.info() != Eigen::Success || (b - a * x).norm() > 10 * tolerance * b.norm()) return false;
    most = std::max(most, static_cast<int>(cg.iterations()));
    if (cg.iterations() > 12) cg.preconditioner().renew();
    for (Eigen::Index i = step % 3; i < a.rows(); i += 3) a.coeffRef(i, i) *= 1.0 + 0.02 * (step + 1);
  }
  std::printf("20 matrices, each a little further: %d factorizations, at most %d iterations\n",
              cg.preconditioner().renewals(), most);
  return cg.preconditioner().renewals() < 20;
}

int main() {
  const SparseMatrix a = conduction(20);
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(a.rows(), -1.0, 1.0);
  std::printf("n = %d\n%-20s %9s %13s %10s %9s\n", static_cast<int>(a.rows()), "preconditioner", "setup ms", "new values ms",
              "iterations", "solve ms");
  const int diagonal = compare<Eigen::DiagonalPreconditioner<double>>("Diagonal", a, b);
  const int incomplete = compare<Eigen::IncompleteCholesky<double>>("IncompleteCholesky", a, b);
  const int factor = compare<FloatFactor>("float factor", a, b);
  return factor >= 0 && factor < incomplete && incomplete < diagonal && follow(a, b) ? 0 : 1;
}
