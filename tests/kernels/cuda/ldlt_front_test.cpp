/// Whole fronts of LDLᵀ: W with A = W·S·Wᵀ, its inverse, the pivots, and the updates of an ancestor.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/common/tile_shapes.hpp"
#include "kernels/cuda/ldlt_kernels.hpp"
#include "tests/kernels/cuda/device_array.hpp"

namespace gpusupernodal::test {
namespace {

using cuda::DeviceStatus;
using cuda::FrontTask;
using cuda::PanelInfo;
using cuda::UpdateInfo;

/// A front that updates one dense target. Row i below the supernode is row and column 2i of the target.
template <class T>
class WholeLdltFronts : public ::testing::Test {
 protected:
  static constexpr int first_column = 5;  ///< First column of the front in the matrix.
  static constexpr double perturbation = 1e-3;

  void prepare(int width, int front) {
    width_ = width;
    front_ = front;
    ld_ = front + 1;
    below_ = front - width;
    target_ = static_cast<std::int64_t>(ld_) * width;
    ld_target_ = 2 * below_ + 1;
    const std::size_t entries = static_cast<std::size_t>(target_ + std::int64_t{ld_target_} * 2 * below_) + cuda::overread;
    before_ = random_values<T>(entries, static_cast<std::uint64_t>(1000 * width + front));
    for (int j = 0; j < width; ++j) before_[at(j, j)] = static_cast<T>((j % 3 == 0 ? -1 : 1) * (width + 1));
  }

  void run() {
    std::vector<std::int32_t> relative(static_cast<std::size_t>(below_) + 1);
    for (int i = 0; i < below_; ++i) relative[static_cast<std::size_t>(i)] = 2 * i;
    DeviceStatus status;
    status.largest_in_a = std::bit_cast<std::uint64_t>(1.0);
    const DeviceArray<DeviceStatus> statuses({status});
    const DeviceArray<T> values(before_);
    const DeviceArray<PanelInfo> panels({PanelInfo{0, 0, first_column, width_, front_, ld_}});
    const DeviceArray<UpdateInfo> updates({UpdateInfo{target_, -width_, ld_target_, 0}});
    const DeviceArray<std::int32_t> update_of_row(std::vector<std::int32_t>(relative.size(), 0));
    const DeviceArray<std::int32_t> relative_rows(relative);
    const DeviceArray<FrontTask> tasks({FrontTask{0, cuda::small_stride(width_, front_)}});
    const DeviceArray<T> pivots(std::vector<T>(static_cast<std::size_t>(first_column + width_ + 1), T(77)));
    cuda::LdltData<T> data;
    static_cast<cuda::FactorData<T>&>(data) = {values.get(), panels.get(), updates.get(), update_of_row.get(),
                                               relative_rows.get()};
    data.pivots = pivots.get();
    data.status = statuses.get();
    data.perturbation = perturbation;
    cuda::prepare_ldlt_kernels<T>(false);
    if (apart_ && cuda::is_narrow(width_, front_)) {
      cuda::factor_narrow_ldlt_fronts<T>(data, tasks.get(), 1, nullptr);
    } else if (cuda::is_tiny(width_, front_)) {
      cuda::factor_tiny_ldlt_fronts<T>(data, tasks.get(), 1, nullptr);
    } else {
      cuda::factor_small_ldlt_fronts<T>(data, tasks.get(), 1, static_cast<int>(cuda::small_size(width_, front_)), nullptr);
    }
    after_ = values.host();
    pivots_ = pivots.host();
  }

  std::size_t at(int i, int j) const { return static_cast<std::size_t>(i + static_cast<std::int64_t>(j) * ld_); }
  double w(int i, int j) const { return static_cast<double>(after_[at(i, j)]); }
  double a(int i, int j) const { return static_cast<double>(before_[at(i, j)]); }
  double sign(int k) const { return w(k, k) < 0.0 ? -1.0 : 1.0; }
  double pivot(int k) const { return static_cast<double>(pivots_[static_cast<std::size_t>(first_column + k)]); }
  double tolerance() const { return 16.0 * width_ * width_ * static_cast<double>(std::numeric_limits<T>::epsilon()); }

  /// Largest |W·S·Wᵀ − A| in the front's columns.
  double product_error() const {
    double largest = 0.0;
    for (int j = 0; j < width_; ++j) {
      for (int i = j; i < front_; ++i) {
        double sum = 0.0;
        for (int k = 0; k <= j; ++k) sum += w(i, k) * sign(k) * w(j, k);
        largest = std::max(largest, std::abs(sum - a(i, j)));
      }
    }
    return largest;
  }

  /// Largest |X·W − I|, with the inverse X stored above the diagonal.
  double inverse_error() const {
    double largest = 0.0;
    for (int i = 0; i < width_; ++i) {
      for (int j = 0; j <= i; ++j) {
        double sum = w(i, j) / w(i, i);
        for (int k = j; k < i; ++k) sum += static_cast<double>(after_[at(k, i)]) * w(k, j);
        largest = std::max(largest, std::abs(sum - (i == j ? 1.0 : 0.0)));
      }
    }
    return largest;
  }

  /// Largest difference between a pivot and the square of W's diagonal entry, with its sign. Entries beside must not change.
  double pivot_error() const {
    double largest = 0.0;
    for (int k = 0; k < width_; ++k) largest = std::max(largest, std::abs(pivot(k) - sign(k) * w(k, k) * w(k, k)));
    if (pivot(-1) != 77.0 || pivot(width_) != 77.0) return std::numeric_limits<double>::infinity();
    return largest;
  }

  /// Largest difference between the target and its expected values. The entries between the updated ones must not change.
  double update_error() const {
    const auto begin = before_.begin() + target_;
    std::vector<double> expected(begin, begin + std::int64_t{ld_target_} * 2 * below_);
    for (int j = 0; j < below_; ++j) {
      for (int i = j; i < below_; ++i) {
        double sum = 0.0;
        for (int k = 0; k < width_; ++k) sum += w(width_ + i, k) * sign(k) * w(width_ + j, k);
        expected[static_cast<std::size_t>(2 * i + std::int64_t{2 * j} * ld_target_)] -= sum;
      }
    }
    double largest = 0.0;
    for (std::size_t e = 0; e < expected.size(); ++e) {
      const auto after = static_cast<double>(after_[static_cast<std::size_t>(target_) + e]);
      largest = std::max(largest, std::abs(after - expected[e]));
    }
    return largest;
  }

  bool apart_ = true;  ///< Whether narrow fronts use their separate kernel.
  int width_ = 0, front_ = 0, ld_ = 0, below_ = 0, ld_target_ = 0;
  std::int64_t target_ = 0;
  std::vector<T> before_, after_, pivots_;
};

using LdltFrontScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(WholeLdltFronts, LdltFrontScalars);

TYPED_TEST(WholeLdltFronts, FactorizeEveryWidth) {
  SKIP_WITHOUT_DEVICE();
  for (int width = 1; width <= cuda::tile_size; ++width) {
    for (const int below : {0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 47, 48, 63, 64, 65, 100, 180}) {
      if (!cuda::is_whole_front(width, width + below)) continue;
      for (const bool apart : {false, true}) {
        if (apart && !cuda::is_narrow(width, width + below)) continue;
        this->apart_ = apart;
        this->prepare(width, width + below);
        this->run();
        const std::string what = "width " + std::to_string(width) + ", rows below " + std::to_string(below);
        ASSERT_LE(this->product_error(), this->tolerance()) << what;
        ASSERT_LE(this->inverse_error(), this->tolerance()) << what;
        ASSERT_LE(this->pivot_error(), this->tolerance()) << what;
        ASSERT_LE(this->update_error(), this->tolerance()) << what;
      }
    }
  }
}

TYPED_TEST(WholeLdltFronts, ReplaceSmallPivotsByOnesOfTheirSign) {
  SKIP_WITHOUT_DEVICE();
  constexpr double rounding = 8.0 * static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
  for (const int width : {1, 7, 16, 17, 33, 64}) {
    for (const int small : {0, width / 2, width - 1}) {
      for (const double tiny : {1e-5, -1e-5, 0.0}) {
        this->prepare(width, width + 10);
        // A column that is zero but for a tiny pivot: nothing updates it.
        for (int k = 0; k < small; ++k) this->before_[this->at(small, k)] = TypeParam(0);
        for (int i = small; i < width + 10; ++i) this->before_[this->at(i, small)] = TypeParam(0);
        this->before_[this->at(small, small)] = static_cast<TypeParam>(tiny);
        this->run();
        const double replacement = std::copysign(std::sqrt(this->perturbation), tiny);
        EXPECT_NEAR(this->w(small, small), replacement, rounding * std::abs(replacement)) << width << ", column " << small;
        EXPECT_EQ(this->pivot(small), static_cast<double>(static_cast<TypeParam>(tiny))) << width << ", column " << small;
        EXPECT_LE(this->inverse_error(), this->tolerance()) << width << ", column " << small;
      }
    }
  }
}

TYPED_TEST(WholeLdltFronts, APivotThatIsNotFiniteStays) {
  SKIP_WITHOUT_DEVICE();
  for (const int width : {1, 7, 16, 17, 33, 64}) {
    this->prepare(width, width + 10);
    this->before_[this->at(width / 2, width / 2)] = std::numeric_limits<TypeParam>::quiet_NaN();
    this->run();
    EXPECT_TRUE(std::isnan(this->w(width / 2, width / 2))) << width;
    for (int j = 0; j < width / 2; ++j) EXPECT_TRUE(std::isfinite(this->w(j, j))) << width;
  }
}

}  // namespace
}  // namespace gpusupernodal::test
