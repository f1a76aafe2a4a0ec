#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <iterator>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/thread_team.hpp"

namespace gpusupernodal {

int worker_count(int requested) {
  if (requested > 0) return requested;
  const unsigned hardware = std::thread::hardware_concurrency();
  return hardware > 0 ? static_cast<int>(hardware) : 1;
}

namespace {

/// Identifies the call of isolate() that the thread executes, by an address; null outside of isolate().
thread_local const void* region = nullptr;

/// Sets the thread's region for the lifetime of the object.
class InRegion {
 public:
  explicit InRegion(const void* other) : before_(std::exchange(region, other)) {}
  ~InRegion() { region = before_; }
  InRegion(const InRegion&) = delete;
  InRegion& operator=(const InRegion&) = delete;

 private:
  const void* before_;
};

}  // namespace

/// One queue for all threads, guarded by one mutex: simple code for the thread sanitizer, not optimized for speed.
struct ThreadTeam::Impl {
  struct Group {
    int unfinished = 0;
    std::exception_ptr thrown;
  };
  struct Item {
    std::function<void()> task;
    Group* group = nullptr;
    const void* region = nullptr;  ///< Region in which the task was forked.
  };

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Item> queue;
  bool closed = false;
  bool executing = false;

  void push(std::function<void()> task, Group& group) {
    {
      const std::lock_guard lock(mutex);
      queue.push_back({std::move(task), &group, region});
      ++group.unfinished;
    }
    changed.notify_all();
  }

  /// Runs queued tasks until done() returns true. Calls done() with the mutex locked.
  template <class Done>
  void work_until(Done done) {
    std::unique_lock lock(mutex);
    while (!done()) {
      // The newest task that this thread may run.
      const auto found = std::find_if(queue.rbegin(), queue.rend(),
                                      [](const Item& item) { return region == nullptr || item.region == region; });
      if (found == queue.rend()) {
        changed.wait(lock);
        continue;
      }
      Item item = std::move(*found);
      queue.erase(std::next(found).base());
      lock.unlock();
      const InRegion in(item.region);
      std::exception_ptr thrown;
      try {
        item.task();
      } catch (...) {
        thrown = std::current_exception();
      }
      lock.lock();
      if (thrown && !item.group->thrown) item.group->thrown = thrown;
      --item.group->unfinished;
      changed.notify_all();
    }
  }
};

ThreadTeam::ThreadTeam(int threads)
    : threads_(std::max(threads, 1)), impl_(threads_ > 1 ? std::make_unique<Impl>() : nullptr) {}

ThreadTeam::~ThreadTeam() = default;

void ThreadTeam::execute(const std::function<void()>& work) {
  if (!impl_ || impl_->executing) {
    work();
    return;
  }
  impl_->executing = true;
  std::vector<std::thread> threads;
  const auto close = [&] {
    {
      const std::lock_guard lock(impl_->mutex);
      impl_->closed = true;
    }
    impl_->changed.notify_all();
    for (std::thread& thread : threads) thread.join();
    impl_->closed = impl_->executing = false;
  };
  try {
    for (int i = 1; i < threads_; ++i) threads.emplace_back([this] { impl_->work_until([this] { return impl_->closed; }); });
  } catch (const std::system_error&) {
    // The system provides no more threads; the running ones do all the work.
  } catch (const std::bad_alloc&) {
    // As above, for lack of memory.
  }
  try {
    work();
  } catch (...) {
    close();
    throw;
  }
  close();
}

void ThreadTeam::isolate(const std::function<void()>& work) {
  const InRegion in(&work);
  work();
}

void ThreadTeam::for_each_interval(std::int64_t count, std::int64_t intervals,
                                   const std::function<void(std::int64_t, std::int64_t)>& body) {
  TaskGroup group(*this);
  for (std::int64_t k = 0; k < intervals; ++k) {
    group.run([&body, count, intervals, k] { body(count * k / intervals, count * (k + 1) / intervals); });
  }
  group.wait();
}

struct TaskGroup::Impl {
  explicit Impl(ThreadTeam::Impl& t) : team(t) {}
  ThreadTeam::Impl& team;
  ThreadTeam::Impl::Group group;

  void finish() {
    team.work_until([this] { return group.unfinished == 0; });
  }
};

TaskGroup::TaskGroup(ThreadTeam& team) : impl_(team.impl_ ? std::make_unique<Impl>(*team.impl_) : nullptr) {}

TaskGroup::~TaskGroup() {
  if (impl_) impl_->finish();
}

void TaskGroup::run(std::function<void()> task) {
  if (impl_) {
    impl_->team.push(std::move(task), impl_->group);
  } else {
    task();
  }
}

void TaskGroup::wait() {
  if (!impl_) return;
  impl_->finish();
  if (impl_->group.thrown) std::rethrow_exception(std::exchange(impl_->group.thrown, nullptr));
}

}  // namespace gpusupernodal
