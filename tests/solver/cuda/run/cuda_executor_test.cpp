#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/cuda/check.hpp"
#include "solver/backend/executor.hpp"
#include "tests/kernels/cuda/device_array.hpp"
#include "tests/solver/cuda/plan/bulk_tasks.hpp"
#include "tests/solver/cuda/plan/plans.hpp"
#include "tests/support/accuracy.hpp"

namespace gpusupernodal::test {
namespace {

template <class T>
std::vector<T> cast(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

/// Rounds values to T.
template <class T>
std::vector<double> rounded(const std::vector<double>& values) {
  const std::vector<T> narrow = cast<T>(values);
  return {narrow.begin(), narrow.end()};
}

/// A factorized executor of a matrix.
template <class T>
struct Factorized {
  explicit Factorized(const io::SymmetricMatrix& a, const ExecutorOptions& options = {}, const CudaPlanOptions& cuda = {})
      : plan(with_cuda(cuda_plan_of(a), cuda, 1)),
        executor(make_cuda_executor<T>(plan->cuda_plan(), options)),
        values(cast<T>(a.values)) {
    executor->factorization().factorize({values.data(), MemorySpace::host, T(1), T(0)});
  }
  std::vector<double> solve(const std::vector<double>& b, std::int64_t columns = 1) const {
    std::vector<T> x = cast<T>(b);
    const std::int64_t n = plan->symbolic.order();
    const DenseView<T> view(x.data(), n, columns, std::max<std::int64_t>(n, 1));
    executor->factorization().solve({}, view, view);
    return {x.begin(), x.end()};
  }

  std::shared_ptr<const FactorPlan> plan;
  std::unique_ptr<Executor<T>> executor;
  std::vector<T> values;
};

template <class T>
class CudaExecutors : public ::testing::Test {};

using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CudaExecutors, Scalars);

TYPED_TEST(CudaExecutors, SolveEveryMatrixToItsBound) {
  SKIP_WITHOUT_DEVICE();
  for (const int streams : {1, 4}) {
    for (const io::SymmetricMatrix& a : matrices()) {
      CudaPlanOptions options;
      options.streams = streams;
      const Factorized<TypeParam> factorized(a, {}, options);
      ASSERT_EQ(factorized.executor->factorization().outcome().status, Status::success) << a.name << " n " << a.n;
      const std::vector<double> b = rounded<TypeParam>(random_vector(a.n, 17));
      const std::vector<double> x = factorized.solve(b);
      EXPECT_LE(backward_error(a, x, b), backward_error_bound<TypeParam>(a.n)) << a.name << " n " << a.n;
    }
  }
}

TYPED_TEST(CudaExecutors, RefactorizeWithNewValuesAndBack) {
  SKIP_WITHOUT_DEVICE();
  const io::SymmetricMatrix a = io::generate("lap3d:12");
  const Factorized<TypeParam> factorized(a);
  const std::vector<double> b = random_vector(a.n, 3);
  const std::vector<double> x = factorized.solve(b);
  io::SymmetricMatrix twice = a;
  for (double& value : twice.values) value *= 2.0;
  const std::vector<TypeParam> values = cast<TypeParam>(twice.values);
  factorized.executor->factorization().factorize({values.data(), MemorySpace::host, TypeParam(1), TypeParam(0)});
  EXPECT_LE(backward_error(twice, factorized.solve(b), b), backward_error_bound<TypeParam>(a.n));
  factorized.executor->factorization().factorize({values.data(), MemorySpace::host, TypeParam(0.5), TypeParam(0)});
  EXPECT_LE(backward_error(a, factorized.solve(b), b), backward_error_bound<TypeParam>(a.n));
}

TYPED_TEST(CudaExecutors, ManyRightHandSidesInBatches) {
  SKIP_WITHOUT_DEVICE();
  const io::SymmetricMatrix a = io::generate("lap2d:40");
  const Factorized<TypeParam> factorized(a);
  for (const std::int64_t reserved : {1, 2, 6, 100}) {
    factorized.executor->factorization().reserve_right_hand_sides(reserved);
    const std::int64_t columns = 37;
    const std::vector<double> b = rounded<TypeParam>(random_vector(a.n * columns, 23));
    const std::vector<double> x = factorized.solve(b, columns);
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::vector<double> column_x(x.begin() + c * a.n, x.begin() + (c + 1) * a.n);
      const std::vector<double> column_b(b.begin() + c * a.n, b.begin() + (c + 1) * a.n);
      EXPECT_LE(backward_error(a, column_x, column_b), backward_error_bound<TypeParam>(a.n)) << "column " << c;
    }
  }
}

TYPED_TEST(CudaExecutors, SeveralRightHandSidesOfEveryMatrix) {
  SKIP_WITHOUT_DEVICE();
  for (const io::SymmetricMatrix& a : matrices()) {
    if (a.n == 0) continue;
    const Factorized<TypeParam> factorized(a);
    factorized.executor->factorization().reserve_right_hand_sides(16);
    for (const std::int64_t columns : {2, 8, 11, 16}) {
      const std::vector<double> b = rounded<TypeParam>(random_vector(a.n * columns, 29));
      const std::vector<double> x = factorized.solve(b, columns);
      for (std::int64_t c = 0; c < columns; ++c) {
        const std::vector<double> column_x(x.begin() + c * a.n, x.begin() + (c + 1) * a.n);
        const std::vector<double> column_b(b.begin() + c * a.n, b.begin() + (c + 1) * a.n);
        EXPECT_LE(backward_error(a, column_x, column_b), backward_error_bound<TypeParam>(a.n))
            << a.name << " n " << a.n << " column " << c << " of " << columns;
      }
      EXPECT_EQ(factorized.solve(b, columns), x) << "the same bits: " << a.name << " n " << a.n;
    }
  }
}

TYPED_TEST(CudaExecutors, DeviceDataOnTheCallersStream) {
  SKIP_WITHOUT_DEVICE();
  const io::SymmetricMatrix a = io::generate("lap3d:10");
  const Factorized<TypeParam> factorized(a);
  cudaStream_t stream = nullptr;
  GPUSUPERNODAL_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  factorized.executor->context().set_stream(stream);
  const DeviceArray<TypeParam> values(factorized.values);
  const std::vector<double> b = rounded<TypeParam>(random_vector(a.n, 5));
  const DeviceArray<TypeParam> right(cast<TypeParam>(b));
  const DeviceArray<TypeParam> solution(std::vector<TypeParam>(b.size(), TypeParam(0)));
  factorized.executor->factorization().factorize({values.get(), MemorySpace::device, TypeParam(1), TypeParam(0)});
  factorized.executor->factorization().solve({}, DenseView<const TypeParam>(right.get(), a.n, MemorySpace::device),
                                             DenseView<TypeParam>(solution.get(), a.n, MemorySpace::device));
  GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(stream));
  EXPECT_TRUE(factorized.executor->factorization().outcome_known());
  const std::vector<TypeParam> x = solution.host();
  EXPECT_LE(backward_error(a, {x.begin(), x.end()}, b), backward_error_bound<TypeParam>(a.n));
  factorized.executor->context().set_stream(nullptr);
  GPUSUPERNODAL_CUDA_CHECK(cudaStreamDestroy(stream));
}

TYPED_TEST(CudaExecutors, ReportTheFirstFailedPivotAndSolveToNaN) {
  SKIP_WITHOUT_DEVICE();
  for (const std::int64_t n : {40, 300}) {
    io::SymmetricMatrix a = dense_spd(n, 9);
    const Factorized<TypeParam> factorized(a);
    const auto& old_of_new = factorized.plan->symbolic.permutation.old_of_new;
    std::vector<TypeParam> values = factorized.values;
    for (const std::int32_t column : {std::int32_t(n) - 2, std::int32_t(n) / 2, 3}) {  // Several columns, the smallest last.
      const OldIndex old = old_of_new[NewIndex(column)];
      values[static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(old.value)])] = TypeParam(-1);
    }
    factorized.executor->factorization().factorize({values.data(), MemorySpace::host, TypeParam(1), TypeParam(0)});
    const FactorOutcome outcome = factorized.executor->factorization().outcome();
    EXPECT_EQ(outcome.status, Status::not_positive_definite);
    EXPECT_EQ(outcome.failed_column, NewIndex(3));
    EXPECT_LT(outcome.failed_value, 0.0);
    EXPECT_GT(outcome.smallest_pivot, 0.0);
    for (const double value : factorized.solve(random_vector(n, 1))) EXPECT_TRUE(std::isnan(value));
    factorized.executor->factorization().factorize(
        {factorized.values.data(), MemorySpace::host, TypeParam(1), TypeParam(0)});
    EXPECT_EQ(factorized.executor->factorization().outcome().status, Status::success);
  }
}

TYPED_TEST(CudaExecutors, ReportTheFirstNonFiniteEntry) {
  SKIP_WITHOUT_DEVICE();
  const io::SymmetricMatrix a = io::generate("lap2d:20");
  const Factorized<TypeParam> factorized(a);
  std::vector<TypeParam> values = factorized.values;
  values[900] = std::numeric_limits<TypeParam>::quiet_NaN();
  values[77] = std::numeric_limits<TypeParam>::infinity();
  factorized.executor->factorization().factorize({values.data(), MemorySpace::host, TypeParam(1), TypeParam(0)});
  const FactorOutcome outcome = factorized.executor->factorization().outcome();
  EXPECT_EQ(outcome.status, Status::non_finite_input);
  EXPECT_EQ(outcome.failed_entry, 77);
  EXPECT_TRUE(std::isinf(outcome.failed_value));
}

TYPED_TEST(CudaExecutors, ShiftMovesTheDiagonal) {
  SKIP_WITHOUT_DEVICE();
  io::SymmetricMatrix a = io::generate("lap2d:15");
  const Factorized<TypeParam> factorized(a);
  factorized.executor->factorization().factorize({factorized.values.data(), MemorySpace::host, TypeParam(1), TypeParam(2)});
  for (std::int64_t j = 0; j < a.n; ++j) a.values[static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j)])] += 2.0;
  const std::vector<double> b = rounded<TypeParam>(random_vector(a.n, 5));
  EXPECT_LE(backward_error(a, factorized.solve(b), b), backward_error_bound<TypeParam>(a.n));
}

TYPED_TEST(CudaExecutors, ResidualIsSmallForTheSolutionAndEqualsBForZero) {
  SKIP_WITHOUT_DEVICE();
  const io::SymmetricMatrix a = io::generate("lap3d:8");
  ExecutorOptions options;
  options.keep_a = true;
  const Factorized<TypeParam> factorized(a, options);
  Executor<TypeParam>& executor = *factorized.executor;
  const std::vector<double> b = rounded<TypeParam>(random_vector(a.n, 5));
  const DeviceArray<TypeParam> right(cast<TypeParam>(b));
  const DenseView<TypeParam> b_view(right.get(), a.n, MemorySpace::device);
  const DenseView<TypeParam> x = executor.vectors().scratch(0, a.n, 1);
  const DenseView<TypeParam> r = executor.vectors().scratch(1, a.n, 1);
  executor.factorization().solve({}, b_view, x);
  const auto norms = executor.matrix().residual(b_view, x, r);
  EXPECT_LE(norms.r / (norms.a * norms.x + norms.b), backward_error_bound<TypeParam>(a.n));
  EXPECT_EQ(norms.a, 12.0);  // 6 + 6 · 1: small integers, exact in any order.
  const DeviceArray<TypeParam> zero(std::vector<TypeParam>(b.size(), TypeParam(0)));
  const auto whole = executor.matrix().residual(b_view, DenseView<const TypeParam>(zero.get(), a.n, MemorySpace::device), r);
  EXPECT_EQ(whole.r, whole.b);
  executor.vectors().axpy(TypeParam(1), r, x);
}

TYPED_TEST(CudaExecutors, StepsComposeToTheSolution) {
  SKIP_WITHOUT_DEVICE();
  const io::SymmetricMatrix a = io::generate("lap2d:30");
  const Factorized<TypeParam> factorized(a);
  const std::vector<double> b = random_vector(a.n, 5);
  const std::vector<double> x = factorized.solve(b);
  std::vector<TypeParam> y = cast<TypeParam>(b);
  const DenseView<TypeParam> view(y.data(), a.n);
  for (const SolveSteps& steps : {SolveSteps{true, false, false, false}, SolveSteps{false, true, false, false},
                                  SolveSteps{false, false, true, false}, SolveSteps{false, false, false, true}}) {
    factorized.executor->factorization().solve(steps, view, view);
  }
  double largest = 0.0;
  for (const double value : x) largest = std::max(largest, std::abs(value));
  const double tolerance = 1e3 * static_cast<double>(a.n) * static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(static_cast<double>(y[i]), x[i], tolerance * largest);
}

TYPED_TEST(CudaExecutors, PanelsHoldAFactorOfA) {
  SKIP_WITHOUT_DEVICE();
  const io::SymmetricMatrix a = dense_spd(150, 4);
  const Factorized<TypeParam> factorized(a);
  std::vector<TypeParam> panels(static_cast<std::size_t>(factorized.plan->panels.values()));
  std::vector<TypeParam> diagonal(150);
  factorized.executor->factorization().copy_panels(panels);
  factorized.executor->factorization().copy_diagonal(diagonal);
  EXPECT_EQ(diagonal[0], panels[0]);
  double determinant = 0.0;
  for (const TypeParam root : diagonal) determinant += std::log(static_cast<double>(root));
  EXPECT_TRUE(std::isfinite(determinant));
}

/// An allocator that counts calls and refuses the call number `refuse_at`.
class Counting final : public Allocator {
 public:
  explicit Counting(int refuse_at) : refuse_at_(refuse_at) {}
  void* allocate(std::size_t bytes, std::size_t) override {
    if (++calls == refuse_at_) return nullptr;
    void* memory = nullptr;
    GPUSUPERNODAL_CUDA_CHECK(cudaMalloc(&memory, bytes));
    ++alive;
    bytes_taken += static_cast<std::int64_t>(bytes);
    return memory;
  }
  void deallocate(void* pointer, std::size_t, std::size_t) noexcept override {
    static_cast<void>(cudaFree(pointer));
    --alive;
  }
  int calls = 0;
  int alive = 0;
  std::int64_t bytes_taken = 0;

 private:
  int refuse_at_;
};

TEST(CudaExecutorMemory, AllocatesThePlannedMemoryOnceOnly) {
  SKIP_WITHOUT_DEVICE();
  const io::SymmetricMatrix a = io::generate("lap3d:10");
  const auto allocator = std::make_shared<Counting>(-1);
  ExecutorOptions options;
  options.allocator = allocator;
  const Factorized<double> factorized(a, options);
  EXPECT_EQ(allocator->bytes_taken, factorized.plan->memory(Backend::cuda, ScalarType::real_double, false).total());
  const int calls = allocator->calls;
  factorized.executor->factorization().factorize({factorized.values.data(), MemorySpace::host, 1.0, 0.0});
  factorized.solve(random_vector(a.n, 1));
  EXPECT_EQ(allocator->calls, calls);
}

/// The estimate counts, to the byte, the lists for the executor's scalar type, schedule and order of additions.
template <class T>
void expect_announced(const FactorPlan& plan, bool keep_a) {
  const auto allocator = std::make_shared<Counting>(-1);
  ExecutorOptions options;
  options.allocator = allocator;
  options.keep_a = keep_a;
  const auto executor = make_cuda_executor<T>(plan.cuda_plan(), options);
  for (int slot = 0; keep_a && slot < refinement_vectors; ++slot)
    executor->vectors().scratch(slot, plan.symbolic.order(), 1);
  EXPECT_EQ(allocator->bytes_taken,
            plan.memory(Backend::cuda, scalar_type_of<T>, keep_a).total() + executor->context().workspace_beyond_plan());
}

TYPED_TEST(CudaExecutors, AllocateThePlannedMemoryForEveryListOfTasks) {
  SKIP_WITHOUT_DEVICE();
  for (const char* name : {"elas:9", "lap2d:60", "lap3d:14"}) {
    SCOPED_TRACE(name);
    const auto plan = cuda_plan_of(io::generate(name));
    const auto bulk = with_bulk_tasks(*plan);
    CudaPlanOptions by_streams;
    by_streams.schedule = CudaSchedule::streams;
    CudaPlanOptions in_order;
    in_order.deterministic = true;
    for (const bool keep_a : {false, true}) {
      expect_announced<TypeParam>(*plan, keep_a);
      expect_announced<TypeParam>(*bulk, keep_a);
      expect_announced<TypeParam>(*with_cuda(plan, by_streams, 1), keep_a);
      expect_announced<TypeParam>(*with_cuda(plan, in_order, 1), keep_a);
    }
  }
}

TEST(CudaExecutorMemory, RefusedAllocationsLeakNothing) {
  SKIP_WITHOUT_DEVICE();
  const auto plan = cuda_plan_of(io::generate("lap2d:10"));
  for (int refuse_at = 1;; ++refuse_at) {
    const auto allocator = std::make_shared<Counting>(refuse_at);
    ExecutorOptions options;
    options.allocator = allocator;
    try {
      make_cuda_executor<double>(plan->cuda_plan(), options);
      break;
    } catch (const OutOfMemory& error) {
      EXPECT_GT(error.bytes_needed(), 0);
      EXPECT_EQ(allocator->alive, 0);
    }
    ASSERT_LT(refuse_at, 100);
  }
}

TEST(CudaExecutorDevice, AbsentDeviceGivesAReason) {
  const CudaAvailability found = cuda_availability();
  EXPECT_EQ(found.available, found.reason.empty());
  ExecutorOptions options;
  options.device = 1000;
  EXPECT_THROW(make_cuda_executor<double>(cuda_plan_of(diagonal_spd(3))->cuda_plan(), options), BackendUnavailable);
}

}  // namespace
}  // namespace gpusupernodal::test
