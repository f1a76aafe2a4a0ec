#pragma once

/// \file
/// A plan that another thread makes while the caller iterates.

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "base/stopwatch.hpp"
#include "gpusupernodal/solver.hpp"

namespace gpusupernodal {

/// Makes a plan in a thread of its own. Members are for one thread at a time.
class BackgroundPlan {
 public:
  /// Returns a plan; is called in the other thread. It must call `progress`, which is an UntilStopped, between its steps and
  /// throw Cancelled if that returns false. What it refers to must live until join() or the destructor.
  using Make = std::function<Preview(const std::function<bool(const Progress&)>& progress)>;

  BackgroundPlan() = default;
  ~BackgroundPlan() { join(); }
  BackgroundPlan(const BackgroundPlan&) = delete;
  BackgroundPlan& operator=(const BackgroundPlan&) = delete;

  /// Begins. Where no thread can be started, makes the plan before it returns. Precondition: none is being made. If it
  /// throws, nothing was started.
  void start(Make make);
  /// Makes the plan before it returns, for one that is only looked up. Precondition and exceptions: as start.
  void make_here(const Make& make);
  bool started() const { return started_; }
  /// Whether the plan, or a failure, is there. False before start.
  bool ended() const;
  /// Whether the plan is there.
  bool ready() const;
  /// Whether it ended by Cancelled, that is because of stop().
  bool stopped() const;
  /// Waits for at most `seconds`; returns ended().
  bool wait_for(double seconds) const;
  /// Seconds since start, or those that the plan took.
  double seconds() const;
  /// The plan; waits for it, and rethrows the failure of the other thread. Precondition: started().
  const Preview& get() const;
  /// Makes the other thread end soon: after its current step, and within nested dissection after the separators that are
  /// being computed. Returns at once.
  void stop();
  /// Stops, waits for the thread and forgets the result, so that start may be called.
  void join();

 private:
  void run(const Make& make);

  std::atomic<bool> stopping_{false};
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::thread thread_;
  Stopwatch watch_;
  Preview preview_;
  std::exception_ptr failure_;
  double seconds_ = 0.0;
  bool started_ = false;
  bool ended_ = false;
  bool stopped_ = false;
};

}  // namespace gpusupernodal
