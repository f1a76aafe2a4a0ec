/// \file
/// LU factorization of complex panels: L U = A for every shape and instruction set, replaced pivots, and triangular solves
/// with complex diagonals.

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <random>
#include <vector>

#include "kernels/host/host_kernels.hpp"

namespace gpusupernodal::test {
namespace {

template <class R>
class ComplexLuKernels : public ::testing::Test {};
using LuPrecisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ComplexLuKernels, LuPrecisions);

/// L below the diagonal and Uᴴ from the diagonal down, as HostKernels::factor_lu takes them; NaN above the diagonals.
template <class R>
struct ComplexPanel {
  using Entry = std::complex<R>;
  std::int32_t m;
  std::int32_t n;
  std::int64_t ld;
  std::vector<Entry> l;
  std::vector<Entry> u;

  ComplexPanel(std::int32_t rows, std::int32_t columns, std::uint32_t seed)
      : m(rows), n(columns), ld(rows + 3), l(static_cast<std::size_t>(ld * columns)), u(l) {
    constexpr R nan = std::numeric_limits<R>::quiet_NaN();
    std::minstd_rand random(seed + 1);
    std::uniform_real_distribution<R> value(R(-1), R(1));
    for (std::int32_t j = 0; j < n; ++j) {
      for (std::int32_t i = 0; i < m; ++i) {
        l[at(i, j)] = i < j ? Entry(nan, nan) : Entry(value(random), value(random));
        u[at(i, j)] = i < j ? Entry(nan, nan) : Entry(value(random), value(random));
      }
      u[at(j, j)] += Entry(static_cast<R>(n), static_cast<R>(-n));  // No pivot is small.
    }
  }
  std::size_t at(std::int64_t i, std::int64_t j) const { return static_cast<std::size_t>(i + j * ld); }
  /// Entry (i, j) of A for i < m and j < n, or for i < n and j < m.
  std::complex<double> entry(std::int32_t i, std::int32_t j) const {
    return std::complex<double>(i > j ? l[at(i, j)] : std::conj(u[at(j, i)]));
  }
};

/// |A − L U| ≤ 4 (k + 1) eps |L| |U| for a sum of k terms [Higham02, §3.6 and Theorem 9.3].
template <class R>
void expect_lu(const ComplexPanel<R>& a, const ComplexPanel<R>& f) {
  constexpr auto eps = static_cast<double>(std::numeric_limits<R>::epsilon());
  for (std::int32_t i = 0; i < a.m; ++i) {
    for (std::int32_t j = 0; j < a.m; ++j) {
      if (i >= a.n && j >= a.n) continue;
      std::complex<double> sum = 0.0;
      double magnitude = 0.0;
      const std::int32_t terms = std::min({i + 1, j + 1, a.n});
      for (std::int32_t k = 0; k < terms; ++k) {
        const std::complex<double> term =
            std::complex<double>(f.l[f.at(i, k)]) * std::conj(std::complex<double>(f.u[f.at(j, k)]));
        sum += term;
        magnitude += std::abs(term);
      }
      ASSERT_LE(std::abs(sum - a.entry(i, j)), 4.0 * (terms + 1) * eps * magnitude) << i << ", " << j;
    }
  }
  for (std::int32_t j = 0; j < a.n; ++j) {
    ASSERT_EQ(f.l[f.at(j, j)], std::complex<R>(1));
    for (std::int32_t i = 0; i < j; ++i)
      ASSERT_TRUE(std::isnan(f.l[f.at(i, j)].real()) && std::isnan(f.u[f.at(i, j)].real()));
  }
}

template <class R, class Visit>
void for_each_table(const Visit& visit) {
  for (const HostIsa isa : {HostIsa::baseline, HostIsa::v2, HostIsa::v3, HostIsa::v4}) {
    if (const auto* const kernels = host_kernels<std::complex<R>>(isa)) {
      SCOPED_TRACE(kernels->name);
      visit(*kernels);
    }
  }
}

TYPED_TEST(ComplexLuKernels, ProductOfTheFactorsIsThePanel) {
  for_each_table<TypeParam>([](const HostKernels<std::complex<TypeParam>>& kernels) {
    for (const std::int32_t n : {0, 1, 2, 3, 7, 8, 15, 16, 17, 33, 70}) {
      for (const std::int32_t below : {0, 1, 5, 40}) {
        const ComplexPanel<TypeParam> a(n + below, n, static_cast<std::uint32_t>(n));
        ComplexPanel<TypeParam> f = a;
        LuPivots<std::complex<TypeParam>> pivots;
        kernels.factor_lu(n + below, n, f.l.data(), f.ld, f.u.data(), f.ld, &pivots);
        ASSERT_EQ(pivots.replaced, 0);
        ASSERT_EQ(pivots.failed, -1);
        expect_lu(a, f);
        // The rows below by triangular solves give the same factors, as tasks of wide panels do.
        ComplexPanel<TypeParam> parts = a;
        kernels.factor_lu(n, n, parts.l.data(), parts.ld, parts.u.data(), parts.ld, &pivots);
        kernels.solve_below(below, n, parts.u.data(), parts.ld, parts.l.data() + n, parts.ld);
        kernels.solve_below(below, n, parts.l.data(), parts.ld, parts.u.data() + n, parts.ld);
        expect_lu(a, parts);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  });
}

TYPED_TEST(ComplexLuKernels, ReplacesSmallPivotsInTheirDirection) {
  using Entry = std::complex<TypeParam>;
  constexpr std::int32_t n = 37;
  for_each_table<TypeParam>([&](const HostKernels<Entry>& kernels) {
    for (std::int32_t k = 0; k < n; ++k) {
      for (const Entry small : {Entry(0), Entry(TypeParam(3e-6), TypeParam(-4e-6)), Entry(0, TypeParam(1e-30))}) {
        ComplexPanel<TypeParam> a(n, n, 1);
        for (std::int32_t j = 0; j < n; ++j) {  // Row and column k are empty beside the diagonal.
          if (j < k) a.l[a.at(k, j)] = a.u[a.at(k, j)] = 0;
          if (j > k) a.l[a.at(j, k)] = a.u[a.at(j, k)] = 0;
        }
        a.u[a.at(k, k)] = small;
        LuPivots<Entry> pivots;
        pivots.smallest_allowed = TypeParam(0.125);
        kernels.factor_lu(n, n, a.l.data(), a.ld, a.u.data(), a.ld, &pivots);
        ASSERT_EQ(pivots.replaced, 1);
        ASSERT_EQ(pivots.smallest_at, k);
        const auto magnitude = static_cast<double>(std::abs(small));
        constexpr auto eps = static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
        ASSERT_NEAR(static_cast<double>(pivots.smallest), magnitude, eps * magnitude);
        const Entry pivot = a.u[a.at(k, k)];
        const Entry direction = small == Entry(0) ? Entry(1) : small / std::abs(small);
        ASSERT_LE(static_cast<double>(std::abs(pivot - TypeParam(0.125) * direction)), 4.0 * eps);
      }
    }
  });
}

TYPED_TEST(ComplexLuKernels, ReportTheFirstPivotThatIsNotFinite) {
  using Entry = std::complex<TypeParam>;
  constexpr std::int32_t n = 21;
  for_each_table<TypeParam>([&](const HostKernels<Entry>& kernels) {
    for (std::int32_t k = 0; k < n; ++k) {
      ComplexPanel<TypeParam> a(n, n, 2);
      a.u[a.at(k, k)] = {TypeParam(1), std::numeric_limits<TypeParam>::quiet_NaN()};
      LuPivots<Entry> pivots;
      kernels.factor_lu(n, n, a.l.data(), a.ld, a.u.data(), a.ld, &pivots);
      ASSERT_EQ(pivots.failed, k);
    }
  });
}

}  // namespace
}  // namespace gpusupernodal::test
