#include "solver/factor/updates.hpp"

#include <gtest/gtest.h>

#include "tests/solver/plan/plans.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

/// Tries every pair (J, K): J updates K if a row of J is a column of K.
void expect_updates(const SymbolicFactor& factor, const UpdateList& list) {
  std::size_t found = 0;
  for (SupernodeId k : factor.supernode_ids()) {
    UpdateId u = list.first_into[k];
    for (SupernodeId j : IdRange<SupernodeId>(SupernodeId(0), k)) {
      const auto rows = factor.rows_of(j);
      const auto first = std::find_if(rows.begin(), rows.end(), [&](NewIndex i) { return factor.supernode_of[i] == k; });
      if (first == rows.end()) continue;
      const auto columns = std::count_if(rows.begin(), rows.end(), [&](NewIndex i) { return factor.supernode_of[i] == k; });
      ASSERT_LT(u, list.first_into[k + 1]);
      const Update& update = list.updates[u];
      ASSERT_EQ(update.source, j) << "sources of a target ascend";
      ASSERT_EQ(update.target, k);
      ASSERT_EQ(update.row_begin, first - rows.begin());
      ASSERT_EQ(update.columns(), columns);
      for (auto i = first; i != rows.end(); ++i) {
        const auto place = static_cast<std::size_t>(update.relative + (i - first));
        ASSERT_EQ(list.relative_rows[place], panel_row(factor, k, *i));
      }
      ++u;
      ++found;
    }
    ASSERT_EQ(u, list.first_into[k + 1]);
  }
  ASSERT_EQ(found, list.updates.size());
}

void expect_by_source(const SymbolicFactor& factor, const UpdateList& list) {
  std::size_t listed = 0;
  for (SupernodeId j : factor.supernode_ids()) {
    SupernodeId last = j;
    for (UpdateId u : list.from_source(j)) {
      ASSERT_EQ(list.updates[u].source, j);
      ASSERT_GT(list.updates[u].target, last) << "targets of a source ascend";
      last = list.updates[u].target;
      ++listed;
    }
  }
  ASSERT_EQ(listed, list.updates.size());
}

TEST(Updates, AgreeWithTestingAllPairs) {
  for (const auto& a : small_matrices()) {
    for (Merging merging : all_mergings()) {
      SCOPED_TRACE(a.name);
      const SymbolicFactor factor = analyze(graph_of(a), Ordering::amd, merging);
      const UpdateList list = build_updates(factor);
      expect_updates(factor, list);
      expect_by_source(factor, list);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
