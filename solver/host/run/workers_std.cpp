#include <algorithm>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "solver/host/run/workers.hpp"

namespace gpusupernodal {

struct WorkerTeam::Threads {};

WorkerTeam::WorkerTeam(int count) : count_(std::max(count, 1)) {}

WorkerTeam::~WorkerTeam() = default;

/// Starts threads for each piece of work: simple, for the thread sanitizer, not fast.
void WorkerTeam::run(int workers, const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  try {
    for (int i = 1; i < std::min(workers, count_); ++i) threads.emplace_back([&work, i] { work(i); });
  } catch (const std::system_error&) {
    // The system provides no more threads; the running ones do all the work.
  } catch (const std::bad_alloc&) {
    // Out of memory: as above. Unwinding past running threads would terminate the program.
  }
  work(0);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace gpusupernodal
