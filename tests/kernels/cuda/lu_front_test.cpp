#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/common/tile_shapes.hpp"
#include "kernels/cuda/lu_kernels.hpp"
#include "tests/kernels/cuda/device_array.hpp"

namespace gpusupernodal::test {
namespace {

using cuda::DeviceStatus;
using cuda::FrontTask;
using cuda::PanelInfo;
using cuda::UpdateInfo;

constexpr std::int32_t panels_of_lu = 2;

/// A front of LU that updates one dense target. Row i below the supernode is row and column 2i of the target.
template <class T>
class WholeLuFronts : public ::testing::Test {
 protected:
  void prepare(int width, int front) {
    width_ = width;
    front_ = front;
    ld_ = front + 1;
    below_ = front - width;
    target_ = static_cast<std::int64_t>(ld_) * width;
    ld_target_ = 2 * below_ + 1;
    partner_ = (target_ + std::int64_t{ld_target_} * 2 * below_ + 3) / 4 * 4;
    before_ = random_values<T>(static_cast<std::size_t>(2 * partner_) + cuda::overread,
                               static_cast<std::uint64_t>(1000 * width + front));
    for (int j = 0; j < width; ++j) before_[of_u(j, j)] = static_cast<T>((j % 3 == 0 ? -1 : 1) * (width + 1));
  }

  void run() {
    std::vector<std::int32_t> relative(static_cast<std::size_t>(below_) + 1);
    for (int i = 0; i < below_; ++i) relative[static_cast<std::size_t>(i)] = 2 * i;
    DeviceStatus status;
    status.largest_in_a = std::bit_cast<std::uint64_t>(1.0);
    status.smallest_pivot = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());
    status.smallest_pivot_key = cuda::no_pivot_key;
    const DeviceArray<DeviceStatus> statuses({status});
    const DeviceArray<T> values(before_);
    const DeviceArray<PanelInfo> panels({PanelInfo{0, 0, 100, width_, front_, ld_}});
    const DeviceArray<UpdateInfo> updates({UpdateInfo{target_, -width_, ld_target_, 0}});
    const DeviceArray<std::int32_t> update_of_row(std::vector<std::int32_t>(relative.size(), 0));
    const DeviceArray<std::int32_t> relative_rows(relative);
    const DeviceArray<FrontTask> tasks({FrontTask{0, cuda::small_stride(width_, front_)}});
    cuda::LuData<T> lu;
    lu.data = {values.get(), panels.get(), updates.get(), update_of_row.get(), relative_rows.get()};
    lu.partner = partner_;
    lu.status = statuses.get();
    lu.perturbation = perturbation;
    cuda::prepare_lu_kernels<T>();
    if (apart_ && cuda::is_narrow(width_, front_)) {
      cuda::factor_narrow_lu_fronts<T>(lu, tasks.get(), 1, nullptr);
    } else if (cuda::is_tiny(width_, front_)) {
      cuda::factor_tiny_lu_fronts<T>(lu, tasks.get(), 1, nullptr);
    } else {
      cuda::factor_small_lu_fronts<T>(lu, tasks.get(), 1, static_cast<int>(cuda::small_size(width_, front_)), nullptr);
    }
    after_ = values.host();
    status_ = statuses.host().front();
  }

  std::size_t of_l(int i, int j) const { return static_cast<std::size_t>(i + static_cast<std::int64_t>(j) * ld_); }
  std::size_t of_u(int i, int j) const { return of_l(i, j) + static_cast<std::size_t>(partner_); }
  double l(int i, int j) const { return i == j ? 1.0 : static_cast<double>(after_[of_l(i, j)]); }
  double u(int i, int j) const { return static_cast<double>(after_[of_u(j, i)]); }
  double a(int i, int j) const { return static_cast<double>(before_[i > j ? of_l(i, j) : of_u(j, i)]); }
  double tolerance() const { return 16.0 * width_ * width_ * static_cast<double>(std::numeric_limits<T>::epsilon()); }

  /// Largest |L·U − A| in the front's columns and rows.
  double product_error() const {
    double largest = 0.0;
    for (int i = 0; i < front_; ++i) {
      for (int j = 0; j < front_; ++j) {
        if (std::min(i, j) >= width_) continue;
        double sum = 0.0;
        for (int k = 0; k <= std::min(i, j); ++k) sum += l(i, k) * u(k, j);
        largest = std::max(largest, std::abs(sum - a(i, j)));
      }
    }
    return largest;
  }

  /// Largest |X·L − I| and |Y·Uᵀ − I|, with the inverses X and Y stored above the diagonals.
  double inverse_error() const {
    double largest = 0.0;
    for (int i = 0; i < width_; ++i) {
      for (int j = 0; j <= i; ++j) {
        double of_lower = l(i, j) / l(i, i), of_upper = u(j, i) / u(i, i);
        for (int k = j; k < i; ++k) {
          of_lower += static_cast<double>(after_[of_l(k, i)]) * l(k, j);
          of_upper += static_cast<double>(after_[of_u(k, i)]) * u(j, k);
        }
        const double one = i == j ? 1.0 : 0.0;
        largest = std::max({largest, std::abs(of_lower - one), std::abs(of_upper - one)});
      }
    }
    return largest;
  }

  /// Largest difference between the targets and their expected values. The entries between the updated ones must not change.
  double update_error() const {
    double largest = 0.0;
    for (const bool upper : {false, true}) {
      const auto begin = before_.begin() + target_ + (upper ? partner_ : 0);
      std::vector<double> expected(begin, begin + std::int64_t{ld_target_} * 2 * below_);
      for (int j = 0; j < below_; ++j) {
        for (int i = j; i < below_; ++i) {
          double sum = 0.0;
          for (int k = 0; k < width_; ++k)
            sum += upper ? u(k, width_ + i) * l(width_ + j, k) : l(width_ + i, k) * u(k, width_ + j);
          expected[static_cast<std::size_t>(2 * i + std::int64_t{2 * j} * ld_target_)] -= sum;
        }
      }
      const auto after = after_.begin() + target_ + (upper ? partner_ : 0);
      for (std::size_t e = 0; e < expected.size(); ++e)
        largest = std::max(largest, std::abs(static_cast<double>(after[static_cast<std::ptrdiff_t>(e)]) - expected[e]));
    }
    return largest;
  }

  static constexpr double perturbation = 1e-3;
  bool apart_ = true;  ///< Whether narrow fronts use their separate kernel.
  int width_ = 0, front_ = 0, ld_ = 0, below_ = 0, ld_target_ = 0;
  std::int64_t target_ = 0, partner_ = 0;
  std::vector<T> before_, after_;
  DeviceStatus status_;
};

using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(WholeLuFronts, Scalars);

TYPED_TEST(WholeLuFronts, FactorizeEveryWidth) {
  SKIP_WITHOUT_DEVICE();
  for (int width = 1; width <= cuda::tile_size; ++width) {
    for (const int below : {0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 47, 48, 63, 64, 65, 100, 180}) {
      if (!cuda::is_whole_front(width, width + below, panels_of_lu)) continue;
      for (const bool apart : {false, true}) {
        if (apart && !cuda::is_narrow(width, width + below)) continue;
        this->apart_ = apart;
        this->prepare(width, width + below);
        this->run();
        ASSERT_LE(this->product_error(), this->tolerance()) << "width " << width << ", rows below " << below;
        ASSERT_LE(this->inverse_error(), this->tolerance()) << "width " << width << ", rows below " << below;
        ASSERT_LE(this->update_error(), this->tolerance()) << "width " << width << ", rows below " << below;
        ASSERT_EQ(this->status_.replaced_pivots, 0) << "width " << width << ", rows below " << below;
      }
    }
  }
}

TYPED_TEST(WholeLuFronts, ReplaceSmallPivotsAndNoteThem) {
  SKIP_WITHOUT_DEVICE();
  constexpr double tiny = 1e-5;
  constexpr double rounding = 4.0 * static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
  for (const int width : {1, 7, 16, 17, 33, 40}) {
    for (const int small : {0, width / 2, width - 1}) {
      this->prepare(width, width + 10);
      // A column that is zero but for a tiny pivot: nothing updates it.
      for (int i = 0; i < width + 10; ++i) {
        this->before_[this->of_u(i, small)] = TypeParam(0);
        if (i < small) this->before_[this->of_u(small, i)] = TypeParam(0);
        if (i < small) this->before_[this->of_l(small, i)] = TypeParam(0);
      }
      this->before_[this->of_u(small, small)] = TypeParam(-tiny);
      this->run();
      EXPECT_EQ(this->status_.replaced_pivots, 1) << "width " << width << ", column " << small;
      EXPECT_EQ(this->status_.smallest_pivot_key & 0xffffffffU, static_cast<std::uint64_t>(100 + small));
      EXPECT_NEAR(std::bit_cast<double>(this->status_.smallest_pivot), tiny, rounding * tiny);
      EXPECT_NEAR(this->u(small, small), -this->perturbation, rounding * this->perturbation)
          << "width " << width << ", column " << small;
    }
  }
}

TYPED_TEST(WholeLuFronts, APivotThatIsNotFiniteStays) {
  SKIP_WITHOUT_DEVICE();
  for (const int width : {1, 7, 16, 17, 33, 40}) {
    this->prepare(width, width + 10);
    this->before_[this->of_u(width / 2, width / 2)] = std::numeric_limits<TypeParam>::quiet_NaN();
    this->run();
    EXPECT_TRUE(std::isnan(this->u(width / 2, width / 2))) << width;
    for (int j = 0; j < width / 2; ++j) EXPECT_TRUE(std::isfinite(this->u(j, j))) << width;
  }
}

}  // namespace
}  // namespace gpusupernodal::test
