#include "solver/backend/merge_parts.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <vector>

#include "tests/support/thread_fabric.hpp"

namespace gpusupernodal::test {
namespace {

/// A group of neighbouring parts.
struct Group {
  int first;
  int last;
  bool in_order;  ///< Whether it was merged from neighbours only.
};

TEST(MergeParts, MergesNeighboursInAscendingOrder) {
  for (int parts = 1; parts <= 9; ++parts) {
    std::mutex mutex;
    std::vector<Group> results;
    run_parts(parts, [&](Fabric& fabric) {
      const Group own{fabric.part(), fabric.part(), true};
      const Group all = merge_parts(fabric, own, [](const Group& a, const Group& b) {
        return Group{a.first, b.last, a.in_order && b.in_order && b.first == a.last + 1};
      });
      const std::lock_guard<std::mutex> lock(mutex);
      results.push_back(all);
    });
    ASSERT_EQ(results.size(), static_cast<std::size_t>(parts));
    for (const Group& group : results) {
      EXPECT_EQ(group.first, 0) << parts;
      EXPECT_EQ(group.last, parts - 1) << parts;
      EXPECT_TRUE(group.in_order) << parts;
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
