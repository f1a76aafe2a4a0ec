#include "solver/backend/trace.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

#include "solver/common/format.hpp"

namespace gpusupernodal {
namespace {

/// Limit per writer, 192 MiB, because a loop of solves may write to one trace for hours.
constexpr std::size_t max_slices = std::size_t{1} << 21U;

constexpr std::array<const char*, 4> group_names{"calls", "host threads", "CUDA streams", "CUDA multiprocessors"};
constexpr std::array<const char*, 3> regime_names{"leaf", "middle", "top"};

std::string lane_name(const TraceSlice& slice) {
  switch (slice.group) {
    case TraceGroup::calls:
      return "calls";
    case TraceGroup::threads:
      return fmt::format("worker {}", slice.lane);
    case TraceGroup::streams:
      return fmt::format("stream {}", slice.lane);
    case TraceGroup::multiprocessors:
      return fmt::format("SM {}, {}", slice.lane / lanes_a_multiprocessor, slice.lane % lanes_a_multiprocessor);
  }
  return "";
}

/// "1234.567": nanoseconds as microseconds, exact.
void write_time(std::string& text, const char* key, std::int64_t nanoseconds) {
  fmt::format_to(std::back_inserter(text), ",\"{}\":{}.{:03}", key, nanoseconds / 1000, nanoseconds % 1000);
}

void write_slice(std::string& text, const TraceSlice& slice) {
  fmt::format_to(std::back_inserter(text), ",\n{{\"ph\":\"X\",\"name\":\"{}\",\"pid\":{},\"tid\":{}", slice.name,
                 static_cast<int>(slice.group) + 1, slice.lane);
  write_time(text, "ts", slice.begin);
  write_time(text, "dur", slice.end - slice.begin);
  text += ",\"args\":{";
  const char* comma = "";
  const auto argument = [&](const char* key, const auto& value) {
    fmt::format_to(std::back_inserter(text), "{}\"{}\":{}", comma, key, value);
    comma = ",";
  };
  if (slice.task >= 0) argument("task", slice.task);
  if (slice.supernode >= 0) argument("supernode", slice.supernode);
  if (slice.flops > 0.0) argument("flops", slice.flops);
  if (slice.regime != Regime::none)
    argument("regime", fmt::format("\"{}\"", regime_names[static_cast<std::size_t>(slice.regime)]));
  text += "}}";
}

void write_name(std::string& text, const char* kind, int process, std::int32_t lane, const std::string& name) {
  fmt::format_to(std::back_inserter(text),
                 "{}\n{{\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":\"{}\"}}}}",
                 text.back() == '[' ? "" : ",", kind, process, lane, name);
}

}  // namespace

void Trace::add(int writer, const TraceSlice& slice) {
  List& list = lists_[static_cast<std::size_t>(writer)];
  if (list.slices.size() < max_slices) {
    list.slices.push_back(slice);
  } else {
    ++list.left_out;
  }
}

void Trace::clear() {
  for (List& list : lists_) {
    list.slices.clear();
    list.left_out = 0;
  }
}

std::vector<TraceSlice> Trace::slices() const {
  std::vector<TraceSlice> all;
  for (const List& list : lists_) all.insert(all.end(), list.slices.begin(), list.slices.end());
  std::stable_sort(all.begin(), all.end(), [](const TraceSlice& a, const TraceSlice& b) {
    return std::tie(a.group, a.lane, a.begin) < std::tie(b.group, b.lane, b.begin);
  });
  return all;
}

std::int64_t Trace::left_out() const {
  std::int64_t sum = 0;
  for (const List& list : lists_) sum += list.left_out;
  return sum;
}

std::string trace_json(const Trace& trace) {
  const std::vector<TraceSlice> slices = trace.slices();
  std::string text = fmt::format("{{\"displayTimeUnit\":\"ns\",\"slices_left_out\":{},\"traceEvents\":[", trace.left_out());
  for (std::size_t group = 0; group < group_names.size(); ++group) {
    write_name(text, "process_name", static_cast<int>(group) + 1, 0, group_names[group]);
  }
  const TraceSlice* before = nullptr;
  for (const TraceSlice& slice : slices) {
    if (before == nullptr || before->group != slice.group || before->lane != slice.lane) {
      write_name(text, "thread_name", static_cast<int>(slice.group) + 1, slice.lane, lane_name(slice));
    }
    write_slice(text, slice);
    before = &slice;
  }
  return text += "\n]}";
}

double busy_seconds(const std::vector<TraceSlice>& slices, Regime regime) {
  std::vector<std::pair<std::int64_t, std::int64_t>> intervals;
  for (const TraceSlice& slice : slices) {
    if (slice.regime == regime) intervals.emplace_back(slice.begin, slice.end);
  }
  std::sort(intervals.begin(), intervals.end());
  std::int64_t busy = 0;
  std::int64_t until = 0;
  for (const auto& [begin, end] : intervals) {
    busy += std::max<std::int64_t>(0, end - std::max(begin, until));
    until = std::max(until, end);
  }
  return static_cast<double>(busy) * 1e-9;
}

std::vector<TraceSlice> spread_over_lanes(std::vector<TraceSlice> slices) {
  std::stable_sort(slices.begin(), slices.end(), [](const TraceSlice& a, const TraceSlice& b) {
    return std::tie(a.lane, a.begin) < std::tie(b.lane, b.begin);
  });
  std::array<std::int64_t, lanes_a_multiprocessor> free_from{};
  std::vector<TraceSlice> spread;
  spread.reserve(slices.size());
  std::int32_t multiprocessor = -1;
  for (TraceSlice slice : slices) {
    if (slice.lane != multiprocessor) free_from.fill(0);
    multiprocessor = slice.lane;
    const auto place = std::find_if(free_from.begin(), free_from.end(), [&](std::int64_t t) { return t <= slice.begin; });
    if (place == free_from.end()) continue;
    *place = slice.end;
    slice.lane = multiprocessor * lanes_a_multiprocessor + static_cast<std::int32_t>(place - free_from.begin());
    spread.push_back(slice);
  }
  return spread;
}

}  // namespace gpusupernodal
