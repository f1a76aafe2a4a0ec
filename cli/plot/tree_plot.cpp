#include "cli/plot/tree_plot.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>

#include "base/fmt.hpp"
#include "cli/plot/svg.hpp"
#include "cli/print.hpp"

namespace gpusupernodal::cli {
namespace {

constexpr Box plot{110.0, 92.0, 800.0, 440.0};
constexpr double raster = 2.0;  ///< Pixels of a cell of the raster.
constexpr double min_width = 4.0;
constexpr double min_height = 3.0;
constexpr std::int64_t wide = 256;  ///< Wider supernodes above the leaf subtrees are the regime `top`.

constexpr std::array<const char*, 4> styles{"", "leaf", "middle", "top"};

unsigned char regime_of(const TreeNode& node) {
  if (node.in_leaf_subtree) return 1;
  return node.width > wide ? 3 : 2;
}

/// The integer after the first occurrence of `key`; 0 if there is none.
std::int64_t number_after(std::string_view line, std::string_view key) {
  const std::size_t place = line.find(key);
  std::int64_t value = 0;
  if (place != std::string_view::npos) std::from_chars(line.data() + place + key.size(), line.data() + line.size(), value);
  return value;
}

/// Boxes of the supernodes in columns: x and width along the elimination order, y and height below the root.
std::vector<Box> boxes_of(const std::vector<TreeNode>& nodes) {
  std::vector<Box> boxes(nodes.size());
  double column = 0.0;
  for (std::size_t s = 0; s < nodes.size(); ++s) {
    Box& box = boxes[s];
    box.height = static_cast<double>(nodes[s].width);
    if (box.width == 0.0) box.x = column;  // A leaf; others begin where their first child began.
    column += box.height;
    box.width = column - box.x;
    if (nodes[s].parent < 0) continue;
    Box& parent = boxes[static_cast<std::size_t>(nodes[s].parent)];
    if (parent.width == 0.0) {
      parent.x = box.x;
      parent.width = box.width;
    }
  }
  for (std::size_t s = nodes.size(); s-- > 0;) {
    if (nodes[s].parent < 0) continue;
    const Box& parent = boxes[static_cast<std::size_t>(nodes[s].parent)];
    boxes[s].y = parent.y + parent.height;
  }
  return boxes;
}

/// Marks the cells that a box touches. Where several boxes do, the part of the tree with the larger number wins.
void mark(CellGrid& grid, const Box& box, unsigned char regime) {
  const auto first = [](double from) { return std::max(0, static_cast<int>(from / raster)); };
  const auto end = [](double to, int cells) { return std::min(cells, static_cast<int>(std::ceil(to / raster - 1e-6))); };
  for (int row = first(box.y); row < std::max(first(box.y) + 1, end(box.y + box.height, grid.rows())); ++row) {
    if (row >= grid.rows()) return;
    for (int column = first(box.x); column < std::max(first(box.x) + 1, end(box.x + box.width, grid.columns())); ++column) {
      if (column >= grid.columns()) break;
      unsigned char& cell = grid.at(column, row);
      cell = std::max(cell, regime);
    }
  }
}

void draw_box(SvgPage& page, const Box& box, const TreeNode& node) {
  const unsigned char regime = regime_of(node);
  page.rect(box, std::string("box ") + styles[regime]);
  const std::string label = grouped(node.width);
  if (box.height < 15.0 || box.width < text_width(label) + 6.0) return;
  page.text({box.x + 0.5 * box.width, box.y + 0.5 * box.height + 4.0}, label, Anchor::middle,
            regime == 3 ? "ontop" : "onfill");
}

}  // namespace

std::vector<TreeNode> assembly_tree(const FactorPlan& plan) {
  const std::string text = plan_graphviz(plan, std::numeric_limits<std::int64_t>::max());
  std::vector<TreeNode> nodes;
  std::string_view rest = text;
  for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (line.substr(0, 3) != "  s") continue;
    if (line.find("[label=") != std::string_view::npos) {
      nodes.push_back({number_after(line, "\\nwidth "), -1, line.find("fillcolor=white") != std::string_view::npos,
                       number_after(line, "\\nrows below ")});
    } else if (line.find(" -> ") != std::string_view::npos) {
      nodes[static_cast<std::size_t>(number_after(line, "  s"))].parent = number_after(line, " -> s");
    }
  }
  return nodes;
}

std::string tree_plot(const std::vector<TreeNode>& nodes, const std::string& matrix) {
  std::vector<Box> boxes = boxes_of(nodes);
  double columns = 0.0, depth = 0.0;
  for (const Box& box : boxes) {
    columns = std::max(columns, box.x + box.width);
    depth = std::max(depth, box.y + box.height);
  }
  SvgPage page(plot.x + plot.width + 24.0, plot.y + plot.height + 56.0, "Assembly tree of " + matrix,
               fmt::format("{}; a box is as wide as its subtree and as high as its own columns, whose number it shows",
                           counted(static_cast<std::int64_t>(nodes.size()), "supernode", "supernodes")));
  page.legend({16.0, 72.0},
              {{"leaf", "leaf subtrees"}, {"middle", "above, up to 256 columns"}, {"top", "above, more than 256 columns"}});
  const double to_x = columns > 0.0 ? plot.width / columns : 0.0;
  const double to_y = depth > 0.0 ? plot.height / depth : 0.0;
  CellGrid grid(static_cast<int>(plot.width / raster), static_cast<int>(plot.height / raster));
  std::vector<std::size_t> large;
  for (std::size_t s = 0; s < nodes.size(); ++s) {
    boxes[s] = {boxes[s].x * to_x, boxes[s].y * to_y, boxes[s].width * to_x, boxes[s].height * to_y};
    if (boxes[s].width >= min_width && boxes[s].height >= min_height) {
      large.push_back(s);
    } else {
      mark(grid, boxes[s], regime_of(nodes[s]));
    }
  }
  for (const std::size_t s : large) {
    Box box = boxes[s];
    box.x += plot.x;
    box.y += plot.y;
    draw_box(page, box, nodes[s]);
  }
  // Last, because rounding may put a small box below the edge of its parent's.
  for (unsigned char regime = 1; regime < styles.size(); ++regime)
    page.cells({plot.x, plot.y}, {raster, raster}, grid.path(regime), styles[regime]);
  page.rect(plot, "frame");
  draw_x_axis(page, plot, {columns, "column of A, in elimination order", 8});
  draw_y_axis(page, plot, {depth, "columns below the root"});
  return page.finish();
}

}  // namespace gpusupernodal::cli
