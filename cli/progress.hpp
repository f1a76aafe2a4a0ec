#pragma once

/// \file
/// A line on the terminal that says what is being done, once it takes more than a second.

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "gpusupernodal/options.hpp"

namespace gpusupernodal::cli {

/// Shows the phase, its fraction where known, and the time since the last `begin`, on stderr if that is a terminal.
/// A thread draws it, because an ordering can take seconds without calling back. Silent otherwise, and no thread.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Whether there is a line.
  bool is_shown() const { return thread_.joinable(); }
  /// Starts a phase; the line of the one before is erased.
  void begin(const std::string& phase);
  /// What the solver tells within a phase.
  void update(const Progress& progress);
  /// Erases the line, before anything is printed.
  void end();

 private:
  void run();
  void draw();
  void erase();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::string phase_;  ///< Empty: nothing to show.
  std::string detail_;
  double fraction_ = 0.0;
  std::chrono::steady_clock::time_point start_;
  bool drawn_ = false;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace gpusupernodal::cli
