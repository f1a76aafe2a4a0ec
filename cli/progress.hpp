#pragma once

/// \file
/// A progress bar on the terminal for phases that take more than a second.

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "gpusupernodal/options.hpp"

namespace gpusupernodal::cli {

/// How far a phase has come.
struct ProgressState {
  std::string phase;       ///< Empty: nothing to show.
  std::string detail;      ///< What the phase is doing; may be empty.
  double fraction = -1.0;  ///< Completed part, in [0, 1]; negative: unknown, shown without a bar.
  bool counted = false;    ///< `detail` has the numbers, so no percentage is shown.
};

/// Returns the line for a terminal with `columns` columns: phase, bar and percentage if the fraction is known, detail, and
/// whole seconds. The text is shorter than the terminal is wide, so that it never wraps.
std::string progress_text(const ProgressState& state, double seconds, int columns, bool utf8);

/// Shows the state and the time since the last `begin` on stderr. A thread draws the line, because an ordering can run for
/// seconds without calling back.
class ProgressLine {
 public:
  /// Shows nothing, and has no thread, unless `wanted` and stderr is a terminal.
  explicit ProgressLine(bool wanted);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Whether the line can be shown.
  bool is_shown() const { return thread_.joinable(); }
  /// Starts a phase and erases the line of the previous one.
  void begin(const std::string& phase);
  /// Shows a callback's progress: of a factorization as its fraction, of an analysis as the number of its step.
  void update(const Progress& progress);
  /// Shows that `done` of `total` calls have ended.
  void update(int done, int total);
  /// Erases the line. Call it before printing anything.
  void end();

 private:
  void run();
  void draw();
  void erase();

  std::mutex mutex_;
  std::condition_variable wake_;
  ProgressState state_;
  std::chrono::steady_clock::time_point start_;
  bool drawn_ = false;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace gpusupernodal::cli
