#include "cli/plot/pattern_plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/fmt.hpp"
#include "cli/plot/pattern_cells.hpp"
#include "cli/plot/svg.hpp"
#include "cli/print.hpp"

namespace gpusupernodal::cli {
namespace {

constexpr int max_cells = 240;
constexpr int shades = 4;
constexpr double side = 480.0;
constexpr double left = 110.0;
constexpr double top = 100.0;

/// Shade of a count, 1 to `shades`, by its logarithm; the largest count has the darkest.
int shade_of(std::int64_t count, std::int64_t largest) {
  if (largest <= 1) return shades;
  const double part = std::log(static_cast<double>(count)) / std::log(static_cast<double>(largest));
  return std::clamp(1 + static_cast<int>(part * shades), 1, shades);
}

std::string shade_name(int shade) { return fmt::format("shade{}", shade); }

/// The counts that have each shade, as legend entries. Shades without a cell are left out.
std::vector<std::pair<std::string, std::string>> meanings(const std::vector<CellCounts>& panels, std::int64_t largest) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (int shade = 1; shade <= shades; ++shade) {
    std::int64_t low = largest + 1, high = 0;
    for (const CellCounts& panel : panels) {
      for (const std::int64_t count : panel.counts) {
        if (count == 0 || shade_of(count, largest) != shade) continue;
        low = std::min(low, count);
        high = std::max(high, count);
      }
    }
    if (high == 0) continue;
    const std::string range = low == high ? grouped(low) : fmt::format("{} to {}", grouped(low), grouped(high));
    entries.emplace_back(shade_name(shade), fmt::format("{} {}", range, high == 1 ? "entry" : "entries"));
  }
  return entries;
}

void draw_panel(SvgPage& page, const Box& plot, const CellCounts& panel, std::int64_t largest) {
  CellGrid grid(panel.cells, panel.cells);
  for (int row = 0; row < panel.cells; ++row) {
    for (int column = 0; column < panel.cells; ++column) {
      const std::int64_t count = panel.counts[static_cast<std::size_t>(row) * static_cast<std::size_t>(panel.cells) +
                                              static_cast<std::size_t>(column)];
      if (count > 0) grid.at(column, row) = static_cast<unsigned char>(shade_of(count, largest));
    }
  }
  const double cell = panel.cells > 0 ? side / panel.cells : side;
  for (int shade = 1; shade <= shades; ++shade) {
    page.cells({plot.x, plot.y}, {cell, cell}, grid.path(static_cast<unsigned char>(shade)), shade_name(shade));
  }
  page.rect(plot, "frame");
}

}  // namespace

std::string pattern_plot(const io::SymmetricMatrix& matrix, const std::vector<std::int64_t>& old_of_new) {
  std::vector<CellCounts> panels{count_cells(matrix.view(), {}, max_cells)};
  std::vector<std::string> orders{"column, as given"};
  if (!old_of_new.empty()) {
    panels.push_back(count_cells(matrix.view(), inverse_permutation(old_of_new), max_cells));
    orders.emplace_back("column, in elimination order");
  }
  std::int64_t largest = 0;
  for (const CellCounts& panel : panels) largest = std::max(largest, panel.largest());
  std::string subtitle = fmt::format("n = {}, {}", grouped(matrix.n), counted(full_nonzeros(matrix), "nonzero", "nonzeros"));
  if (matrix.n > max_cells)
    subtitle += fmt::format("; a cell is {0:.3g} × {0:.3g}", static_cast<double>(matrix.n) / max_cells);
  constexpr double step = left + side + 24.0;
  SvgPage page(step * static_cast<double>(panels.size()), top + side + 56.0, "Pattern of " + matrix.name, subtitle);
  page.legend({16.0, 72.0}, meanings(panels, largest));
  for (std::size_t k = 0; k < panels.size(); ++k) {
    const Box plot{left + step * static_cast<double>(k), top, side, side};
    draw_panel(page, plot, panels[k], largest);
    draw_x_axis(page, plot, {static_cast<double>(matrix.n), orders[k]});
    draw_y_axis(page, plot, {static_cast<double>(matrix.n), "row"});
  }
  return page.finish();
}

}  // namespace gpusupernodal::cli
