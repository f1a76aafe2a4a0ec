#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "tests/solver/plan/plans.hpp"
#include "tests/solver/symbolic/factor_checks.hpp"
#include "tests/support/sanitized.hpp"

namespace gpusupernodal::test {
namespace {

constexpr std::int64_t max_of_32_bits = std::numeric_limits<std::int32_t>::max();

#if GPUSUPERNODAL_TEST_SANITIZED
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// Nested dissection of an N³ grid by planes: first both halves, then the plane between them.
class GridDissection {
 public:
  explicit GridDissection(std::int64_t nodes) : nodes_(nodes) {
    order_.reserve(static_cast<std::size_t>(nodes * nodes * nodes));
    dissect({0, 0, 0}, {nodes, nodes, nodes});
  }
  std::vector<std::int64_t> old_of_new() && { return std::move(order_); }

 private:
  using Corner = std::array<std::int64_t, 3>;

  void dissect(const Corner& low, const Corner& high) {
    std::size_t longest = 0;
    for (std::size_t d = 1; d < 3; ++d) {
      if (high[d] - low[d] > high[longest] - low[longest]) longest = d;
    }
    if (high[longest] - low[longest] <= 2) return list(low, high);
    const std::int64_t middle = (low[longest] + high[longest]) / 2;
    Corner inner_high = high;
    Corner inner_low = low;
    inner_high[longest] = middle;
    dissect(low, inner_high);
    inner_low[longest] = middle + 1;
    dissect(inner_low, high);
    inner_low[longest] = middle;
    inner_high[longest] = middle + 1;
    list(inner_low, inner_high);
  }
  void list(const Corner& low, const Corner& high) {
    for (std::int64_t z = low[2]; z < high[2]; ++z) {
      for (std::int64_t y = low[1]; y < high[1]; ++y) {
        for (std::int64_t x = low[0]; x < high[0]; ++x) order_.push_back((z * nodes_ + y) * nodes_ + x);
      }
    }
  }

  std::int64_t nodes_;
  std::vector<std::int64_t> order_;
};

/// Offsets ascend without overflow, and the stored sizes agree with the shapes.
void expect_consistent(const FactorPlan& plan) {
  const SymbolicFactor& factor = plan.symbolic;
  std::int64_t trapezoids = 0;
  for (SupernodeId s : factor.supernode_ids()) {
    const std::int64_t width = factor.width(s);
    ASSERT_GE(plan.panels.value_offset[s + 1] - plan.panels.value_offset[s],
              width * (width + 1) / 2 + width * factor.rows_below(s));
    trapezoids += width * (width + 1) / 2 + width * factor.rows_below(s);
  }
  ASSERT_GE(trapezoids, factor.nonzeros);
  ASSERT_GE(plan.panels.values(), trapezoids);
  ASSERT_EQ(plan.memory(Backend::host, ScalarType::real_double, false).factor, plan.panels.values() * 8);
  for (std::size_t e = 0; e < plan.assembly.target.size(); ++e) {
    const SupernodeId s = factor.supernode_of[plan.assembly.column[e]];
    ASSERT_GE(plan.assembly.target[e], plan.panels.value_offset[s]);
    ASSERT_LT(plan.assembly.target[e], plan.panels.value_offset[s + 1]);
  }
}

TEST(LargePlan, GridWithMoreThan32BitsOfEntries) {
  if (sanitized) GTEST_SKIP() << "too slow and large under a sanitizer";
  constexpr std::int64_t nodes = 140;
  const std::vector<std::int64_t> permutation = GridDissection(nodes).old_of_new();
  const io::SymmetricMatrix a = io::generate("lap3d:" + std::to_string(nodes));
  PlanOptions options;
  options.symbolic.ordering = Ordering::user;
  options.symbolic.user_permutation = permutation;
  const auto plan = plan_of(a, options);
  EXPECT_GT(plan->symbolic.nonzeros, max_of_32_bits);
  EXPECT_GT(plan->panels.values(), max_of_32_bits);
  expect_consistent(*plan);
  expect_well_formed(plan->symbolic);
}

/// Eliminating the centre of a star first makes the rest dense: L is one triangle of n(n+1)/2 entries.
TEST(LargePlan, SupernodeWithMoreThan32BitsOfValues) {
  constexpr std::int64_t n = 66'000;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < n; ++i) indices.push_back(i);
  for (std::int64_t i = 1; i <= n; ++i) {
    offsets.push_back(n + i - 1);
    if (i < n) indices.push_back(i);
  }
  PatternView pattern;
  pattern.n = n;
  pattern.offsets = offsets.data();
  pattern.indices = indices.data();
  PlanOptions options = plan_options(Ordering::natural, Merging::none);
  options.block_width = 4096;
  const auto plan = make_plan(pattern, options);
  EXPECT_EQ(plan->symbolic.supernodes(), 1);
  EXPECT_EQ(plan->symbolic.nonzeros, n * (n + 1) / 2);
  // The trapezoids of 128 whole block columns, and the square of the last one.
  constexpr std::int64_t whole = n / panel_block;
  constexpr std::int64_t left = n % panel_block;
  constexpr std::int64_t values =
      whole * panel_block * n - panel_block * panel_block * whole * (whole - 1) / 2 + left * left;
  static_assert(values > max_of_32_bits);
  EXPECT_EQ(plan->panels.values(), values);
  EXPECT_EQ(plan->assembly.target.back(), values - 1) << "the last diagonal entry is the last value";
  expect_consistent(*plan);
}

}  // namespace
}  // namespace gpusupernodal::test
