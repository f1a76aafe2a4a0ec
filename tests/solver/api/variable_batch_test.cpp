/// Systems with several patterns get what a Solver gives each of them, in all forms and scalars.

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/variable_batch_problems.hpp"
#include "tests/support/allow_threads.hpp"

namespace gpusupernodal::test::batch {
namespace {

template <class T, Form form_value>
struct Kind {
  using Scalar = T;
  static constexpr Form form = form_value;
};

template <class K>
class VariableBatchOfKind : public testing::Test {};
using Kinds =
    testing::Types<Kind<float, Form::llt>, Kind<double, Form::llt>, Kind<std::complex<float>, Form::llt>,
                   Kind<std::complex<double>, Form::llt>, Kind<float, Form::ldlt>, Kind<double, Form::ldlt>,
                   Kind<std::complex<float>, Form::ldlt>, Kind<std::complex<double>, Form::ldlt>, Kind<float, Form::lu>,
                   Kind<double, Form::lu>, Kind<std::complex<float>, Form::lu>, Kind<std::complex<double>, Form::lu>>;
TYPED_TEST_SUITE(VariableBatchOfKind, Kinds);

/// Orders 0 and 1 are among them, and patterns that occur once and more often.
TYPED_TEST(VariableBatchOfKind, HasTheBitsOfASolverForAnyNumberOfThreads) {
  using T = typename TypeParam::Scalar;
  allow_threads(20);
  GridList<T> list(TypeParam::form, {6, 0, 1, 3, 6, 1, 8, 3, 6, 0, 2}, 3);
  for (const int threads : {1, 2, 5, 20}) {
    VariableBatchSolver<T> batch(options_for(TypeParam::form, threads));
    batch.analyze(list.views());
    EXPECT_EQ(batch.count(), 11);
    EXPECT_EQ(batch.patterns(), 6);
    EXPECT_EQ(batch.pattern_of(4), batch.pattern_of(0));
    EXPECT_EQ(batch.pattern_of(3), 3);
    EXPECT_EQ(batch.order(6), 64);
    EXPECT_EQ(batch.analyze_report(batch.pattern_of(6)).n, 64);
    EXPECT_EQ(batch.statuses()[0], BatchStatus::not_factorized);
    list.refactorize(batch);
    EXPECT_EQ(batch.failed(), 0);
    list.solve(batch);
    list.expect_solvers(batch);
  }
}

TYPED_TEST(VariableBatchOfKind, FailedSystemsDoNotAffectOthers) {
  using T = typename TypeParam::Scalar;
  const bool is_llt = TypeParam::form == Form::llt;
  GridList<T> list(TypeParam::form, {4, 5, 4, 1, 5, 3});
  list.values[1][list.grids[1]->diagonal(7)] = number_not_finite<T>();
  list.values[2][list.grids[2]->diagonal(3)] = is_llt ? T(-1) : list.values[2][list.grids[2]->diagonal(3)];
  if (!is_llt) std::fill(list.values[2].begin(), list.values[2].end(), T(0));
  list.values[3][0] = T(0);
  for (const int threads : {1, 3}) {
    VariableBatchSolver<T> batch(options_for(TypeParam::form, threads));
    batch.analyze(list.views());
    list.refactorize(batch);
    EXPECT_EQ(batch.failed(), 3);
    EXPECT_EQ(batch.statuses()[1], BatchStatus::non_finite_input);
    EXPECT_EQ(batch.report(1).failed_column, 7);
    EXPECT_EQ(batch.statuses()[2], is_llt ? BatchStatus::not_positive_definite : BatchStatus::singular);
    EXPECT_EQ(batch.statuses()[3], is_llt ? BatchStatus::not_positive_definite : BatchStatus::singular);
    list.solve(batch);
    list.expect_solvers(batch);
    EXPECT_EQ(batch.statuses()[4], BatchStatus::success);
  }
}

TYPED_TEST(VariableBatchOfKind, SolvesWithTheTransposeTheAdjointAndRefinement) {
  using T = typename TypeParam::Scalar;
  GridList<T> list(TypeParam::form, {4, 2, 4, 5});
  Options options = options_for(TypeParam::form, 2);
  options.refinement.max_steps = 2;
  VariableBatchSolver<T> batch(options);
  batch.analyze(list.views());
  list.refactorize(batch);
  for (const System part : {System::transposed, System::adjoint}) {
    list.solve(batch, part);
    list.expect_solvers(batch, part);
  }
}

/// Statuses, exchanged rows and refused solutions are those of a Solver, too.
template <class T>
void expect_equal_statuses(Form form, const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> all;
  for (int repetition = 0; repetition < 20; ++repetition) all.insert(all.end(), sizes.begin(), sizes.end());
  GridList<T> list(form, all);
  VariableBatchSolver<T> batch(options_for(form, 2));
  batch.analyze(list.views());
  for (std::size_t s = sizes.size(); s < all.size(); ++s)
    make_doubtful(*list.grids[s], list.values[s].data(), static_cast<std::int64_t>(s));
  list.refactorize(batch);
  list.solve(batch);
  list.expect_solvers(batch);
  std::int64_t repivoted = 0;
  for (std::int64_t s = 0; s < list.count(); ++s) repivoted += batch.report(s).repivoted;
  if (form == Form::lu) {
    EXPECT_GT(repivoted, 0);
  }
  EXPECT_GT(batch.failed(), 0);
  EXPECT_LT(batch.failed(), list.count() / 2);
}

TEST(VariableBatchStatus, IsThatOfASolverForLu) { expect_equal_statuses<double>(Form::lu, {3, 4, 5}); }
TEST(VariableBatchStatus, IsThatOfASolverForLdlt) { expect_equal_statuses<double>(Form::ldlt, {12, 5, 3}); }

/// The large system takes more than a thread's share of the work.
TEST(VariableBatch, ComputesALargeSystemWithAllThreads) {
  allow_threads(20);
  GridList<double> list(Form::llt, {2, 120, 3, 3, 2});
  for (const int threads : {1, 3}) {
    VariableBatchSolver<double> batch(options_for(Form::llt, threads));
    batch.analyze(list.views());
    const auto device_of = [&](std::int64_t system) { return batch.analyze_report(batch.pattern_of(system)).device; };
    EXPECT_NE(device_of(0).find("workers of"), std::string::npos) << device_of(0);
    EXPECT_EQ(device_of(1).find("workers of") == std::string::npos, threads == 3) << device_of(1);
    list.refactorize(batch);
    list.solve(batch);
    list.expect_solvers(batch);
    EXPECT_EQ(batch.failed(), 0);
  }
}

/// Each system is as large as the share of a thread, but several threads would not gain by computing one together.
TEST(VariableBatch, GivesEachSystemOfMiddleSizeAThread) {
  allow_threads(20);
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 40; size < 50; ++size) sizes.push_back(size);
  GridList<double> list(Form::llt, sizes);
  VariableBatchSolver<double> batch(options_for(Form::llt, 16));
  batch.analyze(list.views());
  ASSERT_EQ(batch.patterns(), 10);
  for (std::int64_t p = 0; p < batch.patterns(); ++p) {
    const std::string& device = batch.analyze_report(p).device;
    EXPECT_NE(device.find("workers of"), std::string::npos) << device;
  }
}

TEST(VariableBatch, ComputesManySmallSystemsOfManyPatterns) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t s = 0; s < 300; ++s) sizes.push_back(s * s % 11);
  GridList<double> list(Form::lu, sizes);
  VariableBatchSolver<double> batch(options_for(Form::lu, 4));
  batch.analyze(list.views());
  EXPECT_EQ(batch.patterns(), 6) << "the squares modulo 11";
  list.refactorize(batch);
  list.solve(batch);
  EXPECT_EQ(batch.failed(), 0);
  list.expect_solvers(batch);
  VariableBatchSolver<double> moved = std::move(batch);
  list.refactorize(moved);
  EXPECT_EQ(moved.report(299).factorizations, 2);
}

}  // namespace
}  // namespace gpusupernodal::test::batch
