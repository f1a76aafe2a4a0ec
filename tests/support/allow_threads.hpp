#pragma once

namespace gpusupernodal::test {

/// Lets teams have this many threads on machines with fewer cores too, from the first call to the end of the process; later
/// calls change nothing.
void allow_threads(int threads);

}  // namespace gpusupernodal::test
