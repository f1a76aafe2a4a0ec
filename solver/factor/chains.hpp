#pragma once

/// \file
/// Chains: small supernodes above the leaf subtrees that wait for one another and so are one task.

#include "solver/factor/schedule.hpp"
#include "solver/factor/updates.hpp"

namespace gpusupernodal {

/// Replaces schedule.subtrees and subtree_of of cut_leaf_subtrees by a list that has chains as well. A chain goes up from
/// supernode to parent as long as
/// - the work of each supernode is at most options.max_chained_flops, and that of all at most options.max_subtree_flops;
/// - it has to wait for no other child, unless what it has done before that is at most options.hand_over_flops.
/// It takes in leaf subtrees that lie between its supernodes where they have at most options.hand_over_flops of work.
/// So the number of tasks is at most proportional to the work divided by hand_over_flops, however deep the tree is, and the
/// longest path grows by little. Cost O(supernodes + updates).
void join_chains(const SymbolicFactor& factor, const UpdateList& updates, const ScheduleOptions& options,
                 Schedule& schedule);

}  // namespace gpusupernodal
