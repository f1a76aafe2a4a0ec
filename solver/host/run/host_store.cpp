/// \file
/// The systems of a batch on the host, and the workers that compute them.

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <limits>
#include <vector>

#include "gpusupernodal/build_config.hpp"
#include "solver/backend/batch_store.hpp"
#include "solver/host/run/host_executor.hpp"
#include "solver/host/run/ordered_runner.hpp"
#include "solver/host/run/slab_allocator.hpp"
#include "solver/host/run/workers.hpp"

namespace gpusupernodal {
namespace {

constexpr std::int64_t address_space = std::int64_t{1} << 47;
constexpr const char* slab_name = "the systems of a batch";

/// A slab for `systems` systems.
template <class S>
std::shared_ptr<Allocator> slab_for(const HostPlan& plan, const ExecutorOptions& options, std::int64_t systems) {
  const std::shared_ptr<Allocator> source = options.allocator ? options.allocator : default_host_allocator();
  const auto measured = std::make_shared<MeasuringAllocator>(source);
  if (systems > 0) HostSystem<S>(plan, options, measured);
  if (measured->bytes() > 0 && systems > address_space / measured->bytes()) {
    const auto bytes = static_cast<double>(systems) * static_cast<double>(measured->bytes());
    throw OutOfMemory(format_sentence("no memory for {}: {} bytes were refused", fmt::make_format_args(slab_name, bytes)),
                      __FILE__, __LINE__, std::numeric_limits<std::int64_t>::max(), -1);
  }
  return std::make_shared<SlabAllocator>(source, systems * measured->bytes(), slab_name);
}

template <class S>
class HostStore final : public BatchStore<S> {
 public:
  HostStore(std::shared_ptr<const HostPlan> plan, const ExecutorOptions& options, std::int64_t systems)
      : plan_(std::move(plan)), options_(options) {
    const std::shared_ptr<Allocator> slab = slab_for<S>(*plan_, options_, systems);
    systems_.reserve(static_cast<std::size_t>(systems));
    for (std::int64_t i = 0; i < systems; ++i) systems_.emplace_back(*plan_, options_, slab);
  }

  std::unique_ptr<Executor<S>> make_executor() override { return std::make_unique<HostExecutor<S>>(plan_, options_); }
  void attach(Executor<S>& executor, std::int64_t system) override {
    static_cast<HostExecutor<S>&>(executor).attach(systems_[static_cast<std::size_t>(system)]);
  }

 private:
  std::shared_ptr<const HostPlan> plan_;
  ExecutorOptions options_;
  std::vector<HostSystem<S>> systems_;
};

class HostBatchWorkers final : public BatchWorkers {
 public:
  explicit HostBatchWorkers(int threads) : team_(threads) {}

  int count() const override { return team_.count(); }
  void for_each(std::int64_t items, std::int64_t at_once, const std::function<void(int, std::int64_t)>& work) override;

 private:
  WorkerTeam team_;
};

void HostBatchWorkers::for_each(std::int64_t items, std::int64_t at_once,
                                const std::function<void(int, std::int64_t)>& work) {
  SharedLoop portions;
  portions.reset((items + at_once - 1) / at_once);
  std::atomic<bool> failed{false};
  std::exception_ptr error;  // Written by the worker that sets `failed`.
  const auto work_on = [&](int worker) {
    portions.work([&](std::int64_t portion) {
      const std::int64_t end = std::min(items, (portion + 1) * at_once);
      for (std::int64_t i = portion * at_once; i < end && !failed.load(std::memory_order_relaxed); ++i) {
        try {
          work(worker, i);
        } catch (...) {
          if (!failed.exchange(true)) error = std::current_exception();
        }
      }
    });
  };
  const auto useful = static_cast<int>(std::min<std::int64_t>(portions.count(), team_.count()));
  if (useful > 0) team_.run(useful, std::ref(work_on));  // By reference: a std::function of the lambda would allocate.
  if (error) std::rethrow_exception(error);
}

}  // namespace

std::shared_ptr<BatchWorkers> make_batch_workers(int threads) { return std::make_shared<HostBatchWorkers>(threads); }

template <class S>
std::unique_ptr<BatchStore<S>> make_host_store(std::shared_ptr<const HostPlan> plan, const ExecutorOptions& options,
                                               std::int64_t systems) {
  return std::make_unique<HostStore<S>>(std::move(plan), options, systems);
}

#define GPUSUPERNODAL_INSTANTIATE(S)                                                                               \
  template std::unique_ptr<BatchStore<S>> make_host_store(std::shared_ptr<const HostPlan>, const ExecutorOptions&, \
                                                          std::int64_t);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
