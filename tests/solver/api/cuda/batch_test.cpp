/// Batches on a device: accuracy without refinement, statuses beside those of the host, masks and strides.

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/cuda/batch_on_device.hpp"

namespace gpusupernodal::test::batch {
namespace {

template <class T, Form form_value>
struct DeviceKind {
  using Scalar = T;
  static constexpr Form form = form_value;
};

template <class K>
class CudaBatch : public testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};
using DeviceKinds =
    testing::Types<DeviceKind<float, Form::llt>, DeviceKind<double, Form::llt>, DeviceKind<float, Form::ldlt>,
                   DeviceKind<double, Form::ldlt>, DeviceKind<float, Form::lu>, DeviceKind<double, Form::lu>>;
TYPED_TEST_SUITE(CudaBatch, DeviceKinds);

TYPED_TEST(CudaBatch, SolvesWithoutRefinement) {
  using T = typename TypeParam::Scalar;
  for (const std::int64_t k : {1, 2, 5, 16}) {
    for (const std::int64_t count : {1, 31, 33, 1000}) {
      OnDeviceBatch<T> on(device_options(TypeParam::form), k, count);
      EXPECT_EQ(on.batch.analyze_report().backend, Backend::cuda);
      for (int repetition = 0; repetition < 2; ++repetition) {
        on.batch.refactorize(on.values.view());
        const std::vector<T> x = on.solve();
        ASSERT_EQ(on.batch.failed(), 0) << k << ", " << count;
        on.expect_accurate(x, unrefined_bound<T>(on.grid.n));
        for (std::int64_t s = 0; s < count; ++s) {
          ASSERT_EQ(on.batch.solve_statuses()[static_cast<std::size_t>(s)], BatchStatus::success);
          ASSERT_EQ(on.batch.solve_report(s).refinement_steps, 0) << k << ", system " << s;
        }
      }
    }
  }
}

TYPED_TEST(CudaBatch, ReportsWhatASolverOnTheHostReports) {
  using T = typename TypeParam::Scalar;
  OnDeviceBatch<T> on(device_options(TypeParam::form), 6, 9);
  on.batch.refactorize(on.values.view());
  BatchSolver<T> host(options_for(TypeParam::form, 1));
  host.analyze(on.grid.view(), 9);
  host.refactorize(on.values.view());
  for (std::int64_t s = 0; s < 9; ++s) {
    const FactorReport &a = on.batch.report(s), &b = host.report(s);
    EXPECT_EQ(a.form, b.form);
    EXPECT_EQ(a.status, b.status);
    EXPECT_EQ(a.factorizations, b.factorizations);
    EXPECT_EQ(a.inertia.negative, b.inertia.negative);
    EXPECT_EQ(a.inertia.positive, b.inertia.positive);
    EXPECT_EQ(a.inertia_exact, b.inertia_exact);
    if (TypeParam::form != Form::llt) continue;  // Others have other scales.
    const double few_roundings = 64.0 * static_cast<double>(std::numeric_limits<T>::epsilon());
    EXPECT_NEAR(a.smallest_pivot, b.smallest_pivot, few_roundings * b.smallest_pivot);
    EXPECT_NEAR(a.largest_pivot, b.largest_pivot, few_roundings * b.largest_pivot);
  }
}

/// More columns than are computed at once, in all parts; each has the bits that it has alone.
TYPED_TEST(CudaBatch, SolvesManyColumnsAndTheTranspose) {
  using T = typename TypeParam::Scalar;
  OnDeviceBatch<T> on(device_options(TypeParam::form), 7, 5, 19);
  on.batch.refactorize(on.values.view());
  for (const System part : {System::a, System::transposed, System::adjoint}) {
    const std::vector<T> x = on.solve(part);
    on.expect_accurate(x, unrefined_bound<T>(on.grid.n), part != System::a);
    std::vector<T> one(static_cast<std::size_t>(on.grid.n * 5));
    const std::int64_t column = 17 * on.grid.n;
    on.batch.solve({on.b.data() + column, on.grid.n, 1, on.grid.n, on.size(), 5}, {one.data(), on.grid.n, 5}, part);
    for (std::int64_t s = 0; s < 5; ++s)
      EXPECT_TRUE(equal_bits(one.data() + s * on.grid.n, x.data() + s * on.size() + column, on.grid.n)) << s;
  }
}

TYPED_TEST(CudaBatch, FailedSystemsDoNotAffectOthers) {
  using T = typename TypeParam::Scalar;
  OnDeviceBatch<T> on(device_options(TypeParam::form), 5, 40);
  on.values.of(1)[on.grid.diagonal(7)] = number_not_finite<T>();
  if (TypeParam::form == Form::llt) {
    on.values.of(3)[on.grid.diagonal(11)] = T(-1);
  } else {
    std::fill_n(on.values.of(3), on.grid.entries(), T(0));
  }
  on.b[static_cast<std::size_t>(20 * on.grid.n + 3)] = number_not_finite<T>();
  on.batch.refactorize(on.values.view());
  const std::vector<T> x = on.solve();
  EXPECT_EQ(on.batch.failed(), 2);
  EXPECT_EQ(on.batch.statuses()[1], BatchStatus::non_finite_input);
  EXPECT_EQ(on.batch.report(1).failed_column, 7);
  EXPECT_EQ(on.batch.report(1).failed_row, 7);
  EXPECT_EQ(on.batch.statuses()[3],
            TypeParam::form == Form::llt ? BatchStatus::not_positive_definite : BatchStatus::singular);
  if (TypeParam::form == Form::llt) {
    EXPECT_EQ(on.batch.report(3).failed_column, 11);
    EXPECT_LT(on.batch.report(3).failed_value, 0.0);
  }
  EXPECT_EQ(on.batch.solve_statuses()[20], BatchStatus::non_finite_input);
  for (std::int64_t s = 0; s < 40; ++s) {
    const T* const of_s = x.data() + s * on.grid.n;
    if (s == 1 || s == 3 || s == 20) {
      EXPECT_EQ(of_s[0], T(7)) << "written: " << s;
    } else {
      EXPECT_LE(backward_error(on.grid, on.values.of(s), of_s, on.right(s)), unrefined_bound<T>(on.grid.n)) << s;
    }
  }
}

TYPED_TEST(CudaBatch, MasksKeepOtherSystems) {
  using T = typename TypeParam::Scalar;
  OnDeviceBatch<T> on(device_options(TypeParam::form), 4, 21);
  on.batch.refactorize(on.values.view());
  const std::vector<T> before = on.solve();
  std::vector<unsigned char> wanted(21, 0);
  wanted[0] = wanted[13] = 1;
  on.batch.set_wanted(wanted);
  Values<T> other = on.values;
  for (T& value : other.all) value *= T(4);
  on.batch.refactorize(other.view());
  const std::vector<T> x = on.solve();
  for (std::int64_t s = 0; s < 21; ++s) {
    const std::int64_t at = s * on.grid.n;
    const bool is_wanted = wanted[static_cast<std::size_t>(s)] != 0;
    EXPECT_EQ(on.batch.solve_statuses()[static_cast<std::size_t>(s)],
              is_wanted ? BatchStatus::success : BatchStatus::skipped);
    EXPECT_EQ(on.batch.report(s).factorizations, is_wanted ? 2 : 1);
    for (std::int64_t i = at; i < at + on.grid.n; ++i) {
      const auto entry = static_cast<std::size_t>(i);
      ASSERT_EQ(x[entry], is_wanted ? before[entry] / T(4) : T(7)) << s;
    }
  }
  on.batch.set_wanted({});
  const std::vector<T> after = on.solve();
  EXPECT_TRUE(equal_bits(after.data() + on.grid.n, before.data() + on.grid.n, on.grid.n)) << "the factor of system 1";
}

TYPED_TEST(CudaBatch, TakesPointersStridesAndBAsX) {
  using T = typename TypeParam::Scalar;
  OnDeviceBatch<T> on(device_options(TypeParam::form), 4, 6, 2);
  on.batch.refactorize(on.values.view());
  const std::vector<T> x = on.solve();
  std::vector<const T*> pointers;
  for (std::int64_t s = 0; s < 6; ++s) pointers.push_back(on.values.of(s));
  on.batch.refactorize(Span<const T* const>(pointers));
  const std::int64_t n = on.grid.n, stride = n + 1, ld = 6 * stride;
  std::vector<T> spread(static_cast<std::size_t>(2 * ld), T(7));
  on.batch.solve({on.b.data(), n, 2, n, 2 * n, 6}, {spread.data(), n, 2, ld, stride, 6});
  for (std::int64_t s = 0; s < 6; ++s) {
    for (std::int64_t c = 0; c < 2; ++c)
      EXPECT_TRUE(equal_bits(spread.data() + c * ld + s * stride, x.data() + (2 * s + c) * n, n)) << s;
    EXPECT_EQ(spread[static_cast<std::size_t>(s * stride + n)], T(7)) << "the gap";
  }
  std::vector<T> dense;  // Without gaps.
  for (std::int64_t s = 0; s < 6; ++s) dense.insert(dense.end(), on.values.of(s), on.values.of(s) + on.grid.entries());
  on.batch.refactorize({dense.data(), on.grid.entries(), 6});
  const std::vector<T> of_dense = on.solve();
  EXPECT_TRUE(equal_bits(of_dense.data(), x.data(), 12 * n));
  std::vector<T> both = on.b;
  on.batch.solve({both.data(), n, 2, n, 2 * n, 6}, {both.data(), n, 2, n, 2 * n, 6});
  EXPECT_TRUE(equal_bits(both.data(), x.data(), 12 * n));
  // One right-hand side for all systems.
  std::vector<T> shared(x.size());
  on.batch.solve({on.b.data(), n, 2, n, 0, 6}, {shared.data(), n, 2, n, 2 * n, 6});
  EXPECT_TRUE(equal_bits(shared.data(), x.data(), 2 * n));
  EXPECT_LE(backward_error(on.grid, on.values.of(5), shared.data() + 10 * n, on.b.data()), unrefined_bound<T>(n));
}

TYPED_TEST(CudaBatch, EmptyBatchesAndEmptyMatrices) {
  using T = typename TypeParam::Scalar;
  BatchSolver<T> batch(device_options(TypeParam::form));
  const Grid<T> grid(TypeParam::form, 3);
  batch.analyze(grid.view(), 0);
  batch.refactorize({});
  batch.solve({nullptr, grid.n, 0, grid.n, 0, 0}, {nullptr, grid.n, 0, grid.n, 0, 0});
  EXPECT_EQ(batch.failed(), 0);
  MatrixView<T> empty;
  const std::int64_t zero = 0;
  empty.offsets = &zero;
  empty.part = TypeParam::form == Form::lu ? StoredPart::full : StoredPart::lower;
  batch.analyze(empty, 3);
  batch.refactorize({nullptr, 0, 3});
  EXPECT_EQ(batch.failed(), 0);
  batch.solve({nullptr, 0, 3}, {nullptr, 0, 3});
  EXPECT_EQ(batch.solve_statuses()[2], BatchStatus::success);
}

/// Every pivot is zero, and no system has an address of values.
TYPED_TEST(CudaBatch, MatricesWithoutEntries) {
  using T = typename TypeParam::Scalar;
  MatrixView<T> zero;
  const std::vector<std::int64_t> offsets(4, 0);
  zero.n = 3;
  zero.offsets = offsets.data();
  zero.part = TypeParam::form == Form::lu ? StoredPart::full : StoredPart::lower;
  BatchSolver<T> device(device_options(TypeParam::form)), host(options_for(TypeParam::form, 1));
  const std::vector<const T*> addresses(5, nullptr);
  for (BatchSolver<T>* const batch : {&device, &host}) {
    batch->analyze(zero, 5);
    batch->refactorize({nullptr, 0, 5});
    EXPECT_EQ(batch->failed(), 5);
    batch->refactorize(Span<const T* const>(addresses));
    EXPECT_EQ(batch->failed(), 5);
  }
  for (std::size_t s = 0; s < 5; ++s) EXPECT_EQ(device.statuses()[s], host.statuses()[s]) << s;
}

/// More than a grid has in one direction. The check of b reaches the last one.
TYPED_TEST(CudaBatch, SolvesVeryManyColumns) {
  using T = typename TypeParam::Scalar;
  OnDeviceBatch<T> on(device_options(TypeParam::form), 1, 3, 70000);
  on.batch.refactorize(on.values.view());
  const std::vector<T> x = on.solve();
  on.expect_accurate(x, unrefined_bound<T>(1));
  on.b[2 * 70000 - 1] = number_not_finite<T>();
  const std::vector<T> y = on.solve();
  EXPECT_EQ(on.batch.solve_statuses()[0], BatchStatus::success);
  EXPECT_EQ(on.batch.solve_statuses()[1], BatchStatus::non_finite_input);
  EXPECT_TRUE(equal_bits(x.data(), y.data(), 70000));
  EXPECT_EQ(y[70000], T(7)) << "written";
}

class CudaBatchStatus : public testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }

  /// Pivots that are replaced: what the host solves, the device solves too, and no wrong solution passes.
  template <class T>
  static void expect_truthful(Form form, std::int64_t grid_size, Repivot repivot) {
    Options options = device_options(form);
    options.repivot = repivot;
    OnDeviceBatch<T> on(options, grid_size, 60);
    for (std::int64_t s = 1; s < 60; ++s) make_doubtful(on.grid, on.values.of(s), s);
    on.batch.refactorize(on.values.view());
    const std::vector<T> x = on.solve();
    options.backend = Backend::host;
    BatchSolver<T> host(options);
    host.analyze(on.grid.view(), 60);
    host.refactorize(on.values.view());
    std::vector<T> expected(x.size(), T(7));
    host.solve({on.b.data(), on.grid.n, 60}, {expected.data(), on.grid.n, 60});
    int solved = 0;
    for (std::int64_t s = 0; s < 60; ++s) {
      const auto i = static_cast<std::size_t>(s);
      const BatchStatus status = on.batch.solve_statuses()[i];
      if (host.solve_statuses()[i] == BatchStatus::success) {
        EXPECT_EQ(status, BatchStatus::success) << s;
      }
      const T* const of_s = x.data() + s * on.grid.n;
      if (status == BatchStatus::success) {
        ++solved;
        EXPECT_LE(backward_error(on.grid, on.values.of(s), of_s, on.right(s)), trusted_bound<T>(on.grid.n)) << s;
      } else if (status == BatchStatus::unstable) {
        EXPECT_TRUE(std::isnan(of_s[0]) || on.batch.statuses()[i] == BatchStatus::unstable) << s;
      } else {
        EXPECT_EQ(of_s[0], T(7)) << "written: " << s;
      }
    }
    EXPECT_GT(solved, 10);
    EXPECT_LT(solved, 60);
  }
};

TEST_F(CudaBatchStatus, IsTruthfulForLu) {
  for (const Repivot repivot : {Repivot::automatic, Repivot::report}) {
    expect_truthful<double>(Form::lu, 3, repivot);
    expect_truthful<float>(Form::lu, 3, repivot);
  }
}
TEST_F(CudaBatchStatus, IsTruthfulForLdlt) {
  for (const Repivot repivot : {Repivot::automatic, Repivot::report}) {
    expect_truthful<double>(Form::ldlt, 12, repivot);
    expect_truthful<float>(Form::ldlt, 12, repivot);
  }
}

/// Values that leave the range of the first ones: scales belong to each system.
TEST_F(CudaBatchStatus, ScalesAreThoseOfEachSystem) {
  for (const Form form : {Form::ldlt, Form::lu}) {
    OnDeviceBatch<double> on(device_options(form), 6, 12);
    for (std::int64_t s = 0; s < 12; ++s) {
      double* const values = on.values.of(s);
      for (std::int64_t e = 0; e < on.grid.entries(); ++e) values[e] *= std::ldexp(1.0, static_cast<int>(40 * (s - 6)));
    }
    on.batch.refactorize(on.values.view());
    const std::vector<double> x = on.solve();
    EXPECT_EQ(on.batch.failed(), 0);
    on.expect_accurate(x, unrefined_bound<double>(on.grid.n));
  }
}

TEST_F(CudaBatchStatus, RefinesCholeskyWhenAsked) {
  Options options = device_options(Form::llt);
  options.refinement.max_steps = 3;
  OnDeviceBatch<float> on(options, 12, 33);
  on.batch.refactorize(on.values.view());
  const std::vector<float> x = on.solve();
  for (std::int64_t s = 0; s < 33; ++s) {
    EXPECT_GE(on.batch.solve_report(s).refinement_steps, 1);
    EXPECT_NEAR(on.batch.solve_report(s).backward_error,
                backward_error(on.grid, on.values.of(s), x.data() + s * on.grid.n, on.right(s)), residual_rounding());
  }
  on.expect_accurate(x, static_cast<double>(std::numeric_limits<float>::epsilon()));
}

TEST_F(CudaBatchStatus, PartsOfCholeskyCompose) {
  OnDeviceBatch<double> on(device_options(Form::llt), 5, 9);
  on.batch.refactorize(on.values.view());
  const std::vector<double> b = on.b;
  for (const std::vector<System>& parts :
       {std::vector<System>{System::forward, System::backward}, {System::p, System::l, System::lt, System::pt}}) {
    on.b = b;
    for (const System part : parts) on.b = on.solve(part);
    const std::vector<double> x = std::exchange(on.b, b);
    on.expect_accurate(x, unrefined_bound<double>(on.grid.n));
  }
  // L of the host is the same matrix: y = L⁻¹ P b has its norm.
  BatchSolver<double> host(options_for(Form::llt, 1));
  host.analyze(on.grid.view(), 9);
  host.refactorize(on.values.view());
  std::vector<double> expected(b.size());
  host.solve({b.data(), on.grid.n, 9}, {expected.data(), on.grid.n, 9}, System::forward);
  const std::vector<double> y = on.solve(System::forward);
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], forward_bound(on.grid.n));
}

TEST_F(CudaBatchStatus, FactorizationsHaveEqualBits) {
  OnDeviceBatch<double> on(device_options(Form::lu), 14, 100);
  on.batch.refactorize(on.values.view());
  const std::vector<double> first = on.solve();
  for (int repetition = 0; repetition < 5; ++repetition) {
    on.batch.refactorize(on.values.view());
    const std::vector<double> again = on.solve();
    ASSERT_TRUE(equal_bits(first.data(), again.data(), static_cast<std::int64_t>(first.size())));
  }
}

}  // namespace
}  // namespace gpusupernodal::test::batch
