#include "bench/peers/partition_tree.hpp"

#include <algorithm>
#include <numeric>

namespace gpusupernodal::bench {

namespace {

using Columns = std::vector<std::int32_t>;
constexpr std::int32_t none = -1;

/// Returns the parent of each column in the elimination tree of the permuted matrix [Liu90], in the new order.
Columns elimination_parents(const io::SymmetricMatrix& a, const std::vector<std::int64_t>& old_of_new) {
  const std::size_t n = old_of_new.size();
  Columns new_of_old(n);
  for (std::size_t k = 0; k < n; ++k) new_of_old[static_cast<std::size_t>(old_of_new[k])] = static_cast<std::int32_t>(k);
  std::vector<std::int64_t> begin(n + 1, 0);
  const auto for_each_edge = [&](const auto& visit) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::int64_t e = a.offsets[j]; e < a.offsets[j + 1]; ++e) {
        const std::int32_t p = new_of_old[static_cast<std::size_t>(a.indices[static_cast<std::size_t>(e)])];
        const std::int32_t q = new_of_old[j];
        if (p != q) visit(static_cast<std::size_t>(std::max(p, q)), std::min(p, q));
      }
    }
  };
  for_each_edge([&](std::size_t row, std::int32_t) { ++begin[row + 1]; });
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  Columns earlier(static_cast<std::size_t>(begin[n]));
  std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
  for_each_edge([&](std::size_t row, std::int32_t column) { earlier[static_cast<std::size_t>(next[row]++)] = column; });
  Columns parent(n, none), ancestor(n, none);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::int64_t e = begin[k]; e < begin[k + 1]; ++e) {
      std::int32_t column = earlier[static_cast<std::size_t>(e)];
      while (column != none && column < static_cast<std::int32_t>(k)) {
        const std::int32_t up = ancestor[static_cast<std::size_t>(column)];
        ancestor[static_cast<std::size_t>(column)] = static_cast<std::int32_t>(k);
        if (up == none) parent[static_cast<std::size_t>(column)] = static_cast<std::int32_t>(k);
        column = up;
      }
    }
  }
  return parent;
}

/// Child lists of the elimination forest, and the number of columns in each subtree.
struct Forest {
  Columns first_child, sibling, weight, roots;

  explicit Forest(const Columns& parent)
      : first_child(parent.size(), none), sibling(parent.size(), none), weight(parent.size(), 1) {
    for (std::size_t k = 0; k < parent.size(); ++k) {
      if (parent[k] != none) weight[static_cast<std::size_t>(parent[k])] += weight[k];
    }
    for (std::size_t k = parent.size(); k-- > 0;) {
      if (parent[k] == none) {
        roots.push_back(static_cast<std::int32_t>(k));
        continue;
      }
      std::int32_t& first = first_child[static_cast<std::size_t>(parent[k])];
      sibling[k] = first;
      first = static_cast<std::int32_t>(k);
    }
  }
};

class Cut {
 public:
  Cut(const Forest& forest, int levels) : forest_(forest), levels_(levels), part_(forest.weight.size(), 0) {}

  /// Returns for each column the index of its part in PartitionTree::sizes.
  Columns run() {
    split(forest_.roots, 0, 0);
    return part_;
  }

 private:
  bool lighter(std::int32_t a, std::int32_t b) const { return weight(a) != weight(b) ? weight(a) < weight(b) : a < b; }
  std::int32_t weight(std::int32_t k) const { return forest_.weight[static_cast<std::size_t>(k)]; }

  /// Index in PartitionTree::sizes of the `place`-th part from the left at `depth` below the root.
  std::int32_t index_of(int depth, int place) const { return (1 << levels_) - (1 << (depth + 1)) + place; }

  void split(Columns roots, int depth, int place) {
    if (depth == levels_ - 1) {
      for (const std::int32_t root : roots) assign_subtree(root, index_of(depth, place));
      return;
    }
    const auto order = [this](std::int32_t a, std::int32_t b) { return lighter(a, b); };
    std::make_heap(roots.begin(), roots.end(), order);
    std::int64_t total = 0;
    for (const std::int32_t root : roots) total += weight(root);
    while (!roots.empty() && 4 * static_cast<std::int64_t>(weight(roots.front())) > 3 * total) {
      const std::int32_t top = roots.front();
      std::pop_heap(roots.begin(), roots.end(), order);
      roots.pop_back();
      part_[static_cast<std::size_t>(top)] = index_of(depth, place);
      --total;
      for (std::int32_t c = forest_.first_child[static_cast<std::size_t>(top)]; c != none;
           c = forest_.sibling[static_cast<std::size_t>(c)]) {
        roots.push_back(c);
        std::push_heap(roots.begin(), roots.end(), order);
      }
    }
    std::sort(roots.begin(), roots.end(), [this](std::int32_t a, std::int32_t b) { return lighter(b, a); });
    Columns halves[2];
    std::int64_t sums[2] = {0, 0};
    for (const std::int32_t root : roots) {
      const int half = sums[0] <= sums[1] ? 0 : 1;
      halves[half].push_back(root);
      sums[half] += weight(root);
    }
    for (const int half : {0, 1}) split(std::move(halves[half]), depth + 1, 2 * place + half);
  }

  void assign_subtree(std::int32_t root, std::int32_t part) {
    Columns stack{root};
    while (!stack.empty()) {
      const std::size_t k = static_cast<std::size_t>(stack.back());
      stack.pop_back();
      part_[k] = part;
      for (std::int32_t c = forest_.first_child[k]; c != none; c = forest_.sibling[static_cast<std::size_t>(c)])
        stack.push_back(c);
    }
  }

  const Forest& forest_;
  int levels_;
  Columns part_;
};

}  // namespace

PartitionTree find_partition_tree(const io::SymmetricMatrix& a, const std::vector<std::int64_t>& old_of_new, int levels) {
  const Columns part = Cut(Forest(elimination_parents(a, old_of_new)), levels).run();
  PartitionTree tree;
  tree.levels = levels;
  tree.sizes.assign((std::size_t{1} << levels) - 1, 0);
  for (const std::int32_t p : part) ++tree.sizes[static_cast<std::size_t>(p)];
  std::vector<std::int32_t> next(tree.sizes.size(), 0);
  std::partial_sum(tree.sizes.begin(), tree.sizes.end() - 1, next.begin() + 1);
  tree.old_of_new.resize(part.size());
  for (std::size_t k = 0; k < part.size(); ++k) {
    std::int32_t& place = next[static_cast<std::size_t>(part[k])];
    tree.old_of_new[static_cast<std::size_t>(place++)] = static_cast<std::int32_t>(old_of_new[k]);
  }
  return tree;
}

}  // namespace gpusupernodal::bench
