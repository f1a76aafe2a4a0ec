#include "solver/api/background_plan.hpp"

#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

#include "gpusupernodal/error.hpp"
#include "solver/common/until_stopped.hpp"

namespace gpusupernodal {

void BackgroundPlan::run(const Make& make) {
  Preview made;
  std::exception_ptr failure;
  bool cancelled = false;
  try {
    made = make(UntilStopped{&stopping_});
  } catch (const Cancelled&) {
    cancelled = true;
    failure = std::current_exception();
  } catch (...) {  // Kept for get().
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  preview_ = std::move(made);
  failure_ = failure;
  stopped_ = cancelled;
  seconds_ = watch_.seconds();
  ended_ = true;
  changed_.notify_all();
}

void BackgroundPlan::start(Make make) {
  join();
  const auto shared = std::make_shared<const Make>(std::move(make));
  watch_ = Stopwatch();
  try {
    thread_ = std::thread([this, shared] { run(*shared); });
  } catch (const std::system_error&) {  // The process may start no more threads.
    run(*shared);
  }
  started_ = true;  // Last: a plan whose thread did not start must not be waited for.
}

void BackgroundPlan::make_here(const Make& make) {
  join();
  watch_ = Stopwatch();
  run(make);
  started_ = true;
}

bool BackgroundPlan::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

bool BackgroundPlan::ready() const {
  const std::lock_guard lock(mutex_);
  return ended_ && !failure_;
}

bool BackgroundPlan::stopped() const {
  const std::lock_guard lock(mutex_);
  return ended_ && stopped_;
}

bool BackgroundPlan::wait_for(double seconds) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return ended_; });
}

double BackgroundPlan::seconds() const {
  const std::lock_guard lock(mutex_);
  return ended_ ? seconds_ : started_ ? watch_.seconds() : 0.0;
}

const Preview& BackgroundPlan::get() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ended_; });
  if (failure_) std::rethrow_exception(failure_);
  return preview_;
}

void BackgroundPlan::stop() { stopping_ = true; }

void BackgroundPlan::join() {
  stop();
  if (thread_.joinable()) thread_.join();
  preview_ = Preview();
  failure_ = nullptr;
  seconds_ = 0.0;
  started_ = ended_ = stopped_ = false;
  stopping_ = false;
}

}  // namespace gpusupernodal
