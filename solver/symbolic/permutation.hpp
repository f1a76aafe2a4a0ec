#pragma once

/// \file
/// A permutation and its inverse.

#include "base/thread_team.hpp"
#include "solver/common/ids.hpp"

namespace gpusupernodal {

/// old_of_new[k] is the row of A eliminated k-th; new_of_old is its inverse.
struct Permutation {
  IdVector<NewIndex, OldIndex> old_of_new;
  IdVector<OldIndex, NewIndex> new_of_old;

  std::int32_t order() const { return static_cast<std::int32_t>(old_of_new.size()); }
};

/// The permutation with the given elimination order. Precondition: every old index occurs once.
inline Permutation permutation_from(IdVector<NewIndex, OldIndex> old_of_new) {
  Permutation p;
  p.new_of_old.assign(old_of_new.size(), NewIndex());
  for (NewIndex k : old_of_new.ids()) p.new_of_old[old_of_new[k]] = k;
  p.old_of_new = std::move(old_of_new);
  return p;
}

/// Builds the inverse on the threads of a team.
inline Permutation permutation_from(IdVector<NewIndex, OldIndex> old_of_new, ThreadTeam& team) {
  Permutation p;
  p.new_of_old.assign(old_of_new.size(), NewIndex());
  team.for_intervals(static_cast<std::int64_t>(old_of_new.size()), 16384, [&](std::int64_t begin, std::int64_t end) {
    for (NewIndex k : IdRange<NewIndex>(NewIndex(begin), NewIndex(end))) p.new_of_old[old_of_new[k]] = k;
  });
  p.old_of_new = std::move(old_of_new);
  return p;
}

}  // namespace gpusupernodal
