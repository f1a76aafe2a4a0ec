// Solves with an Eigen matrix whose values, right-hand side and solution are on the device, through solver(), whose calls
// accept device addresses. Exits with code 77 if no device is available.
#include <Eigen/SparseCore>
#include <cstdio>
#include <gpusupernodal/eigen.hpp>
#include <limits>
#include <string>
#include <vector>

#include "device.hpp"

using SparseMatrix = Eigen::SparseMatrix<double>;
using gpusupernodal::MemorySpace;

namespace {

std::vector<double> copied(const double* data, Eigen::Index count) { return std::vector<double>(data, data + count); }

/// Five-point Laplacian of an m × m grid, both halves.
SparseMatrix laplacian(int m) {
  std::vector<Eigen::Triplet<double>> entries;
  const auto couple = [&](int i, int j) {
    entries.emplace_back(i, j, -1.0);
    entries.emplace_back(j, i, -1.0);
  };
  for (int i = 0; i < m * m; ++i) {
    entries.emplace_back(i, i, 4.0);
    if ((i + 1) % m != 0) couple(i, i + 1);
    if (i + m < m * m) couple(i, i + m);
  }
  SparseMatrix a(m * m, m * m);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

}  // namespace

int main() {
  const std::string missing = example::device::missing();
  if (!missing.empty()) {
    std::printf("skipped: %s\n", missing.c_str());
    return 77;
  }
  SparseMatrix a = laplacian(100);
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(a.rows(), 0.0, 1.0);

  // The pattern is analyzed from the Eigen matrix, on the host.
  Eigen::GpuSupernodalLLT<SparseMatrix> llt;
  llt.options().backend = gpusupernodal::Backend::cuda;
  llt.analyzePattern(a);
  if (llt.info() != Eigen::Success) {
    std::fprintf(stderr, "%s\n", llt.report().failure.c_str());
    return 1;
  }

  // The values on the device have the order of a.valuePtr().
  example::device::Array values(static_cast<std::size_t>(a.nonZeros()));
  example::device::Array right_hand_side(static_cast<std::size_t>(b.size()));
  example::device::Array x(static_cast<std::size_t>(b.size()));
  right_hand_side.set(copied(b.data(), b.size()), nullptr);

  gpusupernodal::Solver<double>& solver = llt.solver();
  for (int step = 0; step < 3; ++step) {
    a *= 2.0;
    values.set(copied(a.valuePtr(), a.nonZeros()), nullptr);
    // Both calls only enqueue work on the stream. solver.status() reports their outcome, llt.info() does not.
    solver.refactorize({values.data(), static_cast<std::size_t>(a.nonZeros())}, MemorySpace::device);
    solver.solve({right_hand_side.data(), b.size(), MemorySpace::device}, {x.data(), b.size(), MemorySpace::device});
    const std::vector<double> host_x = x.get(nullptr);
    const Eigen::VectorXd answer = Eigen::Map<const Eigen::VectorXd>(host_x.data(), b.size());
    // ‖b − Ax‖ / (‖A‖ ‖x‖ + ‖b‖), where ‖A‖ ≤ 8 · 2^(step + 1); rounding allows 4·n·eps.
    const double norm = 8.0 * static_cast<double>(2 << step);
    const double error = (b - a * answer).norm() / (norm * answer.norm() + b.norm());
    std::printf("step %d on %s: backward error %.2e\n", step, solver.analyze_report().device.c_str(), error);
    if (!(error <= 4.0 * static_cast<double>(b.size()) * std::numeric_limits<double>::epsilon())) return 1;
  }
  return solver.status() == gpusupernodal::Status::success ? 0 : 1;
}
