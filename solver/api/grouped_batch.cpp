#include "solver/api/grouped_batch.hpp"

#include <algorithm>
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
/// At its end, also after an exception, later work on the caller's stream waits for the side streams.
class Forked {
 public:
  Forked(SideStreams* streams, void* stream) : streams_(streams), stream_(stream) {
    if (streams_ != nullptr) streams_->fork(stream_);
  }
  ~Forked() {
    if (streams_ == nullptr) return;
    try {
      streams_->join(stream_);
    } catch (const DeviceError&) {  // The device is lost: the next call says so.
    }
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

/// Systems that would take longer than a worker's share of all take all threads, if they are large enough to gain by that.
template <class T>
void GroupedBatch<T>::make_host_engines(const Options& options, const std::vector<MadeBatch<T>>& made) {
  constexpr double flops_for_threads = 1e6;
  double total = 0.0;
  std::int64_t systems = 0;
  for (const BatchGroup<T>& group : groups_) {
    if (group.engine) continue;
    systems += group.count();
    total += static_cast<double>(group.count()) * cost_of_system(*group.plan);
  }
  const int threads = worker_count(options.threads);
  const auto workers = make_batch_workers(static_cast<int>(std::clamp<std::int64_t>(systems, 1, threads)));
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    BatchGroup<T>& group = groups_[g];
    if (group.engine) continue;
    const double cost = cost_of_system(*group.plan);
    const bool takes_all = cost > flops_for_threads && cost > total / threads;
    auto engine =
        std::make_unique<HostBatch<T>>(made[g].plan, made[g].options, group.count(), workers, takes_all ? threads : 1);
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

/// Groups that were not begun when one has thrown forget their factors.
template <class T>
void GroupedBatch<T>::factorize_on_device(MemorySpace space) {
  std::size_t g = 0;
  try {
    for (; g < groups_.size(); ++g) {
      if (groups_[g].host == nullptr) groups_[g].engine->refactorize(values_of(groups_[g], space), groups_[g].wanted);
    }
  } catch (...) {
    for (++g; g < groups_.size(); ++g) {
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
  const Forked forked(streams_.get(), stream);
  factorize_on_device(space);
  on_host_->for_each([](int worker, BatchGroup<T>& group, std::size_t place) {
    group.host->factorize_system(worker, place, group.values[place]);
  });
}

template <class T>
void GroupedBatch<T>::solve(System part, Span<const DenseView<const T>> b, Span<const DenseView<T>> x, std::int64_t columns,
                            const std::vector<unsigned char>& wanted, void* stream) {
  if (!groups_.empty()) groups_.front().engine->require_part(part);
  reserve_right_hand_sides(std::max<std::int64_t>(columns, 1));
  distribute(wanted);
  std::vector<std::pair<BatchEngine<T>*, std::unique_ptr<GroupVectors<T>>>> started;
  for (BatchGroup<T>& group : groups_) {
    if (group.host != nullptr) group.host->begin_solve(columns, group.wanted);
  }
  const Forked forked(streams_.get(), stream);
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
