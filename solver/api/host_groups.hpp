#pragma once

/// \file
/// HostGroups: one loop over the systems of many groups on the host.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "solver/api/batch_group.hpp"
#include "solver/backend/batch_store.hpp"

namespace gpusupernodal {

/// Systems that all threads compute together come first, one by one; then each worker takes systems of any group, those with
/// the most operations first, so that the workers end together.
template <class T>
class HostGroups {
 public:
  /// Takes the groups that have an engine of the host. Precondition: the groups stay where they are, and their engines have
  /// these workers.
  HostGroups(std::vector<BatchGroup<T>>& groups, std::shared_ptr<BatchWorkers> workers);

  /// Calls call(worker, group, place) for each wanted system of the groups; a worker makes one call at a time. Rethrows as
  /// BatchWorkers::for_each. Allocates nothing.
  template <class Call>
  void for_each(const Call& call);

 private:
  struct Item {
    BatchGroup<T>* group;
    std::size_t place;
    double cost;
  };
  void divide();

  std::shared_ptr<BatchWorkers> workers_;
  std::vector<Item> together_;          ///< Systems that take all threads.
  std::vector<Item> items_;             ///< The others, the costliest first.
  std::vector<std::size_t> begins_{0};  ///< Where portions of items_ begin, and the end.
};

/// An estimate of a factorization and a solve in flops, for comparisons with other systems.
inline double cost_of_system(const FactorPlan& plan) {
  constexpr double flops_per_row = 200.0;  // What does not depend on the factor, such as the checks of b.
  return plan.structure().stored_flops + flops_per_row * static_cast<double>(plan.symbolic.order() + 1);
}

template <class T>
HostGroups<T>::HostGroups(std::vector<BatchGroup<T>>& groups, std::shared_ptr<BatchWorkers> workers)
    : workers_(std::move(workers)) {
  for (BatchGroup<T>& group : groups) {
    if (group.host == nullptr) continue;
    std::vector<Item>& items = group.host->threads() > 1 ? together_ : items_;
    const double cost = cost_of_system(*group.plan);
    for (std::size_t i = 0; i < group.systems.size(); ++i) items.push_back({&group, i, cost});
  }
  std::stable_sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) { return a.cost > b.cost; });
  divide();
}

/// Portions that cost a small part of a worker's share: taking them costs little, and workers end together.
template <class T>
void HostGroups<T>::divide() {
  constexpr double portions_of_worker = 16.0;
  constexpr std::size_t most = 64;
  double total = 0.0;
  for (const Item& item : items_) total += item.cost;
  const double enough = total / (portions_of_worker * workers_->count());
  double cost = 0.0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    cost += items_[i].cost;
    const bool is_last = i + 1 == items_.size();
    if (cost < enough && i + 1 - begins_.back() < most && !is_last) continue;
    begins_.push_back(i + 1);
    cost = 0.0;
  }
}

template <class T>
template <class Call>
void HostGroups<T>::for_each(const Call& call) {
  const auto visit = [&](int worker, const Item& item) {
    if (item.group->wanted[item.place] != 0) call(worker, *item.group, item.place);
  };
  for (const Item& item : together_) visit(0, item);
  const auto work = [&](int worker, std::int64_t portion) {
    const auto p = static_cast<std::size_t>(portion);
    for (std::size_t i = begins_[p]; i < begins_[p + 1]; ++i) visit(worker, items_[i]);
  };
  workers_->for_each(static_cast<std::int64_t>(begins_.size()) - 1, 1, std::ref(work));
}

}  // namespace gpusupernodal
