#include <gtest/gtest.h>

#include <limits>

#include "kernels/cuda/solve_kernels.hpp"
#include "tests/kernels/cuda/device_array.hpp"

namespace gpusupernodal::test {
namespace {

template <class T>
class MergeInversesKernels : public ::testing::Test {};

using AllScalars = ::testing::Types<float, double, cuda::Complex<float>, cuda::Complex<double>>;
TYPED_TEST_SUITE(MergeInversesKernels, AllScalars);

/// [A 0; B C]⁻¹ from the known inverses of A and C: the kernel writes the transpose or the adjoint of −C⁻¹ B A⁻¹ between
/// them.
template <class T>
void expect_merged(bool is_adjoint) {
  using W = Wide<T>;
  cuda::prepare_inverse_merges<T>(is_adjoint);
  for (const int half : {64, 128, 256}) {
    for (const int width : {1, half / 2 + 3, half}) {
      const int n = half + width;
      std::vector<T> before = random_values<T>(static_cast<std::size_t>(n * n), 9);
      const auto at = [&](int i, int j) { return static_cast<std::size_t>(i + j * n); };
      for (int j = 0; j < n; ++j) before[at(j, j)] = T(2);
      const DeviceArray<T> values(before);
      const DeviceArray<cuda::PanelInfo> panels({cuda::PanelInfo{0, 0, 0, n, n, n}});
      const DeviceArray<cuda::MergeInversesTask> tasks({cuda::MergeInversesTask{0, 0, half, width}});
      cuda::merge_block_inverses<T>(values.get(), {0, is_adjoint}, panels.get(), tasks.get(), 1, half, nullptr);
      const std::vector<T> after = values.host();
      const auto as_stored = [&](W value) { return is_adjoint ? adjoint(value) : value; };
      const auto inverse = [&](int j, int k) { return k == j ? W(0.5) : as_stored(static_cast<W>(before[at(k, j)])); };
      const double tolerance = 4.0 * complex_terms<T> * n * n * epsilon_of<T>;
      for (int k = 0; k < half; k += 13) {
        std::vector<W> product(static_cast<std::size_t>(width), W(0.0));
        for (int i = 0; i < width; ++i) {
          for (int p = k; p < half; ++p) {
            product[static_cast<std::size_t>(i)] += static_cast<W>(before[at(half + i, p)]) * inverse(p, k);
          }
        }
        for (int j = 0; j < width; ++j) {
          W sum(0.0);
          for (int i = 0; i <= j; ++i) sum -= inverse(half + j, half + i) * product[static_cast<std::size_t>(i)];
          ASSERT_LE(modulus(static_cast<W>(after[at(k, half + j)]) - as_stored(sum)), tolerance)
              << "half " << half << ", width " << width;
        }
      }
    }
  }
}

TYPED_TEST(MergeInversesKernels, MergesInverses) {
  SKIP_WITHOUT_DEVICE();
  for (const bool is_adjoint : {true, false}) expect_merged<TypeParam>(is_adjoint);
}

}  // namespace
}  // namespace gpusupernodal::test
