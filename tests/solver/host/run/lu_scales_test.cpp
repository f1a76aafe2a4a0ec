/// Scales of LU on the host: those of the analysis while they suit the values, otherwise those of an equilibration.

#include "solver/host/run/lu_scales.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "solver/plan/factor_plan.hpp"
#include "tests/solver/api/lu_problems.hpp"
#include "tests/solver/backend/counting_allocator.hpp"

namespace gpusupernodal::test {
namespace {

/// The scales of one matrix, analyzed with its values.
template <class T>
class ScalesOfSequence {
 public:
  using Real = typename ScalarTraits<T>::Real;

  explicit ScalesOfSequence(const GeneralEntries& analyzed) : first_(store_general<T>(analyzed)) {
    Solver<T> solver(lu_options(1));
    solver.compute(first_.view());
    plan_ = solver.plan();
    scales_.emplace(plan_->host(), std::make_shared<CountingAllocator>());
    for (auto* vector : {&workspace_.row, &workspace_.column, &workspace_.largest})
      vector->resize(static_cast<std::size_t>(analyzed.n));
    scaled_.resize(plan_->assembly.source.size());
  }

  /// Sets the scales for these values. Returns those of the rows, in elimination order.
  std::vector<Real> set(const std::vector<T>& values) {
    FactorInput<T> input;
    input.values = values.data();
    scales_->set(input, workspace_, scaled_.data());
    return {scales_->row(), scales_->row() + plan_->symbolic.order()};
  }
  std::vector<Real> set() { return set(first_.values); }

  /// The values of the analysis, times factor(row), where rows are in the caller's numbering.
  template <class Factor>
  std::vector<T> with_rows_times(const Factor& factor) const {
    std::vector<T> values = first_.values;
    const AssemblyMap& map = plan_->assembly;
    for (std::size_t e = 0; e < map.source.size(); ++e) {
      values[static_cast<std::size_t>(map.source[e])] *=
          static_cast<Real>(factor(plan_->structure().general->old_row_of_new[map.row[e]].value));
    }
    return values;
  }

  /// The smallest and the largest of the largest magnitudes of all rows and columns of the scaled matrix.
  std::pair<double, double> extremes() const {
    const AssemblyMap& map = plan_->assembly;
    const auto n = static_cast<std::size_t>(plan_->symbolic.order());
    std::vector<double> largest(2 * n, 0.0);
    for (std::size_t e = 0; e < scaled_.size(); ++e) {
      const auto row = static_cast<std::size_t>(map.row[e].value), column = static_cast<std::size_t>(map.column[e].value);
      largest[row] = std::max(largest[row], static_cast<double>(std::abs(scaled_[e])));
      largest[n + column] = std::max(largest[n + column], static_cast<double>(std::abs(scaled_[e])));
    }
    const auto [low, high] = std::minmax_element(largest.begin(), largest.end());
    EXPECT_EQ(scales_->largest_entry(), *high);
    return {*low, *high};
  }
  bool has_matching() const { return !plan_->structure().general->matching.row_scale.empty(); }

 private:
  StoredGeneral<T> first_;
  std::shared_ptr<const FactorPlan> plan_;
  std::optional<LuScales<T>> scales_;
  Scales workspace_;
  std::vector<T> scaled_;
};

TEST(LuScalesOfSequences, StayWhileTheySuitTheValues) {
  ScalesOfSequence<double> sequence(convection(5, 0.5));
  ASSERT_FALSE(sequence.has_matching());
  const std::vector<double> analyzed = sequence.set();
  const auto [low, high] = sequence.extremes();
  EXPECT_GT(low, 1.0 / 6.0);
  EXPECT_LE(high, 3.0);
  EXPECT_EQ(sequence.set(sequence.with_rows_times([](std::int32_t i) { return i % 2 == 0 ? 2.0 : 0.5; })), analyzed);
}

TEST(LuScalesOfSequences, FollowValuesThatMoveAwayAndReturnWithThem) {
  ScalesOfSequence<double> sequence(convection(5, 0.5));
  const std::vector<double> analyzed = sequence.set();
  for (const double factor : {1e-9, 1e-2, 1e2, 1e9}) {
    const auto change = [factor](std::int32_t i) { return i % 3 == 0 ? factor : 1.0; };
    EXPECT_NE(sequence.set(sequence.with_rows_times(change)), analyzed) << factor;
    const auto [low, high] = sequence.extremes();
    EXPECT_GT(low, 1.0 / 6.0) << factor;
    EXPECT_LE(high, 3.0) << factor;
    EXPECT_EQ(sequence.set(), analyzed) << "they depend on the values of the analysis and the current ones alone";
  }
}

TEST(LuScalesOfSequences, IgnoreRowsOfZerosAndNaN) {
  ScalesOfSequence<double> sequence(convection(5, 0.5));
  const std::vector<double> analyzed = sequence.set();
  for (const double factor : {0.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(sequence.set(sequence.with_rows_times([&](std::int32_t i) { return i == 7 ? factor : 1.0; })), analyzed);
  }
}

template <class T>
class LuScalesOfFloats : public testing::Test {};
using Floats = testing::Types<float, std::complex<float>>;
TYPED_TEST_SUITE(LuScalesOfFloats, Floats);

/// Entries near 1e-20 have scales that take 1e25 out of the range of float, and those of entries near 1e20 make 1e-28 zero.
TYPED_TEST(LuScalesOfFloats, FollowFiniteValuesThatOldScalesTakeOutOfRange) {
  for (const double size : {1e-20, 1e20}) {
    GeneralEntries a = convection(4, 0.5);
    for (auto& [place, value] : a.entries) value *= size;
    ScalesOfSequence<TypeParam> sequence(a);
    const auto analyzed = sequence.set();
    for (const bool all : {false, true}) {
      const double factor = size < 1.0 ? 1e38 : 1e-38;
      const auto values = sequence.with_rows_times([&](std::int32_t i) { return all || i == 7 ? factor : 1.0; });
      EXPECT_NE(sequence.set(values), analyzed) << size;
      const auto [low, high] = sequence.extremes();
      EXPECT_GT(low, 1.0 / 32.0) << size << ": five sweeps reduce a factor of 2^126 to less than 2^5";
      EXPECT_LE(high, 3.0) << size;
      EXPECT_EQ(sequence.set(), analyzed);
    }
  }
}

TEST(LuScalesOfSequences, OfAMatchingStayUntilAnEntryIsLarge) {
  GeneralEntries ring{30, {}};
  for (std::int64_t i = 0; i < ring.n; ++i) {
    ring(i, (i + 1) % ring.n) = 4.0;
    ring(i, (i + 5) % ring.n) = 1.0;
  }
  ScalesOfSequence<double> sequence(ring);
  ASSERT_TRUE(sequence.has_matching());
  const std::vector<double> analyzed = sequence.set();
  EXPECT_EQ(sequence.set(sequence.with_rows_times([](std::int32_t i) { return i == 3 ? 100.0 : 1.0; })), analyzed);
  EXPECT_NE(sequence.set(sequence.with_rows_times([](std::int32_t i) { return i == 3 ? 1e5 : 1.0; })), analyzed);
  EXPECT_EQ(sequence.set(), analyzed);
}

}  // namespace
}  // namespace gpusupernodal::test
