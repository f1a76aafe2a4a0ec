#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/print.hpp"

namespace gpusupernodal::cli {
namespace {

constexpr std::chrono::milliseconds redraw_every{200};
constexpr std::chrono::seconds silent_for{1};

}  // namespace

ProgressLine::ProgressLine() {
  if (isatty(STDERR_FILENO) != 0) thread_ = std::thread([this] { run(); });
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
  phase_ = phase;
  detail_.clear();
  start_ = std::chrono::steady_clock::now();
}

void ProgressLine::update(const Progress& progress) {
  const std::lock_guard lock(mutex_);
  detail_ = progress.phase;
  fraction_ = progress.fraction;
}

void ProgressLine::end() { begin(""); }

void ProgressLine::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    wake_.wait_for(lock, redraw_every);
    if (!stop_ && !phase_.empty() && std::chrono::steady_clock::now() - start_ > silent_for) draw();
  }
}

void ProgressLine::draw() {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  std::string text = phase_;
  if (!detail_.empty() && detail_ != phase_) text += ", " + detail_;
  if (!detail_.empty() && fraction_ > 0.0) text += fmt::format(" {:.0f} %", 100.0 * fraction_);
  print_to(stderr, "\r\033[K{}, {:.0f} s", text, seconds);
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
