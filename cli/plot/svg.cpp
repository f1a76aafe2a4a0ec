#include "cli/plot/svg.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/fmt.hpp"
#include "cli/print.hpp"

namespace gpusupernodal::cli {
namespace {

constexpr double text_size = 12.0;
constexpr double margin = 16.0;

constexpr const char* style_sheet = R"(<style>
text{font:12px sans-serif;fill:#222}.title{font-size:16px;font-weight:bold}.faint{fill:#666}.onfill{fill:#222}.ontop{fill:#fff}
.paper{fill:#fff}.frame{fill:none;stroke:#888}.rule{stroke:#ddd}.box{stroke:#fff;stroke-width:.5}
.leaf{fill:#a9cbe6}.middle{fill:#5a9fd0}.top{fill:#b4520a}.call{fill:#c9c9c9}
.shade1{fill:#bcd7ec}.shade2{fill:#77b1da}.shade3{fill:#2f7fbc}.shade4{fill:#0b3d6e}
.cells{fill:none;stroke-width:1}.cells.leaf{stroke:#a9cbe6}.cells.middle{stroke:#5a9fd0}.cells.top{stroke:#b4520a}.cells.call{stroke:#c9c9c9}
.cells.shade1{stroke:#bcd7ec}.cells.shade2{stroke:#77b1da}.cells.shade3{stroke:#2f7fbc}.cells.shade4{stroke:#0b3d6e}
.lane{stroke-width:.75}.part{stroke-opacity:.4}
@media(prefers-color-scheme:dark){
text{fill:#ddd}.faint{fill:#9aa0a6}.onfill{fill:#f2f2f2}.ontop{fill:#15181c}
.paper{fill:#15181c}.frame{stroke:#888}.rule{stroke:#33383e}.box{stroke:#15181c}
.leaf{fill:#2b5675}.middle{fill:#3f86b8}.top{fill:#f59a2e}.call{fill:#565b61}
.shade1{fill:#1c3d57}.shade2{fill:#2c6a99}.shade3{fill:#57a5de}.shade4{fill:#cfe6f8}
.cells.leaf{stroke:#2b5675}.cells.middle{stroke:#3f86b8}.cells.top{stroke:#f59a2e}.cells.call{stroke:#565b61}
.cells.shade1{stroke:#1c3d57}.cells.shade2{stroke:#2c6a99}.cells.shade3{stroke:#57a5de}.cells.shade4{stroke:#cfe6f8}}
</style>
)";

const char* name_of(Anchor anchor) {
  switch (anchor) {
    case Anchor::start:
      return "start";
    case Anchor::middle:
      return "middle";
    case Anchor::end:
      return "end";
  }
  return "start";
}

/// Cuts `text` off so that it fits in `width` pixels at `size` pixels.
std::string cut_off(const std::string& text, double width, double size) {
  const double scale = size / text_size;
  if (text_width(text) * scale <= width) return text;
  std::string kept = text;
  while (!kept.empty() && text_width(kept + "…") * scale > width) {
    while (!kept.empty() && (kept.back() & 0xC0) == 0x80) kept.pop_back();
    if (!kept.empty()) kept.pop_back();
  }
  return kept + "…";
}

/// At most two decimals, without trailing zeros.
std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

/// A tick's label: integers with separators, fractions with the decimals that tell them from their neighbours.
std::string tick_label(double value, double step) {
  if (step >= 1.0) return grouped(std::llround(value));
  return fmt::format("{:.{}f}", value, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
}

}  // namespace

std::string xml_text(const std::string& text) {
  // The JSON library knows UTF-8.
  using nlohmann::json;
  const std::string clean = json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
  std::string escaped;
  for (const char c : clean) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < 0x20 ? std::string("\uFFFD") : std::string(1, c);
    }
  }
  return escaped;
}

double text_width(const std::string& text) {
  const auto characters = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
  return 0.62 * text_size * static_cast<double>(characters);  // Digits of the common sans-serif fonts take 0.56 to 0.64 em.
}

std::vector<double> round_steps(double last, int count) {
  if (!(last > 0.0)) return {0.0};
  const double raw = last / std::max(1, count);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10.0 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= raw) step = factor * power;
  }
  std::vector<double> values;
  for (int k = 0; k * step <= last * (1.0 + 1e-9); ++k) values.push_back(k * step);
  return values;
}

SvgPage::SvgPage(double width, double height, const std::string& title, const std::string& subtitle) {
  const std::string w = number(width), h = number(height);
  body_ = fmt::format("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {} {}' width='{}' height='{}' role='img'>\n", w,
                      h, w, h);
  body_ += fmt::format("<title>{}</title>\n", xml_text(title)) + style_sheet;
  rect({0.0, 0.0, width, height}, "paper");
  text({margin, 26.0}, cut_off(title, width - 2.0 * margin, 16.0), Anchor::start, "title");
  text({margin, 46.0}, cut_off(subtitle, width - 2.0 * margin, text_size), Anchor::start, "faint");
}

void SvgPage::rect(const Box& box, const std::string& style) {
  fmt::format_to(std::back_inserter(body_), "<rect class='{}' x='{}' y='{}' width='{}' height='{}'/>\n", style,
                 number(box.x), number(box.y), number(box.width), number(box.height));
}

void SvgPage::line(const Point& from, const Point& to, const std::string& style) {
  fmt::format_to(std::back_inserter(body_), "<line class='{}' x1='{}' y1='{}' x2='{}' y2='{}'/>\n", style, number(from.x),
                 number(from.y), number(to.x), number(to.y));
}

void SvgPage::text(const Point& at, const std::string& text, Anchor anchor, const std::string& style) {
  const std::string classes = style.empty() ? "" : fmt::format(" class='{}'", style);
  const std::string placed = anchor == Anchor::start ? "" : fmt::format(" text-anchor='{}'", name_of(anchor));
  fmt::format_to(std::back_inserter(body_), "<text x='{}' y='{}'{}{}>{}</text>\n", number(at.x), number(at.y), placed,
                 classes, xml_text(text));
}

void SvgPage::upright_text(const Point& at, const std::string& text) {
  fmt::format_to(std::back_inserter(body_),
                 "<text transform='translate({} {}) rotate(-90)' text-anchor='middle'>{}</text>\n", number(at.x),
                 number(at.y), xml_text(text));
}

void SvgPage::cells(const Point& origin, const Point& cell, const std::string& path, const std::string& style) {
  if (path.empty()) return;
  fmt::format_to(std::back_inserter(body_),
                 "<path class='cells {}' shape-rendering='crispEdges' transform='translate({} {}) scale({:.6g} {:.6g})' "
                 "d='{}'/>\n",
                 style, number(origin.x), number(origin.y), cell.x, cell.y, path);
}

void SvgPage::legend(Point at, const std::vector<std::pair<std::string, std::string>>& entries) {
  for (const auto& [style, meaning] : entries) {
    rect({at.x, at.y - 10.0, 12.0, 12.0}, style);
    text({at.x + 18.0, at.y}, meaning);
    at.x += 18.0 + text_width(meaning) + 14.0;
  }
}

std::string SvgPage::finish() { return std::exchange(body_, "") + "</svg>"; }

void draw_x_axis(SvgPage& page, const Box& plot, const Axis& axis) {
  const double bottom = plot.y + plot.height;
  std::vector<double> steps;
  for (int ticks = axis.ticks; ticks > 0; --ticks) {  // As many as fit beside each other.
    steps = round_steps(axis.last, ticks);
    if (steps.size() < 2) break;
    const double widest = text_width(tick_label(steps.back(), steps[1]));
    if (steps[1] / axis.last * plot.width >= widest + 8.0) break;
  }
  for (const double value : steps) {
    const double x = plot.x + (axis.last > 0.0 ? value / axis.last * plot.width : 0.0);
    page.line({x, bottom}, {x, bottom + 5.0}, "frame");
    page.text({x, bottom + 18.0}, tick_label(value, steps.size() > 1 ? steps[1] : 1.0), Anchor::middle);
  }
  page.text({plot.x + 0.5 * plot.width, bottom + 38.0}, axis.title, Anchor::middle);
}

void draw_y_axis(SvgPage& page, const Box& plot, const Axis& axis) {
  double widest = 0.0;
  const std::vector<double> steps = round_steps(axis.last, axis.ticks);
  for (const double value : steps) {
    const double y = plot.y + (axis.last > 0.0 ? value / axis.last * plot.height : 0.0);
    const std::string label = tick_label(value, steps.size() > 1 ? steps[1] : 1.0);
    page.line({plot.x - 5.0, y}, {plot.x, y}, "frame");
    page.text({plot.x - 8.0, y + 4.0}, label, Anchor::end);
    widest = std::max(widest, text_width(label));
  }
  page.upright_text({plot.x - 18.0 - widest, plot.y + 0.5 * plot.height}, axis.title);
}

std::string CellGrid::path(unsigned char style) const {
  std::string text;
  for (int row = 0; row < rows_; ++row) {
    for (int begin = 0; begin < columns_; ++begin) {
      const unsigned char* const cells = cells_.data() + static_cast<std::size_t>(row) * columns_;
      if (cells[begin] != style) continue;
      int end = begin + 1;
      while (end < columns_ && cells[end] == style) ++end;
      fmt::format_to(std::back_inserter(text), "M{} {}.5h{}", begin, row, end - begin);
      begin = end;
    }
  }
  return text;
}

}  // namespace gpusupernodal::cli
