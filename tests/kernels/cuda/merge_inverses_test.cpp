#include <gtest/gtest.h>

#include <limits>

#include "kernels/cuda/solve_kernels.hpp"
#include "tests/kernels/cuda/device_array.hpp"

namespace gpusupernodal::test {
namespace {

template <class T>
class MergeInversesKernels : public ::testing::Test {};

using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MergeInversesKernels, Scalars);

/// [A 0; B C]⁻¹ from the known inverses of A and C: the kernel writes the transpose of −C⁻¹ B A⁻¹ between them.
TYPED_TEST(MergeInversesKernels, MergesInverses) {
  SKIP_WITHOUT_DEVICE();
  using T = TypeParam;
  for (const int half : {64, 128, 256}) {
    for (const int width : {1, half / 2 + 3, half}) {
      const int n = half + width;
      std::vector<T> before = random_values<T>(static_cast<std::size_t>(n * n), 9);
      const auto at = [&](int i, int j) { return static_cast<std::size_t>(i + j * n); };
      for (int j = 0; j < n; ++j) before[at(j, j)] = T(2);
      const DeviceArray<T> values(before);
      const DeviceArray<cuda::PanelInfo> panels({cuda::PanelInfo{0, 0, 0, n, n, n}});
      const DeviceArray<cuda::MergeInversesTask> tasks({cuda::MergeInversesTask{0, 0, half, width}});
      cuda::merge_block_inverses<T>(values.get(), 0, panels.get(), tasks.get(), 1, half, nullptr);
      const std::vector<T> after = values.host();
      const auto inverse = [&](int j, int k) { return k == j ? 0.5 : static_cast<double>(before[at(k, j)]); };
      const double tolerance = 4.0 * n * n * static_cast<double>(std::numeric_limits<T>::epsilon());
      for (int k = 0; k < half; k += 13) {
        std::vector<double> product(static_cast<std::size_t>(width), 0.0);
        for (int i = 0; i < width; ++i) {
          for (int p = k; p < half; ++p) {
            product[static_cast<std::size_t>(i)] += static_cast<double>(before[at(half + i, p)]) * inverse(p, k);
          }
        }
        for (int j = 0; j < width; ++j) {
          double sum = 0.0;
          for (int i = 0; i <= j; ++i) sum -= inverse(half + j, half + i) * product[static_cast<std::size_t>(i)];
          ASSERT_NEAR(after[at(k, half + j)], sum, tolerance) << "half " << half << ", width " << width;
        }
      }
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
