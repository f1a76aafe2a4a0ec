/// Systems with several patterns on a device: beside batches of one pattern, with data in both memories.

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/cuda/batch_on_device.hpp"
#include "tests/solver/api/variable_batch_problems.hpp"

namespace gpusupernodal::test::batch {
namespace {

class CudaVariableBatch : public testing::TestWithParam<Form> {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};
INSTANTIATE_TEST_SUITE_P(Forms, CudaVariableBatch, testing::Values(Form::llt, Form::ldlt, Form::lu),
                         [](const auto& name) { return name_of(name.param); });

/// Sizes in turn, so that the systems of a group are apart.
std::vector<std::int64_t> mixed_sizes(std::int64_t count) {
  constexpr std::array<std::int64_t, 6> sizes = {6, 1, 9, 3, 0, 12};
  std::vector<std::int64_t> result;
  for (std::int64_t s = 0; s < count; ++s) result.push_back(sizes[static_cast<std::size_t>(s) % sizes.size()]);
  return result;
}

/// The solution of one group by a BatchSolver.
template <class T>
std::vector<T> solve_group(const GridList<T>& list, const VariableBatchSolver<T>& batch, std::int64_t pattern) {
  std::vector<const T*> addresses;
  std::vector<T> b;
  std::int64_t first = -1, count = 0;
  for (std::int64_t s = 0; s < list.count(); ++s) {
    if (batch.pattern_of(s) != pattern) continue;
    const auto at = static_cast<std::size_t>(s);
    first = first < 0 ? s : first;
    addresses.push_back(list.values[at].data());
    b.insert(b.end(), list.b[at].begin(), list.b[at].end());
    ++count;
  }
  BatchSolver<T> alone(batch.options());
  const MatrixView<T> a = list.grids[static_cast<std::size_t>(first)]->view();
  alone.analyze(a, count);
  alone.refactorize(Span<const T* const>(addresses));
  std::vector<T> x(b.size(), T(7));
  const std::int64_t ld = std::max<std::int64_t>(a.n, 1), size = a.n * list.columns;
  alone.solve({b.data(), a.n, list.columns, ld, size, count}, {x.data(), a.n, list.columns, ld, size, count});
  return x;
}

template <class T>
void expect_bits_of_groups(const GridList<T>& list, const VariableBatchSolver<T>& batch) {
  for (std::int64_t pattern = 0; pattern < batch.patterns(); ++pattern) {
    const std::vector<T> x = solve_group(list, batch, pattern);
    std::int64_t begin = 0;
    for (std::int64_t s = 0; s < list.count(); ++s) {
      if (batch.pattern_of(s) != pattern) continue;
      const auto& own = list.x[static_cast<std::size_t>(s)];
      EXPECT_TRUE(equal_bits(own.data(), x.data() + begin, static_cast<std::int64_t>(own.size()))) << "system " << s;
      begin += static_cast<std::int64_t>(own.size());
    }
  }
}

TEST_P(CudaVariableBatch, HasTheBitsOfABatchOfEachGroup) {
  for (const std::int64_t columns : {1, 3}) {
    GridList<double> list(GetParam(), mixed_sizes(40), columns);
    VariableBatchSolver<double> batch(device_options(GetParam()));
    batch.analyze(list.views());
    EXPECT_EQ(batch.patterns(), 6);
    EXPECT_EQ(batch.analyze_report(0).backend, Backend::cuda);
    for (int repetition = 0; repetition < 2; ++repetition) {
      list.refactorize(batch);
      list.solve(batch);
      EXPECT_EQ(batch.failed(), 0);
      expect_bits_of_groups(list, batch);
    }
  }
}

TEST_P(CudaVariableBatch, FailuresAndMasksKeepToTheirSystems) {
  GridList<double> list(GetParam(), mixed_sizes(24));
  VariableBatchSolver<double> batch(device_options(GetParam()));
  batch.analyze(list.views());
  list.values[2][list.grids[2]->diagonal(5)] = number_not_finite<double>();
  std::fill(list.values[6].begin(), list.values[6].end(), 0.0);
  list.refactorize(batch);
  list.solve(batch);
  EXPECT_EQ(batch.failed(), 2);
  EXPECT_EQ(batch.solve_statuses()[2], BatchStatus::non_finite_input);
  EXPECT_EQ(batch.report(2).failed_column, 5);
  EXPECT_EQ(batch.solve_statuses()[6], GetParam() == Form::llt ? BatchStatus::not_positive_definite : BatchStatus::singular);
  EXPECT_EQ(list.x[2][0], 7.0) << "written";
  EXPECT_EQ(list.x[6][0], 7.0) << "written";
  const auto before = list.x;
  std::vector<unsigned char> wanted(24, 1);
  wanted[0] = wanted[3] = wanted[8] = 0;
  batch.set_wanted(wanted);
  list.refactorize(batch);
  list.solve(batch);
  for (std::size_t s = 0; s < 24; ++s) {
    if (wanted[s] != 0) {
      EXPECT_EQ(list.x[s], before[s]) << s;
    } else {
      EXPECT_EQ(batch.solve_statuses()[s], BatchStatus::skipped);
      EXPECT_EQ(list.x[s], std::vector<double>(list.x[s].size(), 7.0)) << s;
    }
  }
}

/// Everything is in device memory: once with the systems of a group at a stride, once apart.
TEST_P(CudaVariableBatch, TakesDataInDeviceMemory) {
  for (const bool apart : {false, true}) {
    GridList<double> list(GetParam(), apart ? mixed_sizes(18) : std::vector<std::int64_t>{5, 5, 5, 5, 8, 8, 8});
    Options options = device_options(GetParam());
    VariableBatchSolver<double> batch(options);
    batch.analyze(list.views());
    std::vector<double> all_values, all_b;
    for (std::size_t s = 0; s < list.values.size(); ++s) {
      all_values.insert(all_values.end(), list.values[s].begin(), list.values[s].end());
      all_b.insert(all_b.end(), list.b[s].begin(), list.b[s].end());
    }
    const DeviceArray<double> values(all_values), b(all_b);
    DeviceArray<double> x(std::vector<double>(all_b.size(), 7.0));
    std::vector<const double*> addresses;
    std::vector<DenseView<const double>> right;
    std::vector<DenseView<double>> solutions;
    std::int64_t entries = 0, rows = 0;
    for (const auto& grid : list.grids) {
      addresses.push_back(values.get() + entries);
      right.emplace_back(b.get() + rows, grid->n, MemorySpace::device);
      solutions.emplace_back(x.get() + rows, grid->n, MemorySpace::device);
      entries += grid->entries();
      rows += grid->n;
    }
    batch.refactorize(addresses, MemorySpace::device);
    batch.solve(right, solutions);
    EXPECT_EQ(batch.failed(), 0);
    const std::vector<double> found = x.host();
    list.refactorize(batch);
    list.solve(batch);
    rows = 0;
    for (std::size_t s = 0; s < list.x.size(); ++s) {
      EXPECT_TRUE(equal_bits(found.data() + rows, list.x[s].data(), list.grids[s]->n)) << "system " << s;
      rows += list.grids[s]->n;
    }
  }
}

/// A large group on the device, two small ones on the host.
TEST_P(CudaVariableBatch, AutomaticDividesTheGroups) {
  std::vector<std::int64_t> sizes(300, 16);
  sizes[7] = sizes[100] = 5;
  sizes[200] = 9;
  GridList<double> list(GetParam(), sizes);
  Options options = options_for(GetParam(), 1);
  options.backend = Backend::automatic;
  VariableBatchSolver<double> batch(options);
  batch.analyze(list.views());
  EXPECT_EQ(batch.analyze_report(0).backend, Backend::cuda);
  EXPECT_EQ(batch.analyze_report(1).backend, Backend::host);
  EXPECT_EQ(batch.analyze_report(2).backend, Backend::host);
  list.refactorize(batch);
  list.solve(batch);
  EXPECT_EQ(batch.failed(), 0);
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    EXPECT_LE(backward_error(*list.grids[s], list.values[s].data(), list.x[s].data(), list.b[s].data()),
              trusted_bound<double>(list.grids[s]->n))
        << s;
  }
  EXPECT_THROW(batch.refactorize(list.addresses(), MemorySpace::device), InvalidInput) << "some run on the host";
}

TEST_P(CudaVariableBatch, RefusesCaptures) {
  GridList<double> list(GetParam(), mixed_sizes(12));
  VariableBatchSolver<double> batch(device_options(GetParam()));
  batch.analyze(list.views());
  list.refactorize(batch);
  EXPECT_EQ(batch.failed(), 0);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  batch.set_stream(stream);
  list.refactorize(batch);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_THROW(list.refactorize(batch), InvalidState);
  EXPECT_THROW(list.solve(batch), InvalidState);
  EXPECT_THROW(batch.statuses(), InvalidState) << "not read yet";
  EXPECT_THROW(batch.report(0), InvalidState) << "not read yet";
  EXPECT_THROW(batch.reserve_right_hand_sides(9), InvalidState);
  EXPECT_THROW(batch.analyze(list.views()), InvalidState);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  cudaGraphDestroy(graph);
  list.solve(batch);
  EXPECT_EQ(batch.solve_statuses()[0], BatchStatus::success);
  batch.set_stream(nullptr);
  cudaStreamDestroy(stream);
}

}  // namespace
}  // namespace gpusupernodal::test::batch
