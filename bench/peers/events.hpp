#pragma once

/// \file
/// Events that a peer's program writes while it measures, one JSON object per line, so that earlier measurements survive if
/// the program fails or is stopped:
///
///     {"event": "begin", "phase": "refactorize"}
///     {"event": "end", "phase": "refactorize", "seconds": [...], "capped": false}     or  "left_out": "sentence"
///     {"event": "fields", ...}
///     {"event": "failed", "message": "..."}     or     {"event": "done"}, the last line

#include <string>

#include "bench/peers/peer.hpp"

namespace gpusupernodal::bench {

inline void write_event(const std::string& kind, Fields event = Fields::object()) {
  event["event"] = kind;
  const std::string line = event.dump(-1, ' ', false, Fields::error_handler_t::replace) + "\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

}  // namespace gpusupernodal::bench
