/// Tests of Pcg::precondition and Pcg::setup_report.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/pcg_faults.hpp"
#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test::pcg {
namespace {

/// z = M⁻¹ r of two columns: what the kind says where that is known, and symmetric: (M⁻¹ r)ᵀ s = rᵀ M⁻¹ s.
TEST(PcgPrecondition, AppliesEachPreconditioner) {
  const Stored<double> a(io::generate("lap2d:9"));
  const std::vector<double> r = random_side<double>(2 * a.n);
  for (const Preconditioner kind :
       {Preconditioner::none, Preconditioner::jacobi, Preconditioner::block_jacobi, Preconditioner::fsai,
        Preconditioner::ssor_ai, Preconditioner::ic0, Preconditioner::factor}) {
    SCOPED_TRACE(name_of(kind));
    Pcg<double> pcg(options_on(Backend::host, kind));
    pcg.compute(a.view());
    std::vector<double> z(r.size());
    pcg.precondition(DenseView<const double>(r.data(), a.n, 2, a.n), DenseView<double>(z.data(), a.n, 2, a.n));
    double one = 0.0, other = 0.0, size = 0.0;
    for (std::int64_t i = 0; i < a.n; ++i) {
      one += z[i] * r[a.n + i], other += r[i] * z[a.n + i];
      size += std::abs(z[i] * r[a.n + i]) + std::abs(r[i] * z[a.n + i]);
      if (kind == Preconditioner::none) {
        EXPECT_EQ(z[i], r[i]);
      }
      if (kind == Preconditioner::jacobi) {
        EXPECT_DOUBLE_EQ(z[i], r[i] / 4.0);
      }
    }
    EXPECT_LE(std::abs(one - other), 100.0 * std::numeric_limits<double>::epsilon() * size);
    if (kind == Preconditioner::factor) {
      const std::vector<double> first(r.begin(), r.begin() + a.n), x(z.begin(), z.begin() + a.n);
      const double bound = 10.0 * static_cast<double>(a.n) * std::numeric_limits<double>::epsilon();
      EXPECT_LE(residual(a, x, first), bound * norm(first));
    }
    EXPECT_EQ(pcg.setup_report().status, PcgStatus::converged);
    EXPECT_EQ(pcg.setup_report().preconditioner, kind);
    // A solve afterwards is not disturbed.
    EXPECT_TRUE(pcg.solve(DenseView<const double>(r.data(), a.n), DenseView<double>(z.data(), a.n)).converged());
  }
}

TEST(PcgPrecondition, SaysWhatIsMissing) {
  io::SymmetricMatrix matrix = io::generate("lap2d:4");
  std::vector<double> r(16, 1.0), z(16);
  const DenseView<const double> from(r.data(), 16);
  const DenseView<double> to(z.data(), 16);
  Pcg<double> pcg(options_on(Backend::host, Preconditioner::jacobi));
  expect_throw<InvalidState>([&] { pcg.precondition(from, to); }, {"before analyze"});
  const Stored<double> good(matrix);
  pcg.analyze(good.view());
  expect_throw<InvalidState>([&] { pcg.precondition(from, to); }, {"before update"});
  pcg.compute(good.view());
  expect_throw<InvalidInput>([&] { pcg.precondition(from, DenseView<double>(z.data(), 8)); }, {"z", "8"});
  expect_throw<InvalidInput>([&] { pcg.precondition(from, DenseView<double>(r.data(), 16)); }, {"overlap"});
  expect_throw<InvalidInput>([&] { pcg.precondition(from, DenseView<double>(z.data(), 16, 0, 16)); }, {"columns"});
  matrix.values[0] = -1.0;
  const Stored<double> indefinite(matrix);
  pcg.compute(indefinite.view());
  EXPECT_EQ(pcg.setup_report().status, PcgStatus::breakdown);
  EXPECT_EQ(pcg.setup_report().bad_row, 0);
  expect_throw<InvalidState>([&] { pcg.precondition(from, to); }, {"row 0"});
  matrix.values[0] = std::numeric_limits<double>::infinity();
  const Stored<double> infinite(matrix);
  pcg.compute(infinite.view());
  EXPECT_EQ(pcg.setup_report().status, PcgStatus::not_finite);
  expect_throw<InvalidState>([&] { pcg.precondition(from, to); }, {"not finite"});
}

}  // namespace
}  // namespace gpusupernodal::test::pcg
