#pragma once

/// \file
/// Parallel prefix sums and filtered lists. The results do not depend on the number of threads.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/raw_vector.hpp"
#include "base/thread_team.hpp"

namespace gpusupernodal {

/// Divides 0 … count−1 into runs of equal length, for algorithms that traverse the same runs twice.
class Runs {
 public:
  Runs(std::int64_t count, ThreadTeam& team)
      : count_(count),
        team_(team),
        runs_(team.threads() == 1 ? 1 : std::clamp<std::int64_t>(count / shortest, 1, 8 * std::int64_t{team.threads()})) {}

  std::int64_t runs() const { return runs_; }

  /// Calls body(run, begin, end) for every run, concurrently on the team.
  template <class Body>
  void each(const Body& body) const {
    team_.for_intervals(runs_, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t r = first; r < last; ++r)
        body(static_cast<std::size_t>(r), count_ * r / runs_, count_ * (r + 1) / runs_);
    });
  }

 private:
  static constexpr std::int64_t shortest = 8192;

  std::int64_t count_;
  ThreadTeam& team_;
  std::int64_t runs_;
};

/// Replaces the numbers by their inclusive prefix sums. Cost O(count).
template <class Number>
void add_up(Number* numbers, std::int64_t count, ThreadTeam& team) {
  const Runs runs(count, team);
  std::vector<Number> before(static_cast<std::size_t>(runs.runs()), Number{0});
  if (runs.runs() > 1) {
    runs.each([&](std::size_t r, std::int64_t begin, std::int64_t end) {
      Number sum{0};
      for (std::int64_t k = begin; k < end; ++k) sum += numbers[k];
      before[r] = sum;
    });
    Number sum{0};
    for (Number& run : before) sum += std::exchange(run, sum);
  }
  runs.each([&](std::size_t r, std::int64_t begin, std::int64_t end) {
    Number sum = before[r];
    for (std::int64_t k = begin; k < end; ++k) numbers[k] = sum += numbers[k];
  });
}

/// Lists item(k) for the k in 0 … count−1 for which keep(k) holds, in ascending order of k. Any thread may call both
/// functions; keep(k) is called twice.
template <class T, class Keep, class Item>
RawVector<T> list_where(std::int64_t count, ThreadTeam& team, const Keep& keep, const Item& item) {
  const Runs runs(count, team);
  std::vector<std::size_t> before(static_cast<std::size_t>(runs.runs()), 0);
  runs.each([&](std::size_t r, std::int64_t begin, std::int64_t end) {
    std::size_t kept = 0;
    for (std::int64_t k = begin; k < end; ++k) kept += keep(k) ? 1 : 0;
    before[r] = kept;
  });
  std::size_t sum = 0;
  for (std::size_t& run : before) sum += std::exchange(run, sum);
  RawVector<T> list(sum);
  runs.each([&](std::size_t r, std::int64_t begin, std::int64_t end) {
    std::size_t next = before[r];
    for (std::int64_t k = begin; k < end; ++k) {
      if (keep(k)) list[next++] = item(k);
    }
  });
  return list;
}

/// Lists the items for which keep(item) holds, in their order.
template <class T, class Keep>
RawVector<T> filtered(const RawVector<T>& list, ThreadTeam& team, const Keep& keep) {
  const auto item = [&](std::int64_t k) { return list[static_cast<std::size_t>(k)]; };
  return list_where<T>(
      static_cast<std::int64_t>(list.size()), team, [&](std::int64_t k) { return keep(item(k)); }, item);
}

}  // namespace gpusupernodal
