#include "solver/factor/assembly_map.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/solver/plan/plans.hpp"
#include "tests/solver/plan/stored_matrix.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

using Place = std::pair<std::int64_t, std::int64_t>;  ///< Row ≥ column in the caller's numbering.

std::map<Place, double> entries_of(const io::SymmetricMatrix& a) {
  std::map<Place, double> entries;
  for (std::size_t j = 0; j < static_cast<std::size_t>(a.n); ++j) {
    for (auto e = static_cast<std::size_t>(a.offsets[j]); e < static_cast<std::size_t>(a.offsets[j + 1]); ++e) {
      entries[{a.indices[e], static_cast<std::int64_t>(j)}] = a.values[e];
    }
  }
  return entries;
}

/// Reads A back through the map: the position from row and column of L, the value from the source.
void expect_map(const io::SymmetricMatrix& a, const StoredMatrix<double>& stored, const FactorPlan& plan) {
  const AssemblyMap& map = plan.assembly;
  const SymbolicFactor& factor = plan.symbolic;
  const auto& old_of_new = factor.permutation.old_of_new;
  std::map<Place, double> read;
  std::set<std::int64_t> targets;
  ASSERT_EQ(map.entries_of_a, static_cast<std::int64_t>(stored.values.size()));
  ASSERT_EQ(map.offset.back(), static_cast<std::int64_t>(map.source.size()));
  for (SupernodeId s : factor.supernode_ids()) {
    for (std::int64_t e = map.offset[s]; e < map.offset[s + 1]; ++e) {
      const auto k = static_cast<std::size_t>(e);
      const NewIndex row = map.row[k];
      const NewIndex column = map.column[k];
      ASSERT_GE(row, column);
      ASSERT_EQ(factor.supernode_of[column], s);
      ASSERT_EQ(map.target[k], plan.panels.index(s, panel_row(factor, s, row), column - factor.first_column[s]));
      ASSERT_TRUE(targets.insert(map.target[k]).second) << "every target occurs once";
      const Place place = std::minmax(old_of_new[row].value, old_of_new[column].value);
      ASSERT_TRUE(
          read.emplace(Place{place.second, place.first}, stored.values[static_cast<std::size_t>(map.source[k])]).second);
    }
  }
  EXPECT_EQ(read, entries_of(a));
}

class AssemblyForms : public testing::TestWithParam<Form> {};

TEST_P(AssemblyForms, EveryReadEntryIsAssembledOnce) {
  for (const auto& a : small_matrices()) {
    if (a.n > 70 && a.name.find("lap") == std::string::npos && a.name.find("elas") == std::string::npos) continue;
    SCOPED_TRACE(a.name);
    const StoredMatrix<double> stored = store<double>(a, GetParam());
    for (Merging merging : {Merging::none, Merging::bounded}) {
      expect_map(a, stored, *make_plan(stored.pattern(), plan_options(Ordering::amd, merging)));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

std::string test_name(const testing::TestParamInfo<Form>& form) {
  std::string name = form.param.name();
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, AssemblyForms, testing::ValuesIn(all_forms()), test_name);

/// Diagonal entries that are not stored (they are zero, or come from a shift) still have a place in L.
TEST(AssemblyMap, MissingDiagonalEntriesAreAllowed) {
  OwnedPattern pattern({{1}, {2}, {}});
  const auto plan = make_plan(pattern.view(), plan_options(Ordering::natural, Merging::none));
  EXPECT_EQ(plan->assembly.source.size(), 2U);
  EXPECT_EQ(plan->symbolic.nonzeros, 5);
}

}  // namespace
}  // namespace gpusupernodal::test
