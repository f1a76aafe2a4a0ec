#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/cuda/factor_kernels.hpp"
#include "tests/kernels/cuda/device_array.hpp"

namespace gpusupernodal::test {
namespace {

using cuda::DiagonalTask;
using cuda::PanelInfo;

/// Panel with a diagonally dominant diagonal block: the factor is well conditioned, so c·w·eps bounds all errors.
template <class T>
std::vector<T> dominant_panel(int width, int ld, std::uint64_t seed) {
  std::vector<T> panel = random_values<T>(static_cast<std::size_t>(ld * width) + cuda::overread, seed);
  for (int j = 0; j < width; ++j) panel[static_cast<std::size_t>(j + j * ld)] = static_cast<T>(width + 1);
  return panel;
}

template <class T>
class DiagonalKernels : public ::testing::Test {
 protected:
  static constexpr int rows_below = 45;

  void factorize(int width) {
    width_ = width;
    front_ = width + rows_below;
    ld_ = front_ + 2;
    before_ = dominant_panel<T>(width, ld_, static_cast<std::uint64_t>(width));
    run();
  }

  void run() {
    const DeviceArray<T> values(before_);
    const DeviceArray<PanelInfo> panels({PanelInfo{0, 0, 0, width_, front_, ld_}});
    const DeviceArray<DiagonalTask> tasks({DiagonalTask{0, 0, width_, 0}});
    const cuda::FactorData<T> data{values.get(), panels.get()};
    cuda::factor_diagonal<T>(data, tasks.get(), 1, nullptr);
    after_ = values.host();
  }

  double before(int i, int j) const { return static_cast<double>(before_[static_cast<std::size_t>(i + j * ld_)]); }
  double after(int i, int j) const { return static_cast<double>(after_[static_cast<std::size_t>(i + j * ld_)]); }
  double tolerance() const { return 8.0 * width_ * width_ * static_cast<double>(std::numeric_limits<T>::epsilon()); }

  /// Largest |L·Lᵀ − A| in the lower triangle.
  double product_error() const {
    double largest = 0.0;
    for (int i = 0; i < width_; ++i) {
      for (int j = 0; j <= i; ++j) {
        double sum = 0.0;
        for (int k = 0; k <= j; ++k) sum += after(i, k) * after(j, k);
        largest = std::max(largest, std::abs(sum - before(i, j)));
      }
    }
    return largest;
  }

  /// Largest |X·L − I|, with the inverse X stored above the diagonal.
  double inverse_error() const {
    double largest = 0.0;
    for (int i = 0; i < width_; ++i) {
      for (int j = 0; j <= i; ++j) {
        double sum = after(i, j) / after(i, i);
        for (int k = j; k < i; ++k) sum += after(k, i) * after(k, j);
        largest = std::max(largest, std::abs(sum - (i == j ? 1.0 : 0.0)));
      }
    }
    return largest;
  }

  int width_ = 0, front_ = 0, ld_ = 0;
  std::vector<T> before_, after_;
};

using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(DiagonalKernels, Scalars);

TYPED_TEST(DiagonalKernels, ComputeFactorAndInverseForEveryWidth) {
  SKIP_WITHOUT_DEVICE();
  for (int width = 1; width <= cuda::tile_size; ++width) {
    this->factorize(width);
    EXPECT_LE(this->product_error(), this->tolerance()) << "width " << width;
    EXPECT_LE(this->inverse_error(), this->tolerance()) << "width " << width;
    EXPECT_EQ(this->after(width, 0), this->before(width, 0)) << "rows below must not change, width " << width;
  }
}

TYPED_TEST(DiagonalKernels, FailedPivotStaysAndTheRestIsFinite) {
  SKIP_WITHOUT_DEVICE();
  for (const int width : {1, 7, 20, 32, 33, 50, 64}) {
    for (const int failed : {0, width / 2, width - 1}) {
      this->factorize(width);
      const auto index = static_cast<std::size_t>(failed + failed * this->ld_);
      this->before_[index] = static_cast<TypeParam>(-3.0 * width);
      this->run();
      EXPECT_LE(this->after(failed, failed), -3.0 * width) << "width " << width << ", column " << failed;
      for (int j = 0; j < failed; ++j) EXPECT_GT(this->after(j, j), 0.0);
      for (int j = failed + 1; j < width; ++j) EXPECT_TRUE(std::isfinite(this->after(j, j)));
    }
  }
}

/// A pivot outside the range must not leave a positive value, which the solver would accept as a valid root.
TYPED_TEST(DiagonalKernels, PivotOutsideTheRangeOfRootsFails) {
  SKIP_WITHOUT_DEVICE();
  using Limits = std::numeric_limits<TypeParam>;
  for (const TypeParam pivot : {Limits::denorm_min(), Limits::min() / 2, Limits::max() / 2, Limits::max()}) {
    for (const int width : {1, 20, 64}) {
      this->factorize(width);
      const int column = width - 1;
      for (int j = 0; j < column; ++j) this->before_[static_cast<std::size_t>(column + j * this->ld_)] = TypeParam(0);
      this->before_[static_cast<std::size_t>(column + column * this->ld_)] = pivot;
      this->run();
      EXPECT_FALSE(this->after(column, column) > 0.0) << "pivot " << pivot << ", width " << width;
    }
  }
}

/// Two panels whose first 64 columns are final and update the next block column.
template <class T>
class BlocksWithUpdates : public ::testing::Test {
 protected:
  static constexpr int column = cuda::tile_size;
  static constexpr int panels = 2;

  void run(int width, int below) {
    width_ = width;
    front_ = column + width + below;
    ld_ = (front_ + 3) / 4 * 4;
    size_ = static_cast<std::size_t>(ld_) * static_cast<std::size_t>(column + width);
    before_ = random_values<T>(panels * size_ + cuda::overread, static_cast<std::uint64_t>(100 * width + below));
    for (int p = 0; p < panels; ++p) {
      for (int j = column; j < column + width; ++j) before_[at(p, j, j)] = static_cast<T>(column + width + 1);
    }
    const auto offset = static_cast<std::int64_t>(size_);
    const DeviceArray<PanelInfo> infos(
        {PanelInfo{0, 0, 0, column + width, front_, ld_}, PanelInfo{offset, 0, 0, column + width, front_, ld_}});
    std::vector<DiagonalTask> blocks;
    std::vector<cuda::ProductTask> tiles;
    for (int p = 0; p < panels; ++p) {
      blocks.push_back({p, column, width, column});
      for (int row = 2 * column; row < front_; row += cuda::tile_size)
        tiles.push_back({p, 0, column, row, column, column, column + width});
    }
    const auto count = static_cast<int>(tiles.size());
    tiles.push_back({});
    const DeviceArray<DiagonalTask> device_blocks(blocks);
    const DeviceArray<cuda::ProductTask> device_tiles(tiles);
    cuda::prepare_factor_kernels<T>();
    for (const bool together : {false, true}) {
      const DeviceArray<T> values(before_);
      const cuda::FactorData<T> data{values.get(), infos.get()};
      if (together) {
        cuda::factor_diagonal_and_apply_updates<T>(data, device_blocks.get(), panels, device_tiles.get(), count, nullptr);
      } else {
        cuda::factor_diagonal<T>(data, device_blocks.get(), panels, nullptr);
        cuda::apply_updates<T>(data, device_tiles.get(), count, nullptr);
      }
      after_ = values.host();
      check();
    }
  }

  std::size_t at(int p, int i, int j) const {
    return static_cast<std::size_t>(p) * size_ + static_cast<std::size_t>(i + j * ld_);
  }
  double before(int p, int i, int j) const { return static_cast<double>(before_[at(p, i, j)]); }
  double after(int p, int i, int j) const { return static_cast<double>(after_[at(p, i, j)]); }

  /// Entry of the block column after the update by the first 64 columns.
  double updated(int p, int i, int j) const {
    double sum = before(p, i, j);
    for (int k = 0; k < column; ++k) sum -= before(p, i, k) * before(p, j, k);
    return sum;
  }

  void check() const {
    const double tolerance = 8.0 * (width_ + column) * column * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (int p = 0; p < panels; ++p) {
      for (int j = column; j < column + width_; ++j) {
        for (int i = j; i < front_; ++i) {
          double product = after(p, i, j);
          if (i < column + width_) {
            product = 0.0;
            for (int k = column; k <= j; ++k) product += after(p, i, k) * after(p, j, k);
          }
          ASSERT_NEAR(product, updated(p, i, j), tolerance) << "width " << width_ << ", entry " << i << ", " << j;
        }
      }
      for (int j = 0; j < column; ++j) {
        for (int i = 0; i < front_; ++i)
          ASSERT_EQ(after_[at(p, i, j)], before_[at(p, i, j)]) << "columns before must not change";
      }
    }
  }

  int width_ = 0, front_ = 0, ld_ = 0;
  std::size_t size_ = 0;
  std::vector<T> before_, after_;
};

TYPED_TEST_SUITE(BlocksWithUpdates, Scalars);

TYPED_TEST(BlocksWithUpdates, ApplyUpdatesOfEarlierColumns) {
  SKIP_WITHOUT_DEVICE();
  for (const int width : {1, 4, 9, 16, 17, 32, 33, 50, 63, 64}) {
    for (const int below : {0, 1, 31, 64, 150}) this->run(width, below);
  }
}

}  // namespace
}  // namespace gpusupernodal::test
