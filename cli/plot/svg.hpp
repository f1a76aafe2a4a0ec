#pragma once

/// \file
/// A small writer of SVG pages with one style sheet for light and dark displays.

#include <string>
#include <vector>

namespace gpusupernodal::cli {

/// Where text stands relative to its position.
enum class Anchor { start, middle, end };

struct Point {
  double x = 0.0;
  double y = 0.0;
};

struct Box {
  double x = 0.0;
  double y = 0.0;
  double width = 0.0;
  double height = 0.0;
};

/// A page in pixels. Colours are names of classes of the style sheet (svg.cpp): `ink`, `faint`, `frame`, `rule`; `leaf`,
/// `middle`, `top`, `call` for parts of the assembly tree; `shade1` to `shade4` for amounts.
class SvgPage {
 public:
  /// `title` heads the page, `subtitle` follows in smaller type. Both are cut off where they would leave the page.
  SvgPage(double width, double height, const std::string& title, const std::string& subtitle);

  void rect(const Box& box, const std::string& style);
  void line(const Point& from, const Point& to, const std::string& style);
  /// `style` may add classes to the text's own.
  void text(const Point& at, const std::string& text, Anchor anchor = Anchor::start, const std::string& style = "");
  /// Text that reads upwards, centred at `at`.
  void upright_text(const Point& at, const std::string& text);
  /// Adds `path` (the attribute d) in the coordinates of a grid: cell (0, 0) begins at `origin`, a cell is `cell` pixels.
  void cells(const Point& origin, const Point& cell, const std::string& path, const std::string& style);
  /// A row of coloured squares with their meanings, beginning at `at`. Entries: style and meaning.
  void legend(Point at, const std::vector<std::pair<std::string, std::string>>& entries);

  /// The whole document.
  std::string finish();

 private:
  std::string body_;
};

/// Escapes markup; replaces control characters and bytes that are not UTF-8 by U+FFFD.
std::string xml_text(const std::string& text);
/// Upper bound of the width of `text` at 12 pixels, in pixels.
double text_width(const std::string& text);
/// Round numbers from 0 to `last`, at most about `count` of them, that a reader can interpolate between.
std::vector<double> round_steps(double last, int count);

/// Draws ticks at round numbers and a title below or left of a plot. `last` is the value at the far end.
struct Axis {
  double last = 0.0;
  std::string title;
  int ticks = 6;
};
void draw_x_axis(SvgPage& page, const Box& plot, const Axis& axis);
/// The values grow downwards, as row numbers do.
void draw_y_axis(SvgPage& page, const Box& plot, const Axis& axis);

/// A raster whose cells hold 0 (empty) or a style's number from 1; written as one path for each style.
class CellGrid {
 public:
  CellGrid(int columns, int rows) : columns_(columns), rows_(rows), cells_(static_cast<std::size_t>(columns) * rows) {}
  int columns() const { return columns_; }
  int rows() const { return rows_; }
  unsigned char& at(int column, int row) { return cells_[static_cast<std::size_t>(row) * columns_ + column]; }
  /// The cells of one style as a path of horizontal strokes, one for each run of cells, at most 11 bytes per run.
  std::string path(unsigned char style) const;

 private:
  int columns_;
  int rows_;
  std::vector<unsigned char> cells_;
};

}  // namespace gpusupernodal::cli
