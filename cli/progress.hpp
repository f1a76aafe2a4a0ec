#pragma once

/// \file
/// A progress line on the terminal for phases that take more than a second.

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "gpusupernodal/options.hpp"

namespace gpusupernodal::cli {

/// Shows the phase, its fraction if known, and the time since the last `begin` on stderr. A thread draws the line, because
/// an ordering can run for seconds without calling back. If stderr is not a terminal, there is no thread and no output.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Whether the line can be shown: stderr is a terminal.
  bool is_shown() const { return thread_.joinable(); }
  /// Starts a phase and erases the line of the previous one.
  void begin(const std::string& phase);
  /// Sets the progress within the phase.
  void update(const Progress& progress);
  /// Erases the line. Call it before printing anything.
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
