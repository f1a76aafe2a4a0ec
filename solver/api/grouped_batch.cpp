#include "solver/api/grouped_batch.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/stopwatch.hpp"
#include "base/thread_team.hpp"
#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/plan_cache.hpp"
#include "solver/api/checks.hpp"
#include "solver/api/group_vectors.hpp"
#include "solver/api/pattern_groups.hpp"
#include "solver/api/portions.hpp"
#include "solver/common/fail.hpp"
#include "solver/model/cost_model.hpp"

namespace gpusupernodal {
namespace {

template <class T>
MadeBatch<T> choose_for_group(const MatrixView<T>& a, const Options& options, const BatchGroup<T>& group, void* stream) {
  try {
    return choose_batch(a, options, group.count(), stream);
  } catch (const InvalidInput& error) {
    fail<InvalidInput>("system {}: {}", group.systems.front(), error.what());
  }
}

/// Work on the side streams comes after the work that was on the caller's stream at the beginning of this object's life.
/// After join, and after an exception, later work on the caller's stream waits for the side streams.
class Forked {
 public:
  Forked(SideStreams* streams, void* stream) : streams_(streams), stream_(stream) {
    if (streams_ != nullptr) streams_->fork(stream_);
  }
  ~Forked() {
    try {
      join();
    } catch (...) {  // There is an exception already.
    }
  }
  void join() {
    SideStreams* const streams = std::exchange(streams_, nullptr);
    if (streams != nullptr) streams->join(stream_);
  }
  Forked(const Forked&) = delete;
  Forked& operator=(const Forked&) = delete;

 private:
  SideStreams* streams_;
  void* stream_;
};

/// Keeps the plans for later analyses, unless they are so many that they would drop each other from the cache.
template <class T>
void keep_plans(Span<const MatrixView<T>> systems, const std::vector<BatchGroup<T>>& groups,
                const std::vector<MadeBatch<T>>& made) {
  if (static_cast<std::int64_t>(groups.size()) > plan_cache_info().limits.plans) return;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const MatrixView<T>& a = systems[static_cast<std::size_t>(groups[g].systems.front())];
    keep_plan(pattern_of(a), made[g].options, groups[g].plan);
  }
}

/// A group of the host, while it is decided how its systems are computed.
struct HostGroupCost {
  double of_all = 0.0;  ///< Of all of its systems.
  double of_one = 0.0;
  double together = 0.0;  ///< Of all systems one after another, each by as many workers as it is worth.
};

/// Cost of one system that all threads compute together. LU by columns gives most of its work to one thread.
double cost_together(const FactorPlan& plan, int threads) {
  const double path = plan.host().schedule.graph.critical_path_flops;
  const int workers = plan.structure().columns ? 1 : host_factor_workers(plan.structure().stored_flops, path, threads);
  return host_factor_span(cost_of_system(plan), path, workers);
}

/// Returns how many of the groups, the costliest systems first, all threads compute together: as many as shorten the time.
std::size_t groups_together(const std::vector<HostGroupCost>& by_cost, int threads) {
  double rest = 0.0;
  for (const HostGroupCost& group : by_cost) rest += group.of_all;
  const auto time_of_rest = [&](std::size_t first) {
    return first == by_cost.size() ? 0.0 : std::max(by_cost[first].of_one, rest / threads);
  };
  double before = 0.0, best = time_of_rest(0);
  std::size_t chosen = 0;
  for (std::size_t g = 0; g < by_cost.size(); ++g) {
    before += by_cost[g].together;
    rest -= by_cost[g].of_all;
    const double time = before + time_of_rest(g + 1);
    if (time >= best) continue;
    best = time;
    chosen = g + 1;
  }
  return chosen;
}

/// Whether all threads compute the systems of a group together, by group.
template <class T>
std::vector<bool> taken_by_all(const std::vector<BatchGroup<T>>& groups, int threads) {
  std::vector<std::size_t> order;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!groups[g].engine) order.push_back(g);
  }
  const auto cost_of = [&](std::size_t g) { return cost_of_system(*groups[g].plan); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return cost_of(a) > cost_of(b); });
  std::vector<HostGroupCost> by_cost;
  for (const std::size_t g : order) {
    const double cost = cost_of(g), count = static_cast<double>(groups[g].count());
    by_cost.push_back({count * cost, cost, count * cost_together(*groups[g].plan, threads)});
  }
  std::vector<bool> taken(groups.size(), false);
  const std::size_t together = groups_together(by_cost, threads);
  for (std::size_t k = 0; k < together; ++k) taken[order[k]] = true;
  return taken;
}

}  // namespace

template <class T>
GroupedBatch<T>::GroupedBatch(Span<const MatrixView<T>> systems, const Options& options, void* stream)
    : places_(systems.size()) {
  std::vector<MadeBatch<T>> made;
  analyze(systems, options, stream, made);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    groups_[g].plan = made[g].plan.plan;
    groups_[g].engine = std::move(made[g].engine);
  }
  make_streams(options);
  make_host_engines(options, made);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const double seconds = groups_[g].report.seconds_total;
    groups_[g].report = groups_[g].engine->analyze_report();
    groups_[g].report.backend_reason = std::move(made[g].reason);
    groups_[g].report.seconds_total = seconds;
  }
  keep_plans(systems, groups_, made);
}

template <class T>
void GroupedBatch<T>::analyze(Span<const MatrixView<T>> systems, const Options& options, void* stream,
                              std::vector<MadeBatch<T>>& made) {
  std::vector<PatternView> patterns;
  patterns.reserve(systems.size());
  for (const MatrixView<T>& a : systems) patterns.push_back(pattern_of(a));
  std::vector<std::vector<std::int64_t>> lists = group_patterns(patterns);
  groups_.resize(lists.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    BatchGroup<T>& group = groups_[g];
    group.systems = std::move(lists[g]);
    group.wanted.resize(group.systems.size(), 1);
    group.values.resize(group.systems.size());
    for (std::size_t i = 0; i < group.systems.size(); ++i) places_[static_cast<std::size_t>(group.systems[i])] = {g, i};
    const Stopwatch watch;
    made.push_back(choose_for_group(systems[static_cast<std::size_t>(group.systems.front())], options, group, stream));
    group.report.seconds_total = watch.seconds();
  }
}

template <class T>
void GroupedBatch<T>::make_host_engines(const Options& options, const std::vector<MadeBatch<T>>& made) {
  std::int64_t systems = 0;
  for (const BatchGroup<T>& group : groups_) systems += group.engine ? 0 : group.count();
  const int threads = worker_count(options.threads);
  const auto workers = make_batch_workers(static_cast<int>(std::clamp<std::int64_t>(systems, 1, threads)));
  const std::vector<bool> by_all = taken_by_all(groups_, threads);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    BatchGroup<T>& group = groups_[g];
    if (group.engine) continue;
    auto engine =
        std::make_unique<HostBatch<T>>(made[g].plan, made[g].options, group.count(), workers, by_all[g] ? threads : 1);
    group.host = engine.get();
    group.engine = std::move(engine);
  }
  on_host_ = std::make_unique<HostGroups<T>>(groups_, workers);
}

template <class T>
void GroupedBatch<T>::make_streams(const Options& options) {
  constexpr int max_streams = 4;  // A few fill a device; groups that share a stream run one after another.
  const auto on_device = static_cast<int>(
      std::count_if(groups_.begin(), groups_.end(), [](const BatchGroup<T>& group) { return group.engine != nullptr; }));
  if (on_device == 0) return;
  const int count = std::min(on_device, max_streams);
  streams_ = make_cuda_side_streams(first_device(options), count);
  int next = 0;
  for (BatchGroup<T>& group : groups_) {
    if (group.engine) group.engine->set_stream(streams_->stream(next++ % count));
  }
}

template <class T>
void GroupedBatch<T>::distribute(const std::vector<unsigned char>& wanted) {
  for (std::size_t s = 0; s < places_.size(); ++s) groups_[places_[s].group].wanted[places_[s].place] = wanted[s];
}

/// The values of the current call: at a stride if they lie so.
template <class T>
BatchValues<T> GroupedBatch<T>::values_of(const BatchGroup<T>& group, MemorySpace space) const {
  const bool all = std::find(group.wanted.begin(), group.wanted.end(), 0) == group.wanted.end();
  const std::int64_t stride = all ? common_stride(group.values) : -1;
  BatchValues<T> values = stride < 0 ? BatchValues<T>(Span<const T* const>(group.values))
                                     : BatchValues<T>(group.values.front(), stride, group.count());
  values.space = space;
  return values;
}

/// Groups that were not begun when fork() or a group has thrown forget their factors.
template <class T>
template <class Fork>
void GroupedBatch<T>::factorize_on_device(MemorySpace space, const Fork& fork) {
  std::size_t begun = 0;
  try {
    fork();
    for (BatchGroup<T>& group : groups_) {
      ++begun;
      if (group.host == nullptr) group.engine->refactorize(values_of(group, space), group.wanted);
    }
  } catch (...) {
    for (std::size_t g = begun; g < groups_.size(); ++g) {
      if (groups_[g].host == nullptr) groups_[g].engine->forget_factors(groups_[g].wanted);
    }
    throw;
  }
}

template <class T>
void GroupedBatch<T>::refactorize(Span<const T* const> values, MemorySpace space, const std::vector<unsigned char>& wanted,
                                  void* stream) {
  distribute(wanted);
  for (std::size_t s = 0; s < places_.size(); ++s)
    groups_[places_[s].group].values[places_[s].place] = wanted[s] != 0 ? values[s] : nullptr;
  for (BatchGroup<T>& group : groups_) {
    if (group.host != nullptr) group.host->forget_factors(group.wanted);
  }
  std::optional<Forked> forked;
  factorize_on_device(space, [&] { forked.emplace(streams_.get(), stream); });
  on_host_->for_each([](int worker, BatchGroup<T>& group, std::size_t place) {
    group.host->factorize_system(worker, place, group.values[place]);
  });
  forked->join();
}

template <class T>
void GroupedBatch<T>::solve(System part, Span<const DenseView<const T>> b, Span<const DenseView<T>> x, std::int64_t columns,
                            const std::vector<unsigned char>& wanted, void* stream) {
  if (!groups_.empty()) groups_.front().engine->require_part(part);
  distribute(wanted);
  try {
    reserve_right_hand_sides(std::max<std::int64_t>(columns, 1));
    solve_groups(part, b, x, columns, stream);
  } catch (...) {
    for (BatchGroup<T>& group : groups_) group.engine->forget_solve(group.wanted);
    throw;
  }
}

template <class T>
void GroupedBatch<T>::solve_groups(System part, Span<const DenseView<const T>> b, Span<const DenseView<T>> x,
                                   std::int64_t columns, void* stream) {
  std::vector<std::pair<BatchEngine<T>*, std::unique_ptr<GroupVectors<T>>>> started;
  for (BatchGroup<T>& group : groups_) {
    if (group.host != nullptr) group.host->begin_solve(columns, group.wanted);
  }
  Forked forked(streams_.get(), stream);
  for (BatchGroup<T>& group : groups_) {
    if (group.host != nullptr) continue;
    started.emplace_back(group.engine.get(), std::make_unique<GroupVectors<T>>(group, b, x, columns, stream));
    const GroupVectors<T>& vectors = *started.back().second;
    group.engine->start_solve(part, vectors.b(), vectors.x(), group.wanted);
  }
  on_host_->for_each([&](int worker, BatchGroup<T>& group, std::size_t place) {
    const auto system = static_cast<std::size_t>(group.systems[place]);
    group.host->solve_system(worker, place, {part, b[system], x[system]});
  });
  for (auto& [engine, vectors] : started) {
    engine->finish_solve();
    vectors->give();
  }
  forked.join();
}

/// As HostBatch takes workspace: for the columns of one portion.
template <class T>
void GroupedBatch<T>::reserve_right_hand_sides(std::int64_t columns) {
  for (BatchGroup<T>& group : groups_)
    group.engine->reserve_right_hand_sides(group.host != nullptr ? std::min(columns, max_columns_at_once) : columns);
}

template <class T>
void GroupedBatch<T>::read(std::vector<BatchStatus>& statuses, std::vector<BatchStatus>& solve_statuses) {
  for (BatchGroup<T>& group : groups_) {
    const BatchOutcomes& outcomes = group.engine->outcomes();
    for (std::size_t i = 0; i < group.systems.size(); ++i) {
      const auto system = static_cast<std::size_t>(group.systems[i]);
      statuses[system] = outcomes.statuses[i];
      solve_statuses[system] = outcomes.solve_statuses[i];
    }
  }
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class GroupedBatch<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
