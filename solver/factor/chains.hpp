#pragma once

/// \file
/// Chains: small supernodes above the leaf subtrees that depend on each other and therefore form one task.

#include "solver/factor/schedule.hpp"
#include "solver/factor/updates.hpp"

namespace gpusupernodal {

/// Adds chains to schedule.subtrees and subtree_of. A chain continues from a supernode to its parent as long as
/// - the work of each supernode is at most options.max_chained_flops, and their total work at most
/// options.max_subtree_flops;
/// - the parent has no other child outside the chain, or the work before the parent is at most options.hand_over_flops.
/// A chain includes leaf subtrees between its supernodes whose work is at most options.hand_over_flops. The number of tasks
/// is therefore at most proportional to the work divided by hand_over_flops, for trees of any depth, and the critical path
/// hardly grows. No chain contains `unfactored`. Precondition: cut_leaf_subtrees has set both lists. Cost O(supernodes +
/// updates).
void join_chains(const SymbolicFactor& factor, const UpdateList& updates, const ScheduleOptions& options, Schedule& schedule,
                 SupernodeId unfactored = {});

}  // namespace gpusupernodal
