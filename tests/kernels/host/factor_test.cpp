/// \file
/// Tests factor_diagonal, factor_panel and solve_below: backward errors, guard values and pivots that are not positive.

#include <cstring>

#include "tests/kernels/host/guarded_matrix.hpp"

namespace gpusupernodal::test {
namespace {

/// L·Lᵀ of a random triangle, rounded; `fill` above the diagonal.
template <class T>
GuardedMatrix<T> random_positive_definite(std::int32_t n, T fill, std::uint32_t seed) {
  const auto l = random_triangle<T>(n, T(0), seed);
  GuardedMatrix<T> a(n, n, fill);
  for (std::int32_t j = 0; j < n; ++j) {
    for (std::int32_t i = j; i < n; ++i) {
      double sum = 0;
      for (std::int32_t p = 0; p <= j; ++p) {
        sum += static_cast<double>(l(i, p)) * static_cast<double>(l(j, p));
      }
      a(i, j) = static_cast<T>(sum);
    }
  }
  return a;
}

/// Expects |A − L Lᵀ| ≤ the bound of (columns + 1) terms relative to |L||Lᵀ| [Higham02, Theorem 10.3] in the first `columns`
/// columns.
template <class T>
void expect_factor(const GuardedMatrix<T>& a, const GuardedMatrix<T>& l, std::int32_t columns) {
  for (std::int32_t j = 0; j < columns; ++j) {
    for (std::int32_t i = j; i < a.rows(); ++i) {
      long double value = a(i, j);
      long double magnitude = 0;
      for (std::int32_t p = 0; p <= j; ++p) {
        const long double term = static_cast<long double>(l(i, p)) * l(j, p);
        value -= term;
        magnitude += std::abs(term);
      }
      ASSERT_TRUE(std::abs(value) <= inner_product_bound<T>(j + 1, magnitude)) << "at " << i << ", " << j;
    }
  }
}

std::vector<std::int32_t> widths() {
  std::vector<std::int32_t> sizes;
  for (std::int32_t n = 0; n <= 70; ++n) {
    sizes.push_back(n);
  }
  sizes.insert(sizes.end(), {96, 127, 128, 129, 191, 256, 261});
  return sizes;
}

template <class T>
class HostFactor : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(HostFactor, Scalars, );

TYPED_TEST(HostFactor, FactorsWithinTheBound) {
  using T = TypeParam;
  for (const std::int32_t n : widths()) {
    const auto a = random_positive_definite<T>(n, poison<T>(), 5);
    for (const auto* kernels : kernels_of_this_processor<T>()) {
      SCOPED_TRACE(std::string(kernels->name) + " n " + std::to_string(n));
      auto l = a;
      T pivot = 0;
      ASSERT_EQ(kernels->factor_diagonal(n, l.data(), l.ld(), &pivot), -1);
      expect_factor(a, l, n);
      ASSERT_FALSE(this->HasFatalFailure());
    }
  }
}

/// The panel consists of the first n columns of a matrix of order m, so its factor is the first n columns of L.
TYPED_TEST(HostFactor, FactorsPanelsWithinTheBound) {
  using T = TypeParam;
  for (const std::int32_t m : {1, 2, 5, 8, 9, 11, 16, 17, 24, 25, 40, 100}) {
    const auto square = random_positive_definite<T>(m, sentinel<T>(), 8);
    for (std::int32_t n = 0; n <= std::min(m, 20); ++n) {
      GuardedMatrix<T> a(m, n, sentinel<T>());
      for (std::int32_t j = 0; j < n; ++j) {
        for (std::int32_t i = j; i < m; ++i) a(i, j) = square(i, j);
      }
      for (const auto* kernels : kernels_of_this_processor<T>()) {
        SCOPED_TRACE(std::string(kernels->name) + " m " + std::to_string(m) + " n " + std::to_string(n));
        auto l = a;
        T pivot = 0;
        ASSERT_EQ(kernels->factor_panel(m, n, l.data(), l.ld(), &pivot), -1);
        expect_factor(a, l, n);
        ASSERT_TRUE(l.guards_intact(true));
        ASSERT_FALSE(this->HasFatalFailure());
        if (n == 0) continue;
        auto bad = a;
        bad(n - 1, n - 1) = T(-1);
        ASSERT_EQ(kernels->factor_panel(m, n, bad.data(), bad.ld(), &pivot), n - 1);
        ASSERT_LT(pivot, T(-1) + T(1e-3));
        expect_factor(a, bad, n - 1);
        ASSERT_FALSE(this->HasFatalFailure());
      }
    }
  }
}

/// Pivots whose reciprocals overflow or lose digits are valid because their roots do neither.
TYPED_TEST(HostFactor, AcceptsPivotsAtBothEndsOfTheRange) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  for (const T pivot : {Limits::denorm_min() * 64, Limits::min() / 8, Limits::min(), Limits::max() / 2, Limits::max()}) {
    for (const std::int32_t n : {1, 3, 8, 20}) {
      for (std::int32_t f = 0; f < n; ++f) {
        GuardedMatrix<T> a(n, n, sentinel<T>());
        for (std::int32_t j = 0; j < n; ++j) {
          for (std::int32_t i = j; i < n; ++i) a(i, j) = i == j ? T(n) : T(1) / T(2);
          if (j < f) a(f, j) = T(0);
        }
        a(f, f) = pivot;
        for (std::int32_t i = f + 1; i < n; ++i) a(i, f) = pivot < T(1) ? pivot / T(4) : T(1);
        for (const auto* kernels : kernels_of_this_processor<T>()) {
          SCOPED_TRACE(std::string(kernels->name) + " n " + std::to_string(n) + " column " + std::to_string(f));
          auto l = a;
          T failed = 0;
          ASSERT_EQ(kernels->factor_diagonal(n, l.data(), l.ld(), &failed), -1) << pivot;
          ASSERT_NEAR(l(f, f) / std::sqrt(pivot), T(1), T(4) * Limits::epsilon()) << pivot;
          ASSERT_TRUE(l.guards_intact(true));
        }
      }
    }
  }
}

TYPED_TEST(HostFactor, WritesTheLowerTriangleOnly) {
  using T = TypeParam;
  for (const std::int32_t n : widths()) {
    const auto a = random_positive_definite<T>(n, sentinel<T>(), 5);
    for (const auto* kernels : kernels_of_this_processor<T>()) {
      auto l = a;
      T pivot = 0;
      ASSERT_EQ(kernels->factor_diagonal(n, l.data(), l.ld(), &pivot), -1);
      ASSERT_TRUE(l.guards_intact(true)) << kernels->name << " n " << n;
    }
  }
}

/// Each position of a bad pivot in a diagonal matrix, where the reported pivot is the diagonal entry itself.
TYPED_TEST(HostFactor, ReportsTheFirstBadPivot) {
  using T = TypeParam;
  const T infinity = std::numeric_limits<T>::infinity();
  for (const std::int32_t n : {1, 2, 7, 33, 70, 140}) {
    for (const auto* kernels : kernels_of_this_processor<T>()) {
      for (std::int32_t f = 0; f < n; ++f) {
        for (const T bad : {T(-2), T(0), infinity, -infinity, std::numeric_limits<T>::quiet_NaN()}) {
          GuardedMatrix<T> a(n, n, sentinel<T>());
          for (std::int32_t j = 0; j < n; ++j) {
            for (std::int32_t i = j; i < n; ++i) {
              a(i, j) = i == j ? T(4) : T(0);
            }
          }
          a(f, f) = bad;
          T pivot = 0;
          ASSERT_EQ(kernels->factor_diagonal(n, a.data(), a.ld(), &pivot), f)
              << kernels->name << " n " << n << " value " << bad;
          ASSERT_TRUE(std::isnan(bad) ? std::isnan(pivot) : pivot == bad) << pivot;
          ASSERT_TRUE(a.guards_intact(true));
        }
      }
    }
  }
}

TYPED_TEST(HostFactor, ColumnsBeforeTheBadPivotAreFinal) {
  using T = TypeParam;
  for (const std::int32_t n : {9, 50, 101, 150}) {
    for (const auto* kernels : kernels_of_this_processor<T>()) {
      for (std::int32_t f = 0; f < n; ++f) {
        SCOPED_TRACE(std::string(kernels->name) + " n " + std::to_string(n) + " column " + std::to_string(f));
        auto a = random_positive_definite<T>(n, sentinel<T>(), 6);
        a(f, f) = T(-1);
        auto l = a;
        T pivot = 0;
        ASSERT_EQ(kernels->factor_diagonal(n, l.data(), l.ld(), &pivot), f);
        ASSERT_LT(pivot, T(-1) + T(1e-3));
        ASSERT_TRUE(l.guards_intact(true));
        if (f % 7 == 3) {
          expect_factor(a, l, f);
        }
        ASSERT_FALSE(this->HasFatalFailure());
      }
    }
  }
}

TYPED_TEST(HostFactor, NaNBelowTheDiagonalIsReportedWhenItReachesTheDiagonal) {
  using T = TypeParam;
  for (const auto* kernels : kernels_of_this_processor<T>()) {
    for (const std::int32_t row : {1, 8, 23, 24, 63, 64, 99}) {
      auto a = random_positive_definite<T>(100, sentinel<T>(), 7);
      a(row, 0) = std::numeric_limits<T>::quiet_NaN();
      T pivot = 0;
      ASSERT_EQ(kernels->factor_diagonal(100, a.data(), a.ld(), &pivot), row) << kernels->name;
      ASSERT_TRUE(std::isnan(pivot));
    }
  }
}

/// Expects |B − X Lᵀ| within the bound of n terms relative to |X||Lᵀ|.
template <class T>
void check_solve_below(const HostKernels<T>& kernels, std::int32_t m, std::int32_t n) {
  SCOPED_TRACE(std::string(kernels.name) + " m " + std::to_string(m) + " n " + std::to_string(n));
  const auto l = random_triangle<T>(n, poison<T>(), 8);
  const auto b = GuardedMatrix<T>(m, n, sentinel<T>()).randomize(9);
  auto x = b;
  kernels.solve_below(m, n, l.data(), l.ld(), x.data(), x.ld());
  for (std::int32_t j = 0; j < n; ++j) {
    for (std::int32_t i = 0; i < m; ++i) {
      long double value = b(i, j);
      long double magnitude = 0;
      for (std::int32_t p = 0; p <= j; ++p) {
        const long double term = static_cast<long double>(x(i, p)) * l(j, p);
        value -= term;
        magnitude += std::abs(term);
      }
      ASSERT_TRUE(std::abs(value) <= inner_product_bound<T>(j + 1, magnitude)) << "at " << i << ", " << j;
    }
  }
  ASSERT_TRUE(x.guards_intact(false));
}

TYPED_TEST(HostFactor, SolvesBelowWithinTheBound) {
  for (const auto* kernels : kernels_of_this_processor<TypeParam>()) {
    for (std::int32_t s = 0; s <= 70; ++s) {
      check_solve_below(*kernels, s, 11);
      check_solve_below(*kernels, 27, s);
      ASSERT_FALSE(this->HasFatalFailure());
    }
    check_solve_below(*kernels, 130, 129);
    check_solve_below(*kernels, 201, 260);
    ASSERT_FALSE(this->HasFatalFailure());
  }
}

/// The factor of a panel is bitwise independent of how its rows are split.
TYPED_TEST(HostFactor, BitsDoNotDependOnHowRowsAreSplit) {
  using T = TypeParam;
  const std::int32_t m = 203;
  const std::int32_t n = 77;
  const auto l = random_triangle<T>(n, poison<T>(), 8);
  for (const auto* kernels : kernels_of_this_processor<T>()) {
    auto whole = GuardedMatrix<T>(m, n, sentinel<T>()).randomize(9);
    auto pieces = whole;
    kernels->solve_below(m, n, l.data(), l.ld(), whole.data(), whole.ld());
    for (std::int32_t i = 0; i < m; i += 19) {
      kernels->solve_below(std::min(19, m - i), n, l.data(), l.ld(), &pieces(i, 0), pieces.ld());
    }
    for (std::int32_t j = 0; j < n; ++j) {
      ASSERT_EQ(std::memcmp(&whole(0, j), &pieces(0, j), m * sizeof(T)), 0) << kernels->name << " column " << j;
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
