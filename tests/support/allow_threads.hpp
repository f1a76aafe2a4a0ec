#pragma once

namespace gpusupernodal::test {

/// Allows teams of `threads` threads even on machines with fewer cores, from the first call to the end of the process;
/// later calls have no effect.
void allow_threads(int threads);

}  // namespace gpusupernodal::test
