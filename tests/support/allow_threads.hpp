#pragma once

namespace gpusupernodal::test {

/// Lets teams have so many threads, from now on, on machines of fewer cores too.
void allow_threads(int threads);

}  // namespace gpusupernodal::test
