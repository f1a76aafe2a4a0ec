#include "solver/cuda/plan/column_solve_order.hpp"

#include <algorithm>
#include <limits>

#include "solver/cuda/plan/column_launches.hpp"

namespace gpusupernodal::cuda {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

class Orderer {
 public:
  Orderer(const ColumnStructure& structure, bool transposed)
      : s_(structure),
        transposed_(transposed),
        blocks_(tail_blocks(structure)),
        level_(2 * at(structure.n) + 2 * at(blocks_), 0) {}

  SolveOrder run() {
    const auto count = static_cast<std::int32_t>(s_.block_ends.size());
    // The blocks of A depend on the later ones, those of its transpose on the earlier ones.
    for (std::int32_t i = 0; i < count; ++i) {
      const std::int32_t b = transposed_ ? i : count - 1 - i;
      add_block(b > 0 ? s_.block_ends[at(b) - 1] : 0, s_.block_ends[at(b)]);
    }
    return sorted();
  }

 private:
  std::int32_t upper_node(std::int32_t k) const { return s_.n + k; }
  std::int32_t tail_node(std::int32_t block, bool upper) const { return 2 * s_.n + (upper ? blocks_ : 0) + block; }
  /// The step that yields entry k of the first or the second triangular solve.
  std::int32_t source(std::int32_t k, bool upper) const {
    if (s_.in_tail(k)) return tail_node((k - s_.tail_begin) / tail_block, upper);
    return upper ? upper_node(k) : k;
  }
  void wait(std::int32_t node, std::int32_t for_node) {
    level_[at(node)] = std::max(level_[at(node)], level_[at(for_node)] + 1);
  }

  void add_block(std::int32_t begin, std::int32_t end) {
    for (std::int32_t k = begin; k < end; ++k) first_step(k);
    if (s_.tail() > 0 && s_.tail_end == end) tail_steps();
    for (std::int32_t k = end - 1; k >= begin; --k) {
      if (!s_.in_tail(k)) second_step(k);
    }
  }

  void first_step(std::int32_t k) {
    if (transposed_) {
      const std::int64_t begin = s_.column_offset[at(k)];
      const std::int64_t middle = begin + s_.before[at(k)];
      for (std::int64_t e = begin; e < middle; ++e) wait(k, source(s_.rows[at(e)], true));
      for (std::int64_t e = middle; e < middle + s_.above[at(k)]; ++e) wait(k, s_.rows[at(e)]);
      return;
    }
    const std::int64_t begin = s_.row_offset[at(k)];
    const std::int64_t middle = begin + s_.lower[at(k)];
    for (std::int64_t e = begin; e < middle; ++e) wait(k, s_.columns[at(e)]);
    for (std::int64_t e = middle + s_.upper[at(k)]; e < s_.row_offset[at(k) + 1]; ++e)
      wait(k, source(s_.columns[at(e)], true));
  }

  void second_step(std::int32_t k) {
    const std::int32_t node = upper_node(k);
    wait(node, k);
    if (transposed_) {
      const std::int64_t begin = s_.column_offset[at(k)] + s_.before[at(k)] + s_.above[at(k)] + 1;
      for (std::int64_t e = begin; e < s_.column_offset[at(k) + 1]; ++e) wait(node, source(s_.rows[at(e)], true));
      return;
    }
    const std::int64_t diagonal = s_.row_offset[at(k)] + s_.lower[at(k)];
    for (std::int64_t e = diagonal + 1; e < diagonal + s_.upper[at(k)]; ++e) wait(node, source(s_.columns[at(e)], true));
  }

  /// Each block waits for the one before and for the steps of its rows.
  void tail_steps() {
    for (std::int32_t b = 0; b < blocks_; ++b) {
      const std::int32_t last = std::min(s_.tail_end, s_.tail_begin + (b + 1) * tail_block);
      for (std::int32_t k = s_.tail_begin + b * tail_block; k < last; ++k) wait(tail_node(b, false), k);
      if (b > 0) wait(tail_node(b, false), tail_node(b - 1, false));
    }
    for (std::int32_t b = blocks_ - 1; b >= 0; --b)
      wait(tail_node(b, true), b + 1 < blocks_ ? tail_node(b + 1, true) : tail_node(b, false));
  }

  bool exists(std::int32_t node) const { return node < s_.n || node >= 2 * s_.n || !s_.in_tail(node - s_.n); }

  SolveOrder sorted() const {
    SolveOrder order;
    const auto nodes = static_cast<std::int32_t>(level_.size());
    std::vector<std::int64_t> next;
    for (std::int32_t node = 0; node < nodes; ++node) {
      if (!exists(node)) continue;
      const std::size_t level = at(level_[at(node)]);
      if (next.size() < level + 2) next.resize(level + 2, 0);
      ++next[level + 1];
    }
    for (std::size_t l = 1; l < next.size(); ++l) next[l] += next[l - 1];
    order.levels = next.empty() ? 0 : static_cast<std::int64_t>(next.size()) - 1;
    order.nodes.resize(next.empty() ? 0 : at(next.back()));
    for (std::int32_t node = 0; node < nodes; ++node) {
      if (exists(node)) order.nodes[at(next[at(level_[at(node)])]++)] = node;
    }
    return order;
  }

  const ColumnStructure& s_;
  bool transposed_;
  std::int32_t blocks_;
  std::vector<std::int32_t> level_;
};

}  // namespace

bool steps_fit(std::int64_t order, std::int64_t tail) {
  const std::int64_t blocks = (tail + tail_block - 1) / tail_block;
  return 2 * (order + blocks) <= std::numeric_limits<std::int32_t>::max();
}

SolveOrder solve_order(const ColumnStructure& structure, bool transposed) { return Orderer(structure, transposed).run(); }

}  // namespace gpusupernodal::cuda
