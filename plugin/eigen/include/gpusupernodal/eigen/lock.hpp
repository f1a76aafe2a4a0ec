#pragma once

/// \file
/// A mutex on pthreads. The includes of `std::mutex` do not compile in programs that define min and max as macros.

#include <pthread.h>

namespace gpusupernodal {
namespace eigen_detail {

/// A non-recursive mutex, neither copyable nor movable.
class Mutex {
 public:
  Mutex() = default;
  ~Mutex() { pthread_mutex_destroy(&mutex_); }
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

/// Locks a Mutex for the lifetime of the object.
class Lock {
 public:
  explicit Lock(Mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
  ~Lock() { mutex_.unlock(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace eigen_detail
}  // namespace gpusupernodal
