#pragma once

/// \file
/// Starts a number of workers and waits for them.

#include <functional>

namespace gpusupernodal {

/// Number of host threads for an option value: itself, or for 0 what the process may use.
int worker_count(int requested);

/// Calls work(0) … work(count−1), each on a thread of its own as far as there are any, and returns when all have
/// returned. work(0) runs on the calling thread. `work` must not throw, and must not rely on two calls running together.
void run_workers(int count, const std::function<void(int)>& work);

}  // namespace gpusupernodal
