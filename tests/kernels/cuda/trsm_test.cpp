#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/cuda/factor_kernels.hpp"
#include "tests/kernels/cuda/device_array.hpp"

namespace gpusupernodal::test {
namespace {

template <class T>
class TrsmBelow : public ::testing::Test {};

using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TrsmBelow, Scalars);

/// The diagonal block holds L with diagonal 2 below and the transposed inverse above the diagonal. The kernel multiplies by
/// the entries above the diagonal, whatever their values, so random entries reveal any wrong index.
TYPED_TEST(TrsmBelow, MultipliesByTheInverseAboveTheDiagonal) {
  SKIP_WITHOUT_DEVICE();
  using T = TypeParam;
  for (const int width : {1, 5, 8, 31, 33, 64}) {
    for (const int rows : {1, 63, 64, 130}) {
      const int column = 64;
      const int front = column + width + rows;
      const int ld = front + 1;
      std::vector<T> before = random_values<T>(static_cast<std::size_t>(ld * (column + width)) + cuda::overread, 7);
      const auto at = [&](int i, int j) { return static_cast<std::size_t>(i + j * ld); };
      for (int j = column; j < column + width; ++j) before[at(j, j)] = T(2);
      std::vector<cuda::TrsmTask> tasks;
      for (int row = column + width; row < front; row += cuda::tile_size) tasks.push_back({0, column, width, row});
      const DeviceArray<T> values(before);
      const DeviceArray<cuda::PanelInfo> panels({cuda::PanelInfo{0, 0, 0, column + width, front, ld}});
      const DeviceArray<cuda::TrsmTask> device_tasks(tasks);
      const cuda::FactorData<T> data{values.get(), panels.get()};
      cuda::prepare_trsm<T>();
      cuda::trsm_below<T>(data, device_tasks.get(), static_cast<int>(tasks.size()), false, nullptr);
      const std::vector<T> after = values.host();
      std::vector<T> expected = before;
      for (int i = column + width; i < front; ++i) {
        for (int j = 0; j < width; ++j) {
          double sum = 0.5 * static_cast<double>(before[at(i, column + j)]);
          for (int k = 0; k < j; ++k) {
            sum += static_cast<double>(before[at(i, column + k)]) * static_cast<double>(before[at(column + k, column + j)]);
          }
          expected[at(i, column + j)] = static_cast<T>(sum);
        }
      }
      const double tolerance = 2.0 * (width + 1) * static_cast<double>(std::numeric_limits<T>::epsilon());
      for (std::size_t e = 0; e < after.size(); ++e) {
        ASSERT_NEAR(after[e], expected[e], tolerance) << "width " << width << ", rows " << rows << ", value " << e;
      }
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
