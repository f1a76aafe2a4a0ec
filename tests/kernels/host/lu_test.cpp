/// LU factorization of panels: L U = A for every shape, replaced pivots, and entries that must not be touched.

#include <algorithm>

#include "tests/kernels/host/guarded_matrix.hpp"

namespace gpusupernodal::test {
namespace {

template <class T>
class HostLu : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(HostLu, Scalars);

/// A panel of m×n entries of A: rows below the diagonal in `l`, and the transposed rows to the right of it in `u`.
template <class T>
struct Panel {
  GuardedMatrix<T> l;
  GuardedMatrix<T> u;

  Panel(std::int32_t m, std::int32_t n, std::uint32_t seed) : l(m, n, sentinel<T>()), u(m, n, sentinel<T>()) {
    l.randomize(seed);
    u.randomize(seed + 100);
    for (std::int32_t j = 0; j < n; ++j) {
      u(j, j) += T(n);  // No pivot is small.
      for (std::int32_t i = 0; i < j; ++i) l(i, j) = u(i, j) = sentinel<T>();
    }
  }
  /// Entry (i, j) of A for i < m and j < n, or for i < n and j < m.
  T entry(std::int32_t i, std::int32_t j) const { return i > j ? l(i, j) : u(j, i); }
};

template <class T>
void expect_product(const Panel<T>& a, const Panel<T>& f) {
  const std::int32_t m = a.l.rows();
  const std::int32_t n = a.l.cols();
  const auto bound = static_cast<double>(8 * (n + 1) * (n + 1)) * static_cast<double>(std::numeric_limits<T>::epsilon());
  for (std::int32_t i = 0; i < m; ++i) {
    for (std::int32_t j = 0; j < m; ++j) {
      if (i >= n && j >= n) continue;
      double sum = 0.0;
      const std::int32_t terms = std::min({i + 1, j + 1, n});
      for (std::int32_t k = 0; k < terms; ++k) sum += static_cast<double>(f.l(i, k)) * static_cast<double>(f.u(j, k));
      ASSERT_NEAR(sum, static_cast<double>(a.entry(i, j)), bound) << i << ", " << j << " of " << m << "×" << n;
    }
  }
}

TYPED_TEST(HostLu, ProductOfTheFactorsIsThePanel) {
  for (const HostIsa isa : {HostIsa::baseline, HostIsa::v2, HostIsa::v3, HostIsa::v4}) {
    const HostKernels<TypeParam>* const kernels = host_kernels<TypeParam>(isa);
    if (kernels == nullptr) continue;
    for (const std::int32_t n : {0, 1, 2, 3, 7, 8, 9, 16, 17, 31, 64, 65, 100, 130}) {
      for (const std::int32_t below : {0, 1, 5, 40}) {
        const Panel<TypeParam> a(n + below, n, static_cast<std::uint32_t>(n));
        Panel<TypeParam> f = a;
        LuPivots<TypeParam> pivots;
        kernels->factor_lu(n + below, n, f.l.data(), f.l.ld(), f.u.data(), f.u.ld(), &pivots);
        expect_product(a, f);
        EXPECT_EQ(pivots.replaced, 0);
        EXPECT_EQ(pivots.failed, -1);
        for (std::int32_t j = 0; j < n; ++j) {
          EXPECT_EQ(f.l(j, j), TypeParam(1));
          for (std::int32_t i = 0; i < j; ++i) {
            EXPECT_EQ(f.l(i, j), sentinel<TypeParam>()) << "above the diagonal of L";
            EXPECT_EQ(f.u(i, j), sentinel<TypeParam>()) << "above the diagonal of Uᵀ";
          }
        }
      }
    }
  }
}

TYPED_TEST(HostLu, SmallPivotsAreReplacedWithTheirSign) {
  using T = TypeParam;
  // A diagonal matrix: each pivot is a diagonal entry.
  const std::int32_t n = 12;
  Panel<T> f(n, n, 1);
  for (std::int32_t j = 0; j < n; ++j) {
    for (std::int32_t i = j; i < n; ++i) f.l(i, j) = f.u(i, j) = T(0);
    f.u(j, j) = T(2);
  }
  f.u(3, 3) = T(0.25);
  f.u(5, 5) = T(-0.125);
  f.u(9, 9) = T(0);
  LuPivots<T> pivots;
  pivots.smallest_allowed = T(0.5);
  host_kernels<T>().factor_lu(n, n, f.l.data(), f.l.ld(), f.u.data(), f.u.ld(), &pivots);
  EXPECT_EQ(f.u(3, 3), T(0.5));
  EXPECT_EQ(f.u(5, 5), T(-0.5));
  EXPECT_EQ(f.u(9, 9), T(0.5));
  EXPECT_EQ(f.u(4, 4), T(2));
  EXPECT_EQ(pivots.replaced, 3);
  EXPECT_EQ(pivots.smallest, T(0));
  EXPECT_EQ(pivots.smallest_at, 9);
  EXPECT_EQ(pivots.largest, T(2));
}

TYPED_TEST(HostLu, FirstColumnWithoutAFinitePivotIsReported) {
  using T = TypeParam;
  for (const T bad : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
    Panel<T> f(20, 20, 2);
    f.u(13, 13) = bad;
    LuPivots<T> pivots;
    host_kernels<T>().factor_lu(20, 20, f.l.data(), f.l.ld(), f.u.data(), f.u.ld(), &pivots);
    EXPECT_EQ(pivots.failed, 13);
  }
}

}  // namespace
}  // namespace gpusupernodal::test
