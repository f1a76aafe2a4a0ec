#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/common/tile_shapes.hpp"
#include "kernels/cuda/factor_kernels.hpp"
#include "tests/kernels/cuda/device_array.hpp"

namespace gpusupernodal::test {
namespace {

using cuda::FrontTask;
using cuda::PanelInfo;
using cuda::UpdateInfo;

/// A front that updates one dense target. Row i below the supernode is row and column 2i of the target.
template <class T>
class WholeFronts : public ::testing::Test {
 protected:
  using Real = typename ScalarTraits<T>::Real;
  using W = Wide<T>;

  void factorize(int width, int front) {
    width_ = width;
    front_ = front;
    ld_ = front + 1;
    below_ = front - width;
    target_ = static_cast<std::int64_t>(ld_) * width;
    ld_target_ = 2 * below_ + 1;
    before_ = random_values<T>(static_cast<std::size_t>(target_ + std::int64_t{ld_target_} * 2 * below_) + cuda::overread,
                               static_cast<std::uint64_t>(1000 * width + front));
    for (int j = 0; j < width; ++j)
      before_[at(j, j)] = T(static_cast<Real>(ScalarTraits<T>::is_complex ? 2 * (width + 1) : width + 1));
    run();
  }

  void run() {
    std::vector<std::int32_t> relative(static_cast<std::size_t>(below_) + 1);
    for (int i = 0; i < below_; ++i) relative[static_cast<std::size_t>(i)] = 2 * i;
    const DeviceArray<T> values(before_);
    const DeviceArray<PanelInfo> panels({PanelInfo{0, 0, 0, width_, front_, ld_}});
    const DeviceArray<UpdateInfo> updates({UpdateInfo{target_, -width_, ld_target_, 0}});
    const DeviceArray<std::int32_t> update_of_row(std::vector<std::int32_t>(relative.size(), 0));
    const DeviceArray<std::int32_t> relative_rows(relative);
    const DeviceArray<FrontTask> tasks({FrontTask{0, cuda::small_stride(width_, front_)}});
    const cuda::FactorData<T> data{values.get(), panels.get(), updates.get(), update_of_row.get(), relative_rows.get()};
    cuda::prepare_factor_kernels<T>();
    if (apart_ && cuda::is_narrow(width_, front_)) {
      cuda::factor_narrow_fronts<T>(data, tasks.get(), 1, nullptr);
    } else if (cuda::is_tiny(width_, front_)) {
      cuda::factor_tiny_fronts<T>(data, tasks.get(), 1, nullptr);
    } else {
      cuda::factor_small_fronts<T>(data, tasks.get(), 1, static_cast<int>(cuda::small_size(width_, front_)), nullptr);
    }
    after_ = values.host();
  }

  std::size_t at(int i, int j) const { return static_cast<std::size_t>(i + static_cast<std::int64_t>(j) * ld_); }
  W before(int i, int j) const { return static_cast<W>(before_[at(i, j)]); }
  W after(int i, int j) const { return static_cast<W>(after_[at(i, j)]); }
  double root(int j) const { return static_cast<double>(ScalarTraits<W>::real(after(j, j))); }
  double tolerance() const { return 8.0 * complex_terms<T> * width_ * width_ * epsilon_of<T>; }

  /// Largest |L·Lᴴ − A| in the panel's lower trapezoid.
  double product_error() const {
    double largest = 0.0;
    for (int i = 0; i < front_; ++i) {
      for (int j = 0; j <= std::min(i, width_ - 1); ++j) {
        W sum(0.0);
        for (int k = 0; k <= j; ++k) sum += after(i, k) * adjoint(after(j, k));
        largest = std::max(largest, modulus(sum - before(i, j)));
      }
    }
    return largest;
  }

  /// Largest |X·L − I|, with Xᴴ stored above the diagonal, X being the inverse.
  double inverse_error() const {
    double largest = 0.0;
    for (int i = 0; i < width_; ++i) {
      for (int j = 0; j <= i; ++j) {
        W sum = after(i, j) * (1.0 / root(i));
        for (int k = j; k < i; ++k) sum += adjoint(after(k, i)) * after(k, j);
        largest = std::max(largest, modulus(sum - W(i == j ? 1.0 : 0.0)));
      }
    }
    return largest;
  }

  /// Largest difference between the target and its expected values. The entries between the updated ones must not change.
  double update_error() const {
    std::vector<W> expected(before_.begin() + target_, before_.end());
    for (int j = 0; j < below_; ++j) {
      for (int i = j; i < below_; ++i) {
        W sum(0.0);
        for (int k = 0; k < width_; ++k) sum += after(width_ + i, k) * adjoint(after(width_ + j, k));
        expected[static_cast<std::size_t>(2 * i + std::int64_t{2 * j} * ld_target_)] -= sum;
      }
    }
    double largest = 0.0;
    for (std::size_t e = 0; e < expected.size(); ++e) {
      largest = std::max(largest, modulus(static_cast<W>(after_[static_cast<std::size_t>(target_) + e]) - expected[e]));
    }
    return largest;
  }

  bool apart_ = true;  ///< Whether narrow fronts use their separate kernel.
  int width_ = 0, front_ = 0, ld_ = 0, below_ = 0, ld_target_ = 0;
  std::int64_t target_ = 0;
  std::vector<T> before_, after_;
};

using AllScalars = ::testing::Types<float, double, cuda::Complex<float>, cuda::Complex<double>>;
TYPED_TEST_SUITE(WholeFronts, AllScalars);

TYPED_TEST(WholeFronts, FactorizeEveryWidth) {
  SKIP_WITHOUT_DEVICE();
  for (int width = 1; width <= cuda::tile_size; ++width) {
    for (const int below : {0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 47, 48, 63, 64, 65, 100, 180, 250}) {
      if (!cuda::is_whole_front(width, width + below)) continue;
      for (const bool apart : {false, true}) {
        if (apart && !cuda::is_narrow(width, width + below)) continue;
        this->apart_ = apart;
        this->factorize(width, width + below);
        ASSERT_LE(this->product_error(), this->tolerance()) << "width " << width << ", rows below " << below;
        ASSERT_LE(this->inverse_error(), this->tolerance()) << "width " << width << ", rows below " << below;
        ASSERT_LE(this->update_error(), this->tolerance()) << "width " << width << ", rows below " << below;
      }
    }
  }
}

TYPED_TEST(WholeFronts, FailedPivotStaysAndTheRestIsFinite) {
  SKIP_WITHOUT_DEVICE();
  for (const int width : {1, 7, 16, 17, 33, 64}) {
    for (const int failed : {0, width / 2, width - 1}) {
      this->factorize(width, width + 20);
      this->before_[this->at(failed, failed)] = TypeParam(static_cast<typename ScalarTraits<TypeParam>::Real>(-3.0 * width));
      this->run();
      EXPECT_LE(this->root(failed), -3.0 * width) << "width " << width << ", column " << failed;
      for (int j = 0; j < failed; ++j) EXPECT_GT(this->root(j), 0.0);
      for (int j = failed + 1; j < width; ++j) EXPECT_TRUE(std::isfinite(this->root(j)));
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
