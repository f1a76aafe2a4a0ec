#include "cli/progress.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "base/fmt.hpp"
#include "cli/print.hpp"
#include "cli/terminal.hpp"

namespace gpusupernodal::cli {
namespace {

constexpr std::chrono::milliseconds redraw_every{200};
constexpr std::chrono::seconds silent_for{1};
constexpr int bar_width = 24;

/// The steps of an analysis in their order, as Options::progress names them.
constexpr std::array<std::string_view, 7> analysis_steps{
    {"ordering", "elimination tree", "supernodes", "row structures", "layout", "updates", "schedule"}};

std::string repeated(const char* piece, int count) {
  std::string text;
  for (int k = 0; k < count; ++k) text += piece;
  return text;
}

std::string bar(double fraction, bool utf8) {
  const int filled = std::clamp(static_cast<int>(fraction * bar_width), 0, bar_width);
  return utf8 ? repeated("█", filled) + repeated("░", bar_width - filled)
              : fmt::format("[{}{}]", repeated("#", filled), repeated("-", bar_width - filled));
}

/// Number of characters of UTF-8 text.
int length_of(const std::string& text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// The first `count` characters.
std::string first_characters(const std::string& text, int count) {
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    if ((text[end] & 0xC0) != 0x80 && count-- <= 0) break;
  }
  return text.substr(0, end);
}

}  // namespace

std::string progress_text(const ProgressState& state, double seconds, int columns, bool utf8) {
  std::string text = state.phase;
  if (state.fraction >= 0.0) {
    const std::string percent = state.counted ? "" : fmt::format(" {:3.0f} %", 100.0 * state.fraction);
    const std::string drawn = text + "  " + bar(state.fraction, utf8) + percent;
    text = length_of(drawn) + 10 < columns ? drawn : text + percent;  // A narrow terminal gets no bar.
  }
  if (!state.detail.empty()) text += (state.counted ? "  " : ", ") + state.detail;
  const std::string time = fmt::format(", {:.0f} s", seconds);
  return first_characters(text, std::max(0, columns - 1 - length_of(time))) + time;
}

ProgressLine::ProgressLine(bool wanted) {
  if (wanted && is_terminal(stderr)) thread_ = std::thread([this] { run(); });
}

ProgressLine::~ProgressLine() {
  end();
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void ProgressLine::begin(const std::string& phase) {
  const std::lock_guard lock(mutex_);
  erase();
  state_ = {phase, ""};
  start_ = std::chrono::steady_clock::now();
}

void ProgressLine::update(const Progress& progress) {
  const std::lock_guard lock(mutex_);
  const std::string_view name = progress.phase;
  if (name == "factorize") {
    state_.fraction = progress.fraction;
    return;
  }
  const auto step = std::find(analysis_steps.begin(), analysis_steps.end(), name);
  state_.detail = name;
  if (step == analysis_steps.end()) return;
  state_.counted = true;
  const auto before = step - analysis_steps.begin();
  state_.fraction = static_cast<double>(before) / static_cast<double>(analysis_steps.size());
  state_.detail += fmt::format(" (step {} of {})", before + 1, analysis_steps.size());
}

void ProgressLine::update(int done, int total) {
  const std::lock_guard lock(mutex_);
  state_.counted = true;
  state_.fraction = static_cast<double>(done) / total;
  state_.detail = fmt::format("{} of {}", done, counted(total, "call", "calls"));
}

void ProgressLine::end() { begin(""); }

void ProgressLine::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    wake_.wait_for(lock, redraw_every);
    if (!stop_ && !state_.phase.empty() && std::chrono::steady_clock::now() - start_ > silent_for) draw();
  }
}

void ProgressLine::draw() {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  print_to(stderr, "\r\033[K{}", progress_text(state_, seconds, terminal_columns(stderr), has_utf8()));
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressLine::erase() {
  if (!drawn_) return;
  print_to(stderr, "\r\033[K");
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace gpusupernodal::cli
