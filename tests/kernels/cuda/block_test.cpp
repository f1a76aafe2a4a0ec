#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/cuda/block_kernels.hpp"
#include "solver/cuda/run/dense_library.hpp"
#include "tests/kernels/cuda/device_array.hpp"

namespace gpusupernodal::test {
namespace {

template <class T>
class BlockKernels : public ::testing::Test {};

using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(BlockKernels, Scalars);

TYPED_TEST(BlockKernels, IndexedSubtractionWritesOnlyItsEntries) {
  SKIP_WITHOUT_DEVICE();
  using T = TypeParam;
  for (const std::int32_t m : {1, 127, 128, 129, 300}) {
    for (const std::int32_t n : {1, 8, 9, 40}) {
      if (n > m) continue;
      for (const bool lower : {false, true}) {
        const std::int64_t ldc = 2 * m + 3;
        std::vector<std::int32_t> rows;
        for (std::int32_t i = 0; i < m; ++i) rows.push_back(2 * i + 1);
        const std::vector<T> u = random_values<T>(static_cast<std::size_t>(m) * static_cast<std::size_t>(n), 1);
        const std::vector<T> c = random_values<T>(static_cast<std::size_t>(ldc * (2 * n + 2)), 2);
        const DeviceArray<std::int32_t> device_rows(rows);
        const DeviceArray<T> device_u(u);
        const DeviceArray<T> device_c(c);
        cuda::subtract_indexed<T>(device_u.get(), m, m, n, device_rows.get(), device_rows.get(), lower, device_c.get(), ldc,
                                  nullptr);
        std::vector<T> expected = c;
        for (std::int32_t j = 0; j < n; ++j) {
          for (std::int32_t i = lower ? j : 0; i < m; ++i) {
            expected[static_cast<std::size_t>((2 * i + 1) + (2 * j + 1) * ldc)] -= u[static_cast<std::size_t>(i + j * m)];
          }
        }
        EXPECT_EQ(device_c.host(), expected) << m << " x " << n;
      }
    }
  }
}

/// Panel of random values with a dominant diagonal in `width` columns from `column` on.
template <class T>
std::vector<T> triangle(int width, int column, int ld) {
  std::vector<T> values = random_values<T>(static_cast<std::size_t>(ld * (column + width)), 3);
  for (int j = 0; j < width; ++j) values[static_cast<std::size_t>(column + j + (column + j) * ld)] = T(width);
  return values;
}

TYPED_TEST(BlockKernels, InverseLiesTransposedAboveTheDiagonal) {
  SKIP_WITHOUT_DEVICE();
  using T = TypeParam;
  for (const int width : {1, 2, 31, 32, 33, 63, 64}) {
    const int column = 64;
    const int ld = column + width + 5;
    const std::vector<T> before = triangle<T>(width, column, ld);
    const auto at = [&](int i, int j) { return static_cast<std::size_t>(column + i + (column + j) * ld); };
    const DeviceArray<T> values(before);
    const DeviceArray<cuda::PanelInfo> panels({cuda::PanelInfo{0, 0, 0, column + width, ld, ld}});
    const DeviceArray<cuda::DiagonalTask> pieces({cuda::DiagonalTask{0, column, width, 0}});
    cuda::prepare_block_kernels<T>();
    cuda::invert_pieces<T>(values.get(), panels.get(), pieces.get(), 1, nullptr);
    const std::vector<T> after = values.host();
    const double bound = 4.0 * width * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (int i = 0; i < width; ++i) {
      for (int j = 0; j <= i; ++j) {
        ASSERT_EQ(after[at(i, j)], before[at(i, j)]) << "L changed";
        double product = 0.0;
        for (int k = j; k <= i; ++k) {
          const double inverse = k == j ? 1.0 / static_cast<double>(before[at(j, j)]) : static_cast<double>(after[at(j, k)]);
          product += static_cast<double>(before[at(i, k)]) * inverse;
        }
        ASSERT_NEAR(product, i == j ? 1.0 : 0.0, bound) << "width " << width;
      }
    }
  }
}

TYPED_TEST(BlockKernels, FailedPivotIsStoredAsNotPositive) {
  SKIP_WITHOUT_DEVICE();
  using T = TypeParam;
  constexpr int n = 70;
  for (const int failing : {0, 1, 40, 69}) {
    std::vector<T> block(n * n, T(0));
    for (int j = 0; j < n; ++j) block[static_cast<std::size_t>(j * (n + 1))] = j == failing ? T(-1) : T(4);
    const DeviceArray<T> values(block);
    const DeviceArray<int> info(std::vector<int>{0});
    const cuda::DenseLibrary<T> library(nullptr);
    const DeviceArray<T> workspace(std::vector<T>(static_cast<std::size_t>(library.factor_workspace(n)) + 1));
    library.factor(n, values.get(), n, workspace.get(), info.get());
    cuda::mark_failed_pivot<T>(values.get(), n, info.get(), nullptr);
    const std::vector<T> after = values.host();
    EXPECT_EQ(info.host()[0], failing + 1);
    const T pivot = after[static_cast<std::size_t>(failing * (n + 1))];
    EXPECT_FALSE(pivot > T(0) && std::isfinite(pivot));
    for (int j = 0; j < failing; ++j) EXPECT_EQ(after[static_cast<std::size_t>(j * (n + 1))], T(2));
  }
}

/// Returns (n − 1) I + 1 1ᵀ with diagonal entry `failing` replaced by `entry`.
template <class T>
std::vector<T> nearly_definite(int n, int failing, double entry) {
  std::vector<T> block(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), T(1));
  for (int j = 0; j < n; ++j) block[static_cast<std::size_t>(j * (n + 1))] = static_cast<T>(j == failing ? entry : n);
  return block;
}

/// Whatever cuSOLVER leaves on the diagonal, the reported value must be the failed pivot or NaN, never another number.
TYPED_TEST(BlockKernels, ReportsTheFailedPivotOrNaN) {
  SKIP_WITHOUT_DEVICE();
  using T = TypeParam;
  for (const int n : {8, 70, 300, 600}) {
    for (const int failing : {n / 2, n - 1}) {
      for (const double entry : {0.25, -0.25}) {
        const DeviceArray<T> values(nearly_definite<T>(n, failing, entry));
        const DeviceArray<int> info(std::vector<int>{0});
        const cuda::DenseLibrary<T> library(nullptr);
        const DeviceArray<T> workspace(std::vector<T>(static_cast<std::size_t>(library.factor_workspace(n)) + 1));
        library.factor(n, values.get(), n, workspace.get(), info.get());
        cuda::mark_failed_pivot<T>(values.get(), n, info.get(), nullptr);
        ASSERT_EQ(info.host()[0], failing + 1);
        const double reported = static_cast<double>(values.host()[static_cast<std::size_t>(failing * (n + 1))]);
        // The leading block B of order k = failing is (n − 1) I + 1 1ᵀ, hence 1ᵀ B⁻¹ 1 = k / (n − 1 + k).
        const double pivot = entry - static_cast<double>(failing) / (n - 1 + failing);
        const double bound = 4.0 * n * static_cast<double>(std::numeric_limits<T>::epsilon());
        EXPECT_TRUE(std::isnan(reported) || std::abs(reported - pivot) <= bound)
            << "n " << n << ", column " << failing << ": reported " << reported << ", pivot " << pivot;
      }
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
