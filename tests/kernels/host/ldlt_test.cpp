/// LDLᵀ factorization of blocks: Pᵀ L D Lᵀ P = A for every order, bounded factors, replaced pivots, and entries that must
/// not be touched.

#include <algorithm>

#include "tests/kernels/host/guarded_matrix.hpp"

namespace gpusupernodal::test {
namespace {

template <class T>
class HostLdlt : public ::testing::Test {};
using HostLdltScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(HostLdlt, HostLdltScalars);

template <class T>
struct LdltResult {
  std::vector<T> d;
  std::vector<std::int32_t> exchange;
  std::vector<T> magnitude;

  explicit LdltResult(std::int32_t n)
      : d(static_cast<std::size_t>(2 * n)), exchange(static_cast<std::size_t>(n)), magnitude(static_cast<std::size_t>(n)) {}
  LdltPivots<T> pivots(T smallest) { return {smallest, d.data(), exchange.data(), magnitude.data()}; }
};

/// Entry (i, j) of L D Lᵀ.
template <class T>
double entry_of_product(const GuardedMatrix<T>& l, const LdltResult<T>& r, std::int32_t i, std::int32_t j) {
  double sum = 0.0;
  const auto l_at = [&](std::int32_t row, std::int32_t k) { return row < k ? 0.0 : static_cast<double>(l(row, k)); };
  for (std::int32_t k = 0; k < l.cols(); ++k) {
    const auto at = static_cast<std::size_t>(2 * k);
    sum += l_at(i, k) * static_cast<double>(r.d[at]) * l_at(j, k);
    if (r.d[at + 1] != T(0))
      sum += static_cast<double>(r.d[at + 1]) * (l_at(i, k) * l_at(j, k + 1) + l_at(i, k + 1) * l_at(j, k));
  }
  return sum;
}

template <class T>
void expect_ldlt(const HostKernels<T>& kernels, GuardedMatrix<T> a) {
  const std::int32_t n = a.cols();
  GuardedMatrix<T> l = a;
  LdltResult<T> result(n);
  const LdltPivots<T> pivots = result.pivots(std::numeric_limits<T>::min());
  ASSERT_EQ(kernels.factor_ldlt(n, l.data(), l.ld(), &pivots), -1);
  std::vector<std::int32_t> order(static_cast<std::size_t>(n));
  for (std::int32_t k = 0; k < n; ++k) order[static_cast<std::size_t>(k)] = k;
  for (std::int32_t k = 0; k < n; ++k) {
    ASSERT_GE(result.exchange[static_cast<std::size_t>(k)], 0);
    std::swap(order[static_cast<std::size_t>(k)],
              order[static_cast<std::size_t>(k + result.exchange[static_cast<std::size_t>(k)])]);
  }
  const auto bound = static_cast<double>(20 * (n + 1) * (n + 1)) * static_cast<double>(std::numeric_limits<T>::epsilon());
  for (std::int32_t j = 0; j < n; ++j) {
    EXPECT_EQ(l(j, j), T(1));
    for (std::int32_t i = 0; i < j; ++i) ASSERT_EQ(l(i, j), sentinel<T>()) << "above the diagonal";
    for (std::int32_t i = j; i < n; ++i) {
      EXPECT_LE(std::abs(l(i, j)), T(2.8)) << "the bound of rook pivoting";
      const auto [high, low] = std::minmax(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]);
      ASSERT_NEAR(entry_of_product(l, result, i, j), static_cast<double>(a(low, high)), bound)
          << i << ", " << j << " of " << n;
    }
  }
}

TYPED_TEST(HostLdlt, ProductOfTheFactorsIsTheBlock) {
  for (const HostIsa isa : {HostIsa::baseline, HostIsa::v2, HostIsa::v3, HostIsa::v4}) {
    const HostKernels<TypeParam>* const kernels = host_kernels<TypeParam>(isa);
    if (kernels == nullptr) continue;
    for (const std::int32_t n : {0, 1, 2, 3, 7, 31, 32, 33, 34, 65, 130, 200}) {
      for (const bool zero_diagonal : {false, true}) {
        if (zero_diagonal && n % 2 != 0) continue;
        GuardedMatrix<TypeParam> a(n, n, sentinel<TypeParam>());
        a.randomize(static_cast<std::uint32_t>(n)).guard_upper();
        for (std::int32_t k = 0; zero_diagonal && k < n; ++k) a(k, k) = TypeParam(0);
        expect_ldlt(*kernels, a);
      }
    }
  }
}

TYPED_TEST(HostLdlt, ReplacesPivotsThatAreTooSmallAndRefusesNaN) {
  const HostKernels<TypeParam>& kernels = host_kernels<TypeParam>();
  for (const std::int32_t n : {1, 5, 40}) {
    GuardedMatrix<TypeParam> a(n, n, sentinel<TypeParam>());
    for (std::int32_t j = 0; j < n; ++j) {
      for (std::int32_t i = j; i < n; ++i) a(i, j) = i == j ? TypeParam(-1) : TypeParam(0);
    }
    a(n / 2, n / 2) = TypeParam(-1e-9);
    GuardedMatrix<TypeParam> l = a;
    LdltResult<TypeParam> result(n);
    const LdltPivots<TypeParam> pivots = result.pivots(TypeParam(1e-3));
    ASSERT_EQ(kernels.factor_ldlt(n, l.data(), l.ld(), &pivots), -1);
    const auto at = static_cast<std::size_t>(n / 2);
    EXPECT_EQ(result.d[2 * at], TypeParam(-1e-3));
    EXPECT_EQ(result.magnitude[at], TypeParam(1e-9));
    EXPECT_EQ(
        std::count_if(result.magnitude.begin(), result.magnitude.end(), [](TypeParam m) { return m < TypeParam(1e-3); }), 1);
    l = a;
    l(n - 1, 0) = std::numeric_limits<TypeParam>::quiet_NaN();
    EXPECT_GE(kernels.factor_ldlt(n, l.data(), l.ld(), &pivots), 0);
  }
}

}  // namespace
}  // namespace gpusupernodal::test
