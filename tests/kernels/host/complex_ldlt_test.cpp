/// LDLᵀ factorization of complex blocks, Hermitian and symmetric: P A Pᵀ = L D Lᴴ or L D Lᵀ for every order and instruction
/// set, and entries that must not be touched.

#include <algorithm>
#include <complex>

#include "tests/kernels/host/guarded_matrix.hpp"
#include "tests/support/complex_entries.hpp"

namespace gpusupernodal::test {
namespace {

using Wide = std::complex<double>;

template <class T>
class HostComplexLdlt : public ::testing::Test {};
using HostComplexLdltScalars = ::testing::Types<std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(HostComplexLdlt, HostComplexLdltScalars);

Wide transposed_entry(Wide x, bool symmetric) { return symmetric ? x : std::conj(x); }

/// A dense column-major matrix of order n.
struct ComplexSquare {
  std::int64_t n;
  std::vector<Wide> entries;
  Wide& operator()(std::int64_t i, std::int64_t j) { return entries[static_cast<std::size_t>(i + j * n)]; }
};

/// L D Lᴴ, or L D Lᵀ.
template <class T>
ComplexSquare product_of_factors(const GuardedMatrix<T>& l, const std::vector<T>& d, bool symmetric) {
  const std::int64_t n = l.cols();
  ComplexSquare blocks{n, std::vector<Wide>(static_cast<std::size_t>(n * n))};
  for (std::int64_t k = 0; k < n; ++k) {
    const auto at = static_cast<std::size_t>(2 * k);
    blocks(k, k) = static_cast<Wide>(d[at]);
    if (d[at + 1] == T(0)) continue;
    blocks(k + 1, k) = static_cast<Wide>(d[at + 1]);
    blocks(k, k + 1) = transposed_entry(blocks(k + 1, k), symmetric);
  }
  ComplexSquare result = blocks;
  const auto l_at = [&](std::int64_t i, std::int64_t k) { return i < k ? Wide(0.0) : static_cast<Wide>(l(i, k)); };
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) {
      Wide sum = 0.0;
      for (std::int64_t k = 0; k <= i; ++k) {
        for (std::int64_t m = std::max<std::int64_t>(k - 1, 0); m <= std::min({k + 1, j, n - 1}); ++m)
          sum += l_at(i, k) * blocks(k, m) * transposed_entry(l_at(j, m), symmetric);
      }
      result(i, j) = sum;
    }
  }
  return result;
}

template <class T>
void expect_complex_ldlt(const HostKernels<T>& kernels, const GuardedMatrix<T>& a, bool symmetric) {
  using Real = typename T::value_type;
  const std::int32_t n = a.cols();
  GuardedMatrix<T> l = a;
  std::vector<T> d(static_cast<std::size_t>(2 * n));
  std::vector<std::int32_t> exchange(static_cast<std::size_t>(n));
  std::vector<Real> magnitude(static_cast<std::size_t>(n));
  const LdltPivots<T> pivots{std::numeric_limits<Real>::min(), d.data(), exchange.data(), magnitude.data(), symmetric};
  ASSERT_EQ(kernels.factor_ldlt(n, l.data(), l.ld(), &pivots), -1);
  std::vector<std::int32_t> order(static_cast<std::size_t>(n));
  for (std::int32_t k = 0; k < n; ++k) order[static_cast<std::size_t>(k)] = k;
  for (std::int32_t k = 0; k < n; ++k)
    std::swap(order[static_cast<std::size_t>(k)],
              order[static_cast<std::size_t>(k + exchange[static_cast<std::size_t>(k)])]);
  ComplexSquare product = product_of_factors(l, d, symmetric);
  const double bound = 20.0 * (n + 1) * (n + 1) * static_cast<double>(std::numeric_limits<Real>::epsilon());
  for (std::int32_t j = 0; j < n; ++j) {
    EXPECT_EQ(l(j, j), T(1));
    for (std::int32_t i = 0; i < j; ++i) ASSERT_EQ(l(i, j), sentinel<T>()) << "above the diagonal";
    for (std::int32_t i = j; i < n; ++i) {
      const std::int32_t row = order[static_cast<std::size_t>(i)], column = order[static_cast<std::size_t>(j)];
      const auto [high, low] = std::minmax(row, column);
      const auto stored = static_cast<Wide>(a(low, high));
      const Wide entry = row >= column ? stored : transposed_entry(stored, symmetric);
      ASSERT_LE(std::abs(product(i, j) - entry), bound) << i << ", " << j << " of " << n;
    }
  }
}

TYPED_TEST(HostComplexLdlt, ProductOfTheFactorsIsTheBlock) {
  for (const HostIsa isa : {HostIsa::baseline, HostIsa::v2, HostIsa::v3, HostIsa::v4}) {
    const HostKernels<TypeParam>* const kernels = host_kernels<TypeParam>(isa);
    if (kernels == nullptr) continue;
    for (const std::int32_t n : {0, 1, 2, 3, 7, 31, 32, 33, 34, 65, 90}) {
      for (const bool symmetric : {false, true}) {
        const auto values = random_complex_numbers(std::int64_t{n} * n, static_cast<std::uint64_t>(n));
        GuardedMatrix<TypeParam> a(n, n, sentinel<TypeParam>());
        for (std::int32_t j = 0; j < n; ++j) {
          for (std::int32_t i = j; i < n; ++i) a(i, j) = static_cast<TypeParam>(values[static_cast<std::size_t>(i + j * n)]);
          if (!symmetric) a(j, j) = a(j, j).real();
          if (j % 4 == 1) a(j, j) = TypeParam(0);
        }
        expect_complex_ldlt(*kernels, a, symmetric);
      }
    }
  }
}

TYPED_TEST(HostComplexLdlt, ReplacedPivotsKeepTheirDirection) {
  using Real = typename TypeParam::value_type;
  const HostKernels<TypeParam>& kernels = host_kernels<TypeParam>();
  for (const bool symmetric : {false, true}) {
    GuardedMatrix<TypeParam> a(3, 3, sentinel<TypeParam>());
    for (std::int32_t j = 0; j < 3; ++j) {
      for (std::int32_t i = j; i < 3; ++i) a(i, j) = i == j ? TypeParam(-1) : TypeParam(0);
    }
    a(1, 1) = symmetric ? TypeParam(Real(3e-9), Real(-4e-9)) : TypeParam(Real(-5e-9));
    std::vector<TypeParam> d(6);
    std::vector<std::int32_t> exchange(3);
    std::vector<Real> magnitude(3);
    const LdltPivots<TypeParam> pivots{Real(1e-3), d.data(), exchange.data(), magnitude.data(), symmetric};
    ASSERT_EQ(kernels.factor_ldlt(3, a.data(), a.ld(), &pivots), -1);
    constexpr Real rounding = 4 * std::numeric_limits<Real>::epsilon();
    EXPECT_LE(std::abs(d[2] - (symmetric ? TypeParam(Real(6e-4), Real(-8e-4)) : TypeParam(Real(-1e-3)))), rounding);
    EXPECT_NEAR(magnitude[1], Real(5e-9), Real(5e-9) * rounding);
    a(2, 0) = std::numeric_limits<Real>::quiet_NaN();
    EXPECT_GE(kernels.factor_ldlt(3, a.data(), a.ld(), &pivots), 0);
  }
}

}  // namespace
}  // namespace gpusupernodal::test
