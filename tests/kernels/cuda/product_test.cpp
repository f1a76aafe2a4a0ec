#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/cuda/factor_kernels.hpp"
#include "tests/kernels/cuda/device_array.hpp"

namespace gpusupernodal::test {
namespace {

using cuda::PanelInfo;
using cuda::ProductTask;
using cuda::UpdateInfo;

template <class T>
class ApplyUpdates : public ::testing::Test {
 protected:
  void run(const std::vector<PanelInfo>& panels, const std::vector<UpdateInfo>& updates,
           const std::vector<std::int32_t>& update_of_row, const std::vector<std::int32_t>& relative_rows,
           const std::vector<ProductTask>& tasks) {
    const DeviceArray<T> values(before_);
    const DeviceArray<PanelInfo> device_panels(panels);
    const DeviceArray<UpdateInfo> device_updates(updates);
    const DeviceArray<std::int32_t> device_update_of_row(update_of_row);
    const DeviceArray<std::int32_t> device_relative_rows(relative_rows);
    const DeviceArray<ProductTask> device_tasks(tasks);
    const cuda::FactorData<T> data{values.get(), device_panels.get(), device_updates.get(), device_update_of_row.get(),
                                   device_relative_rows.get()};
    cuda::prepare_factor_kernels<T>();
    cuda::apply_updates<T>(data, device_tasks.get(), static_cast<int>(tasks.size()), nullptr);
    after_ = values.host();
  }

  using W = Wide<T>;
  W source(const PanelInfo& panel, int i, int k) const {
    return static_cast<W>(before_[static_cast<std::size_t>(cuda::block_of(panel, k).index(i, k))]);
  }
  W product(const PanelInfo& panel, const ProductTask& task, int i, int j) const {
    W sum(0.0);
    for (int k = task.column; k < task.column + task.depth; ++k) sum += source(panel, i, k) * adjoint(source(panel, j, k));
    return sum;
  }
  void expect_near(const std::vector<W>& expected, int depth) const {
    const double tolerance = 4.0 * complex_terms<T> * (depth + 4) * epsilon_of<T>;
    for (std::size_t e = 0; e < after_.size(); ++e)
      ASSERT_LE(modulus(static_cast<W>(after_[e]) - expected[e]), tolerance) << "value " << e;
  }

  std::vector<T> before_, after_;
};

std::vector<ProductTask> tiles(int column, int depth, int col_end, int front) {
  std::vector<ProductTask> tasks;
  for (int col = (column + depth) / 4 * 4; col < col_end; col += cuda::tile_size) {
    for (int row = col; row < front; row += cuda::tile_size)
      tasks.push_back({0, column, depth, row, col, column + depth, col_end});
  }
  return tasks;
}

using AllScalars = ::testing::Types<float, double, cuda::Complex<float>, cuda::Complex<double>>;
TYPED_TEST_SUITE(ApplyUpdates, AllScalars);

TYPED_TEST(ApplyUpdates, WithinAPanel) {
  SKIP_WITHOUT_DEVICE();
  for (const int ld_surplus : {0, 4}) {
    const int width = 192;
    const int front = 332;
    PanelInfo panel{0, 0, 0, width, front, front + ld_surplus};
    this->before_ = random_values<TypeParam>(static_cast<std::size_t>(panel.ld * width) + cuda::overread, 3);
    const std::vector<ProductTask> tasks = tiles(64, 64, width, front);
    this->run({panel}, {}, {}, {}, tasks);
    std::vector<Wide<TypeParam>> expected(this->before_.begin(), this->before_.end());
    for (int j = 128; j < width; ++j) {
      for (int i = j; i < front; ++i) {
        expected[static_cast<std::size_t>(i + j * panel.ld)] -= this->product(panel, tasks.front(), i, j);
      }
    }
    this->expect_near(expected, 64);
  }
}

/// A source of every kind of depth, of one block column and of several. The first half of its rows below are columns of one
/// target, the others columns of a second target. The rows are scattered in both targets.
TYPED_TEST(ApplyUpdates, IntoTwoAncestors) {
  SKIP_WITHOUT_DEVICE();
  for (const int depth : {1, 3, 8, 16, 17, 40, 64, 150, 513, 1100}) {
    for (const int below : {2, 9, 70, 201, 600}) {
      if (below == 600 && depth % 100 != 0) continue;  // The only one with targets of several block columns.
      const int half = below / 2;
      const int front = depth + below;
      const int ld = (front + 3) / 4 * 4;
      const PanelInfo panel{0, 0, 0, depth, front, ld};
      const std::int64_t first = (end_of_panel(0, ld, depth) + 3) / 4 * 4;
      const int ld_target = 2 * below + 8;
      const std::int64_t second = first + static_cast<std::int64_t>(ld_target) * 2 * below;
      this->before_ = random_values<TypeParam>(
          static_cast<std::size_t>(second + static_cast<std::int64_t>(ld_target) * 2 * below + cuda::overread), 11);
      std::vector<std::int32_t> relative, update_of_row;
      for (int i = 0; i < below; ++i) relative.push_back(2 * i + (i % 3 == 0 ? 1 : 0));
      for (int i = half; i < below; ++i) relative.push_back(i - half);
      for (int i = 0; i < below; ++i) update_of_row.push_back(i < half ? 0 : 1);
      const std::vector<UpdateInfo> updates{{first, -depth, ld_target, 0}, {second, below - half - depth, ld_target, 0}};
      const std::vector<ProductTask> tasks = tiles(0, depth, front, front);
      this->run({panel}, updates, update_of_row, relative, tasks);
      std::vector<Wide<TypeParam>> expected(this->before_.begin(), this->before_.end());
      for (int j = 0; j < below; ++j) {
        for (int i = j; i < below; ++i) {
          const int base = j < half ? 0 : below - half;
          const std::int64_t target = j < half ? first : second;
          const int row = relative[static_cast<std::size_t>(base + i)];
          const int col = relative[static_cast<std::size_t>(base + j)];
          expected[static_cast<std::size_t>(block_of_column(target, ld_target, col).index(row, col))] -=
              this->product(panel, tasks.front(), depth + i, depth + j);
        }
      }
      this->expect_near(expected, depth);
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
