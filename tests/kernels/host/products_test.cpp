/// \file
/// Compares the four products with plain loops, at every size around vector, tile and block edges.

#include <algorithm>
#include <numeric>

#include "tests/kernels/host/guarded_matrix.hpp"

namespace gpusupernodal::test {
namespace {

struct Size {
  std::int32_t m, n, k;
};

/// Every m, n and k from 0 to 70 with a few values of the others, and sizes at the edges of packed blocks.
std::vector<Size> sweep() {
  std::vector<Size> sizes;
  for (std::int32_t s = 0; s <= 70; ++s) {
    sizes.insert(sizes.end(), {{s, 8, 5}, {s, 3, 1}, {s, 13, 9}, {29, s, 7}, {61, s, 3}, {26, 10, s}, {5, 2, s}, {s, s, s}});
  }
  sizes.insert(sizes.end(), {{300, 64, 32},
                             {191, 33, 32},
                             {192, 96, 255},
                             {193, 97, 256},
                             {200, 65, 257},
                             {97, 40, 129},
                             {98, 41, 193},
                             {97, 193, 40},
                             {211, 200, 300},
                             {385, 385, 33},
                             {97, 780, 33}});
  return sizes;
}

/// Ascending positions with runs and gaps of many lengths; 1 … count without gaps if !gaps.
std::vector<std::int32_t> positions(std::int32_t count, bool gaps, std::uint32_t seed) {
  std::vector<std::int32_t> at(static_cast<std::size_t>(count));
  std::minstd_rand generator(seed + 1);
  std::int32_t next = gaps ? 2 : 1;
  std::int32_t run = 1;
  for (std::int32_t& position : at) {
    position = next;
    next += 1;
    if (gaps && --run <= 0) {
      next += static_cast<std::int32_t>(generator() % 5) * static_cast<std::int32_t>(generator() % 4);
      run = static_cast<std::int32_t>(generator() % 30);
    }
  }
  return at;
}

/// Expects c == c0 − A·Bᵀ at (rows, cols), only i ≥ j if lower, within the bound, and c == c0 elsewhere.
template <class T>
void expect_product(const GuardedMatrix<T>& a, const GuardedMatrix<T>& b, const GuardedMatrix<T>& c0,
                    const GuardedMatrix<T>& c, const std::vector<std::int32_t>& rows, const std::vector<std::int32_t>& cols,
                    bool lower) {
  GuardedMatrix<T> untouched = c;
  for (std::size_t j = 0; j < cols.size(); ++j) {
    for (std::size_t i = lower ? j : 0; i < rows.size(); ++i) {
      const auto row = static_cast<std::int64_t>(i);
      const auto col = static_cast<std::int64_t>(j);
      long double value = c0(rows[i], cols[j]);
      long double magnitude = std::abs(value);
      for (std::int32_t p = 0; p < a.cols(); ++p) {
        const long double term = static_cast<long double>(a(row, p)) * b(col, p);
        value -= term;
        magnitude += std::abs(term);
      }
      const long double error = std::abs(value - c(rows[i], cols[j]));
      ASSERT_TRUE(error <= inner_product_bound<T>(a.cols(), magnitude)) << "at " << i << ", " << j << ": error " << error;
      untouched(rows[i], cols[j]) = c0(rows[i], cols[j]);
    }
  }
  for (std::int32_t j = 0; j < c.cols(); ++j) {
    for (std::int32_t i = 0; i < c.rows(); ++i) {
      ASSERT_EQ(untouched(i, j), c0(i, j)) << "written at " << i << ", " << j;
    }
  }
  ASSERT_TRUE(c.guards_intact(false));
}

std::string describe(const char* isa, const Size& s) {
  return std::string(isa) + " m " + std::to_string(s.m) + " n " + std::to_string(s.n) + " k " + std::to_string(s.k);
}

template <class T>
void check_plain(const HostKernels<T>& kernels, const Size& s) {
  SCOPED_TRACE(describe(kernels.name, s));
  const auto a = GuardedMatrix<T>(s.m, s.k, poison<T>()).randomize(1);
  const auto b = GuardedMatrix<T>(s.n, s.k, poison<T>(), 1).randomize(2);
  const auto c0 = GuardedMatrix<T>(s.m, s.n, sentinel<T>()).randomize(3);
  std::vector<std::int32_t> rows(static_cast<std::size_t>(s.m));
  std::vector<std::int32_t> cols(static_cast<std::size_t>(s.n));
  std::iota(rows.begin(), rows.end(), 0);
  std::iota(cols.begin(), cols.end(), 0);

  auto c = c0;
  kernels.subtract_product(s.m, s.n, s.k, a.data(), a.ld(), b.data(), b.ld(), c.data(), c.ld());
  expect_product(a, b, c0, c, rows, cols, false);
  if (s.n <= s.m) {
    auto lower = c0;
    kernels.subtract_product_lower(s.m, s.n, s.k, a.data(), a.ld(), a.data(), a.ld(), lower.data(), lower.ld());
    expect_product(a, a, c0, lower, rows, cols, true);
  }
}

template <class T>
void check_indexed(const HostKernels<T>& kernels, const Size& s, bool gaps) {
  SCOPED_TRACE(describe(kernels.name, s) + (gaps ? " with gaps" : " without gaps"));
  const auto a = GuardedMatrix<T>(s.m, s.k, poison<T>()).randomize(1);
  const auto b = GuardedMatrix<T>(s.n, s.k, poison<T>(), 1).randomize(2);
  const auto rows = positions(s.m, gaps, static_cast<std::uint32_t>(s.m + s.k));
  const auto cols = positions(s.n, gaps, static_cast<std::uint32_t>(s.n));
  const std::int32_t height = rows.empty() ? 1 : rows.back() + 1;
  const std::int32_t width = cols.empty() ? 1 : cols.back() + 1;
  const auto c0 = GuardedMatrix<T>(height, width, sentinel<T>()).randomize(3);

  auto c = c0;
  kernels.subtract_product_indexed(s.m, s.n, s.k, a.data(), a.ld(), b.data(), b.ld(), c.data(), c.ld(), rows.data(),
                                   cols.data());
  expect_product(a, b, c0, c, rows, cols, false);
  if (s.n <= s.m) {
    auto lower = c0;
    kernels.subtract_product_lower_indexed(s.m, s.n, s.k, a.data(), a.ld(), a.data(), a.ld(), lower.data(), lower.ld(),
                                           rows.data(), cols.data());
    expect_product(a, a, c0, lower, rows, cols, true);
  }
}

template <class T>
class HostProducts : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(HostProducts, Scalars, );

TYPED_TEST(HostProducts, PlainAgreesWithLoops) {
  for (const auto* kernels : kernels_of_this_processor<TypeParam>()) {
    for (const Size& size : sweep()) {
      check_plain(*kernels, size);
      ASSERT_FALSE(this->HasFatalFailure());
    }
  }
}

TYPED_TEST(HostProducts, IndexedAgreesWithLoops) {
  for (const auto* kernels : kernels_of_this_processor<TypeParam>()) {
    for (const Size& size : sweep()) {
      check_indexed(*kernels, size, true);
      check_indexed(*kernels, size, false);
      ASSERT_FALSE(this->HasFatalFailure());
    }
  }
}

/// An element's bits depend on the operands and k only: not on where its tile begins, how it is stored, or whether the
/// operands were copied. Executors that split a panel differently therefore compute bitwise equal factors.
TYPED_TEST(HostProducts, BitsDoNotDependOnHowTheProductIsSplit) {
  using T = TypeParam;
  const Size s = {230, 120, 300};
  const auto a = GuardedMatrix<T>(s.m, s.k, poison<T>()).randomize(1);
  const auto b = GuardedMatrix<T>(s.n, s.k, poison<T>()).randomize(2);
  for (const auto* kernels : kernels_of_this_processor<T>()) {
    SCOPED_TRACE(kernels->name);
    const auto c0 = GuardedMatrix<T>(s.m, s.n, sentinel<T>()).randomize(3);
    auto whole = c0;
    kernels->subtract_product(s.m, s.n, s.k, a.data(), a.ld(), b.data(), b.ld(), whole.data(), whole.ld());
    auto pieces = c0;
    for (std::int32_t i = 0; i < s.m; i += 37) {
      for (std::int32_t j = 0; j < s.n; j += 11) {
        kernels->subtract_product(std::min(37, s.m - i), std::min(11, s.n - j), s.k, a.data() + i, a.ld(), b.data() + j,
                                  b.ld(), &pieces(i, j), pieces.ld());
      }
    }
    for (std::int32_t j = 0; j < s.n; ++j) {
      for (std::int32_t i = 0; i < s.m; ++i) {
        ASSERT_EQ(whole(i, j), pieces(i, j)) << "at " << i << ", " << j;
      }
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
