/// A user's order costs nothing: tree, supernodes and schedules of a plan depend on the order alone.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpusupernodal/names.hpp"
#include "solver/plan/factor_plan.hpp"
#include "tests/solver/plan/plans.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

PlanOptions for_device(Ordering ordering) {
  PlanOptions options;
  options.symbolic.ordering = ordering;
  options.symbolic.for_device = true;
  options.cuda.emplace();
  return options;
}

std::vector<std::int64_t> old_of_new(const FactorPlan& plan) {
  std::vector<std::int64_t> order;
  for (const OldIndex row : plan.symbolic.permutation.old_of_new) order.push_back(row.value);
  return order;
}

constexpr double price = 0.03;

/// Expects the same work for factorizations and solves on both backends. If siblings come in another order, leaf subtrees,
/// tasks of solves and the padding of panels differ a little and, with ties, a supernode may be merged with another one of
/// equal gain.
void expect_same_work(const FactorPlan& plan, const FactorPlan& other, bool with_ties) {
  EXPECT_EQ(plan.symbolic.nonzeros, other.symbolic.nonzeros);
  EXPECT_EQ(plan.symbolic.flops, other.symbolic.flops);
  EXPECT_EQ(plan.structure().shape.height, other.structure().shape.height);
  EXPECT_EQ(plan.cuda().fronts.levels.size(), other.cuda().fronts.levels.size());
  const auto near = [](auto count, auto expected) {
    EXPECT_NEAR(static_cast<double>(count), static_cast<double>(expected), price * static_cast<double>(expected));
  };
  if (with_ties) {
    near(other.symbolic.supernodes(), plan.symbolic.supernodes());
    near(other.structure().stored_flops, plan.structure().stored_flops);
  } else {
    EXPECT_EQ(other.symbolic.supernodes(), plan.symbolic.supernodes());
    EXPECT_EQ(other.structure().stored_flops, plan.structure().stored_flops);
  }
  near(other.panels.values(), plan.panels.values());
  near(other.host().schedule.graph.tasks.size(), plan.host().schedule.graph.tasks.size());
  near(other.cuda().solve.forward_one_rhs.tasks.size(), plan.cuda().solve.forward_one_rhs.tasks.size());
  near(other.cuda().solve.backward_one_rhs.tasks.size(), plan.cuda().solve.backward_one_rhs.tasks.size());
  near(other.cuda().solve.forward.tasks.size(), plan.cuda().solve.forward.tasks.size());
}

TEST(UserOrder, GivesThePlanOfTheOrderingThatMadeIt) {
  std::vector<io::SymmetricMatrix> matrices{random_spd(700, 2500, 5), joined_cliques_spd(5, 40, 9, 3)};
  for (const char* spec : {"lap2d:60", "lap3d:14", "elas:8", "shell:14"}) matrices.push_back(io::generate(spec));
  for (const io::SymmetricMatrix& a : matrices) {
    for (const Ordering ordering : {Ordering::metis, Ordering::nested_dissection, Ordering::amd}) {
      SCOPED_TRACE(a.name + ", ordering " + gpusupernodal::name_of(ordering));
      const auto plan = plan_of(a, for_device(ordering));
      const std::vector<std::int64_t> order = old_of_new(*plan);
      PlanOptions options = for_device(Ordering::user);
      options.symbolic.user_permutation = order;
      const auto other = plan_of(a, options);
      expect_same_work(*plan, *other, a.name == "lap2d:60" && ordering == Ordering::nested_dissection);
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
