#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/cuda/factor_kernels.hpp"
#include "tests/kernels/cuda/device_array.hpp"

namespace gpusupernodal::test {
namespace {

using cuda::DiagonalTask;
using cuda::PanelInfo;
using cuda::TrsmTask;

/// Two panels of three block columns. The test factorizes the block column that begins at column 64.
template <class T>
class BlockColumns : public ::testing::Test {
 protected:
  static constexpr int panels = 2;
  static constexpr int column = 64;

  bool factorize(int width, int below) {
    width_ = width;
    front_ = column + width + below;
    ld_ = front_ + 1;
    size_ = static_cast<std::size_t>(ld_) * static_cast<std::size_t>(column + width);
    before_ = random_values<T>(panels * size_ + cuda::overread, static_cast<std::uint64_t>(100 * width + below));
    for (int p = 0; p < panels; ++p) {
      for (int j = column; j < column + width; ++j) before_[at(p, j, j)] = static_cast<T>(width + 1);
    }
    return run();
  }

  /// Factorizes twice: what the first run leaves in the counters must not disturb the second run.
  bool run() {
    const auto offset = static_cast<std::int64_t>(size_);
    const DeviceArray<PanelInfo> infos(
        {PanelInfo{0, 0, 0, column + width_, front_, ld_}, PanelInfo{offset, 0, 0, column + width_, front_, ld_}});
    const DeviceArray<DiagonalTask> blocks({DiagonalTask{0, column, width_, 0}, DiagonalTask{1, column, width_, 0}});
    std::vector<TrsmTask> rows;
    for (int p = 0; p < panels; ++p) {
      for (int row = column + width_; row < front_; row += cuda::tile_size) rows.push_back({p, column, width_, row});
    }
    const auto count = static_cast<int>(rows.size());
    rows.push_back({});
    const DeviceArray<TrsmTask> tasks(rows);
    const DeviceArray<std::int32_t> readers(std::vector<std::int32_t>(panels, 0));
    if (!cuda::prepare_block_columns<T>()) return false;
    for (int repetition = 0; repetition < 2; ++repetition) {
      const DeviceArray<T> values(before_);
      cuda::FactorData<T> data{values.get(), infos.get()};
      data.readers = readers.get();
      cuda::factor_block_columns<T>(data, blocks.get(), panels, tasks.get(), count, nullptr);
      after_ = values.host();
    }
    return true;
  }

  std::size_t at(int p, int i, int j) const {
    return static_cast<std::size_t>(p) * size_ + static_cast<std::size_t>(i + j * ld_);
  }
  double before(int p, int i, int j) const { return static_cast<double>(before_[at(p, column + i, column + j)]); }
  double after(int p, int i, int j) const { return static_cast<double>(after_[at(p, column + i, column + j)]); }
  double tolerance() const { return 8.0 * width_ * width_ * static_cast<double>(std::numeric_limits<T>::epsilon()); }

  /// Largest |L·Lᵀ − A|, including the rows below the diagonal block.
  double product_error(int p) const {
    double largest = 0.0;
    for (int i = 0; i < front_ - column; ++i) {
      for (int j = 0; j <= std::min(i, width_ - 1); ++j) {
        double sum = 0.0;
        for (int k = 0; k <= j; ++k) sum += after(p, i, k) * after(p, j, k);
        largest = std::max(largest, std::abs(sum - before(p, i, j)));
      }
    }
    return largest;
  }

  /// Largest |X·L − I|, with the inverse X stored above the diagonal.
  double inverse_error(int p) const {
    double largest = 0.0;
    for (int i = 0; i < width_; ++i) {
      for (int j = 0; j <= i; ++j) {
        double sum = after(p, i, j) / after(p, i, i);
        for (int k = j; k < i; ++k) sum += after(p, k, i) * after(p, k, j);
        largest = std::max(largest, std::abs(sum - (i == j ? 1.0 : 0.0)));
      }
    }
    return largest;
  }

  int width_ = 0, front_ = 0, ld_ = 0;
  std::size_t size_ = 0;
  std::vector<T> before_, after_;
};

using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(BlockColumns, Scalars);

TYPED_TEST(BlockColumns, ComputeFactorInverseAndRowsBelow) {
  SKIP_WITHOUT_DEVICE();
  for (const int width : {1, 2, 5, 8, 15, 16, 17, 31, 32, 33, 47, 48, 50, 63, 64}) {
    for (const int below : {0, 1, 31, 33, 63, 64, 65, 200}) {
      if (!this->factorize(width, below)) GTEST_SKIP() << "the device has not enough shared memory";
      for (int p = 0; p < this->panels; ++p) {
        EXPECT_LE(this->product_error(p), this->tolerance()) << "width " << width << ", rows below " << below;
        EXPECT_LE(this->inverse_error(p), this->tolerance()) << "width " << width << ", rows below " << below;
      }
      for (std::size_t e = 0; e < this->size_; ++e) {
        if (static_cast<int>(e) / this->ld_ >= this->column && static_cast<int>(e) % this->ld_ < this->front_) continue;
        ASSERT_EQ(this->after_[e], this->before_[e]) << "entries outside the block column must not change";
      }
    }
  }
}

TYPED_TEST(BlockColumns, FailedPivotStaysAndTheRestIsFinite) {
  SKIP_WITHOUT_DEVICE();
  const int width = 50;
  const int failed = 20;
  if (!this->factorize(width, 130)) GTEST_SKIP() << "the device has not enough shared memory";
  this->before_[this->at(1, this->column + failed, this->column + failed)] = TypeParam(-3 * width);
  this->run();
  EXPECT_LE(this->after(1, failed, failed), -3.0 * width);
  for (int i = 0; i < width + 130; ++i) {
    for (int j = 0; j <= std::min(i, width - 1); ++j) EXPECT_TRUE(std::isfinite(this->after(1, i, j)));
  }
  EXPECT_LE(this->product_error(0), this->tolerance()) << "of the other panel";
}

}  // namespace
}  // namespace gpusupernodal::test
