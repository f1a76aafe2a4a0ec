#include "cli/plot/trace_plot.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/fmt.hpp"
#include "cli/plot/svg.hpp"
#include "cli/print.hpp"

namespace gpusupernodal::cli {
namespace {

using Json = nlohmann::json;

constexpr int bins = 740;  ///< One pixel each.
constexpr double left = 170.0;
constexpr double row_height = 16.0;
constexpr double heading_height = 22.0;
constexpr std::size_t max_rows = 24;  ///< Most rows of a group.

/// Parts of the tree, and what belongs to none.
constexpr std::array<const char*, 4> styles{"leaf", "middle", "top", "call"};
constexpr std::size_t other = 3;

/// Times are microseconds.
struct Slice {
  double begin = 0.0;
  double end = 0.0;
  std::size_t style = other;
};

struct Lane {
  std::string name;
  std::vector<Slice> slices;
  std::vector<std::string> names;  ///< Names of the slices, for calls only.
};

struct Group {
  std::string name;
  std::map<std::int64_t, Lane> lanes;
};

struct TimeLine {
  std::map<int, Group> groups;
  double begin = 0.0;
  double end = 0.0;
  std::int64_t left_out = 0;
};

constexpr int calls = 1;  ///< Number of the group of calls.

void add_event(TimeLine& line, const Json& event) {
  const int number = event["pid"];
  Group& group = line.groups[number];
  const std::string name = event["name"];
  if (name == "process_name") {
    group.name = event["args"]["name"];
    return;
  }
  Lane& lane = group.lanes[event["tid"]];
  if (name == "thread_name") {
    lane.name = event["args"]["name"];
    return;
  }
  Slice slice{event["ts"], 0.0, other};
  slice.end = slice.begin + event["dur"].get<double>();
  const std::string regime = event["args"].value("regime", "");
  slice.style = static_cast<std::size_t>(std::find(styles.begin(), styles.end() - 1, regime) - styles.begin());
  line.begin = std::min(line.begin, slice.begin);
  line.end = std::max(line.end, slice.end);
  lane.slices.push_back(slice);
  if (number == calls) lane.names.push_back(name);
}

/// Reads event by event, so that a trace of millions of slices takes little memory.
TimeLine read_trace(const std::string& text) {
  TimeLine line;
  line.begin = std::numeric_limits<double>::max();
  const Json rest = Json::parse(text, [&line](int, Json::parse_event_t event, Json& parsed) {
    if (event != Json::parse_event_t::object_end || !parsed.contains("ph")) return true;
    add_event(line, parsed);
    return false;
  });
  line.left_out = rest["slices_left_out"];
  line.begin = std::min(line.begin, line.end);
  return line;
}

/// Time of each style in each bin of a row.
struct Row {
  std::string name;
  std::int64_t lanes = 1;
  std::vector<std::array<double, styles.size()>> busy{bins};
};

void add_slice(Row& row, const Slice& slice, const TimeLine& line) {
  const double bin_time = (line.end - line.begin) / bins;
  if (!(bin_time > 0.0)) return;
  const double from = (slice.begin - line.begin) / bin_time;
  const double to = (slice.end - line.begin) / bin_time;
  for (int bin = std::max(0, static_cast<int>(from)); bin < bins && bin < to; ++bin)
    row.busy[static_cast<std::size_t>(bin)][slice.style] += std::min<double>(to, bin + 1) - std::max<double>(from, bin);
}

std::vector<Row> rows_of(const Group& group, const TimeLine& line) {
  const std::size_t lanes_a_row = (group.lanes.size() + max_rows - 1) / max_rows;
  std::vector<Row> rows;
  std::size_t number = 0;
  for (const auto& [key, lane] : group.lanes) {
    if (number % lanes_a_row == 0) {
      rows.push_back({lane.name, 1});
    } else {
      ++rows.back().lanes;
    }
    for (const Slice& slice : lane.slices) add_slice(rows.back(), slice, line);
    if (number % lanes_a_row == lanes_a_row - 1 && lanes_a_row > 1) rows.back().name += " …";
    ++number;
  }
  return rows;
}

/// Styles of the cells: 1 to 4 for more than half of the time, 5 to 8 for less.
CellGrid raster_of(const std::vector<Row>& rows) {
  CellGrid grid(bins, static_cast<int>(rows.size()));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (int bin = 0; bin < bins; ++bin) {
      const auto& busy = rows[r].busy[static_cast<std::size_t>(bin)];
      double sum = 0.0;
      for (const double time : busy) sum += time;
      if (sum <= 0.0) continue;
      const auto most = static_cast<std::size_t>(std::max_element(busy.begin(), busy.end()) - busy.begin());
      const bool part = sum < 0.5 * static_cast<double>(rows[r].lanes);
      grid.at(bin, static_cast<int>(r)) = static_cast<unsigned char>(1 + most + (part ? styles.size() : 0));
    }
  }
  return grid;
}

/// The names of the calls whose slices have space for them.
void draw_call_names(SvgPage& page, const Lane& lane, const TimeLine& line, double y) {
  const double to_x = line.end > line.begin ? bins / (line.end - line.begin) : 0.0;
  for (std::size_t k = 0; k < lane.slices.size(); ++k) {
    const Slice& slice = lane.slices[k];
    if ((slice.end - slice.begin) * to_x < text_width(lane.names[k]) + 4.0) continue;
    page.text({left + (0.5 * (slice.begin + slice.end) - line.begin) * to_x, y + 12.0}, lane.names[k], Anchor::middle,
              "onfill");
  }
}

/// Draws a group with its heading from `y` on; returns where the next one begins.
double draw_group(SvgPage& page, const Group& group, const std::vector<Row>& rows, double y) {
  const std::int64_t lanes = static_cast<std::int64_t>(group.lanes.size());
  std::string heading = group.name;
  if (rows.size() < group.lanes.size())
    heading += fmt::format(": {}, {} in a row", counted(lanes, "lane", "lanes"), rows.front().lanes);
  page.text({16.0, y + 15.0}, heading, Anchor::start, "faint");
  y += heading_height;
  const CellGrid grid = raster_of(rows);
  for (std::size_t style = 0; style < 2 * styles.size(); ++style) {
    const bool part = style >= styles.size();
    page.cells({left, y}, {1.0, row_height}, grid.path(static_cast<unsigned char>(style + 1)),
               fmt::format("{}{}", styles[style % styles.size()], part ? " lane part" : " lane"));
  }
  for (const Row& row : rows) {
    page.text({left - 8.0, y + 12.0}, row.name, Anchor::end);
    y += row_height;
  }
  return y;
}

/// The largest unit in which the time line has more than two units.
std::pair<double, const char*> unit_of(double microseconds) {
  if (microseconds >= 2e6) return {1e-6, "seconds"};
  if (microseconds >= 2e3) return {1e-3, "milliseconds"};
  return {1.0, "microseconds"};
}

}  // namespace

std::string trace_plot(const std::string& trace_json, const std::string& matrix) {
  const TimeLine line = read_trace(trace_json);
  std::map<int, std::vector<Row>> rows;
  double height = 0.0;
  for (const auto& [number, group] : line.groups) {
    if (group.lanes.empty()) continue;
    rows[number] = rows_of(group, line);
    height += heading_height + row_height * static_cast<double>(rows[number].size());
  }
  constexpr double top = 88.0;
  std::string subtitle = "each row is what one lane did; pale: busy for less than half of the time";
  if (line.left_out > 0) subtitle += fmt::format("; {} left out", counted(line.left_out, "slice", "slices"));
  SvgPage page(left + bins + 30.0, top + height + 60.0, "Time line of " + matrix, subtitle);
  page.legend({16.0, 72.0}, {{"leaf", "leaf subtrees"},
                             {"middle", "above, up to 256 columns"},
                             {"top", "above, more than 256 columns"},
                             {"call", "other"}});
  double y = top;
  for (const auto& [number, of_group] : rows) {
    const Group& group = line.groups.at(number);
    const double begin = y + heading_height;
    y = draw_group(page, group, of_group, y);
    if (number == calls && group.lanes.size() == 1) draw_call_names(page, group.lanes.begin()->second, line, begin);
  }
  const auto [factor, unit] = unit_of(line.end - line.begin);
  const Box plot{left, top, bins, height + 4.0};
  page.line({left, top + plot.height}, {left + bins, top + plot.height}, "frame");
  draw_x_axis(page, plot, {(line.end - line.begin) * factor, unit, 8});
  return page.finish();
}

}  // namespace gpusupernodal::cli
