#include "solver/model/cuda_fronts.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/common/tile_shapes.hpp"
#include "solver/model/level_run.hpp"

namespace gpusupernodal {
namespace {

/// Computes the first level of each front: as early as possible, except for large fronts that can wait one level. Their
/// first diagonal block can then be factorized one level ahead, like their other blocks.
IdVector<SupernodeId, std::int32_t> first_levels(const FrontTree& tree, std::int32_t panels, std::vector<bool>& waited) {
  IdVector<SupernodeId, std::int32_t> level(tree.size(), 0);
  waited.assign(tree.size(), false);
  std::int32_t levels = 0;
  const auto pass_on = [&](SupernodeId s) {
    const SupernodeId parent = tree.parent(s);
    const std::int32_t end = level[s] + cuda::piece_count(tree.width(s));
    levels = std::max(levels, end);
    if (parent.valid()) level[parent] = std::max(level[parent], end);
  };
  for (SupernodeId s : tree.ids()) pass_on(s);
  IdVector<SupernodeId, std::int32_t> latest(tree.size(), 0);
  for (auto i = static_cast<std::int64_t>(tree.size()); i-- > 0;) {
    const SupernodeId s(i);
    const SupernodeId parent = tree.parent(s);
    latest[s] = (parent.valid() ? latest[parent] : levels) - cuda::piece_count(tree.width(s));
  }
  std::fill(level.begin(), level.end(), 0);
  for (SupernodeId s : tree.ids()) {
    if (natural_front_kind(tree.width(s), tree.front(s), panels) == CudaFrontKind::pieces && level[s] < latest[s]) {
      ++level[s];
      waited[static_cast<std::size_t>(s.value)] = true;
    }
    pass_on(s);
  }
  return level;
}

CudaLevelWork work_of_whole(std::int32_t width, CudaFrontKind kind) {
  CudaLevelWork work;
  if (kind == CudaFrontKind::tiny) {
    work.tiny_fronts = 1;
  } else {
    work.small_fronts = 1;
    work.small_strips = cuda::strip_count(width);
  }
  return work;
}

/// Classes of fronts in a level; all fronts of a class get the same kind.
enum class FrontClass : std::uint8_t { tiny_unpadded, tiny, small_unpadded, small, large };
constexpr std::size_t front_classes = 5;

FrontClass class_of(std::int32_t width, std::int32_t front, std::int32_t panels) {
  switch (natural_front_kind(width, front, panels)) {
    case CudaFrontKind::tiny:
      return cuda::is_padded(front) ? FrontClass::tiny : FrontClass::tiny_unpadded;
    case CudaFrontKind::small:
      return cuda::is_padded(front) ? FrontClass::small : FrontClass::small_unpadded;
    case CudaFrontKind::pieces:
      break;
  }
  return FrontClass::large;
}

/// Kinds that a class may get, `first` to `last`. A level's work as each of them is stored from index `begin` on. Products
/// read panels in units of 16 bytes, so fronts with unpadded panels cannot become pieces.
struct PossibleKinds {
  CudaFrontKind first;
  CudaFrontKind last;
  std::size_t begin;

  std::size_t index(CudaFrontKind kind) const {
    return begin + static_cast<std::size_t>(kind) - static_cast<std::size_t>(first);
  }
  /// Calls f(kind) for each kind.
  template <class F>
  void each(const F& f) const {
    for (auto kind = static_cast<std::uint8_t>(first); kind <= static_cast<std::uint8_t>(last); ++kind)
      f(static_cast<CudaFrontKind>(kind));
  }
};

constexpr std::array<PossibleKinds, front_classes> possible_kinds{{{CudaFrontKind::tiny, CudaFrontKind::small, 0},
                                                                   {CudaFrontKind::tiny, CudaFrontKind::pieces, 2},
                                                                   {CudaFrontKind::small, CudaFrontKind::small, 5},
                                                                   {CudaFrontKind::small, CudaFrontKind::pieces, 6},
                                                                   {CudaFrontKind::pieces, CudaFrontKind::pieces, 8}}};
constexpr std::size_t works_a_level = 9;

/// Kind that the fronts of each class get.
using LevelChoice = std::array<CudaFrontKind, front_classes>;

/// Returns all possible choices.
std::vector<LevelChoice> all_choices() {
  std::vector<LevelChoice> choices{{}};
  for (std::size_t c = 0; c < front_classes; ++c) {
    std::vector<LevelChoice> longer;
    for (LevelChoice choice : choices) {
      possible_kinds[c].each([&](CudaFrontKind kind) {
        choice[c] = kind;
        longer.push_back(choice);
      });
    }
    choices = std::move(longer);
  }
  return choices;
}

/// Work of a level's fronts by class and by kind. A tall tree has about as many levels as fronts, so this is the largest
/// array of its analysis.
struct LevelWork {
  std::array<CudaLevelWork, works_a_level> as;

  CudaLevelWork with(const LevelChoice& choice) const {
    CudaLevelWork work;
    for (std::size_t c = 0; c < front_classes; ++c) work.add(as[possible_kinds[c].index(choice[c])]);
    return work;
  }
};

/// Calls f(level, work) for each level in which a front has work. `waited`: the front begins later than it could, so
/// its first block is factorized one level ahead too.
template <class F>
void for_each_work(std::int32_t first, bool waited, std::int32_t width, std::int32_t front, CudaFrontKind kind, const F& f) {
  for (std::int32_t p = 0; p < cuda::piece_count(width); ++p) {
    if (kind != CudaFrontKind::pieces) {
      f(first + p, work_of_whole(width, kind));
      continue;
    }
    CudaLevelWork work = cuda_piece_work(width, front, p);
    if (p > 0 || waited) {
      CudaLevelWork before;
      before.ahead_blocks = std::exchange(work.diagonal_blocks, 0.0);
      before.ahead_strips = work.diagonal_strips;
      f(first + p - 1, before);
    }
    f(first + p, work);
  }
}

}  // namespace

CudaLevelWork cuda_piece_work(std::int32_t width, std::int32_t front, std::int32_t piece) {
  const std::int32_t columns = cuda::piece_width(width, piece);
  const std::int32_t below = front - piece * cuda::tile_size - columns;
  const cuda::Product product = cuda::product_after(width, front, piece);
  const cuda::ProductTiles cut = cuda::tiles_of(product, front);
  CudaLevelWork work;
  work.diagonal_blocks = 1;
  work.diagonal_strips = cuda::strip_count(columns);
  work.scale_tiles = (below + cuda::tile_size - 1) / cuda::tile_size;
  work.product_tiles = static_cast<double>(cuda::product_task_count(width, front, piece));
  if (work.product_tiles > 0) work.product_depth = product.depth / static_cast<double>(cut.pieces);
  work.product_columns = static_cast<double>(cut.tiles) * product.depth;
  return work;
}

CudaFrontKind natural_front_kind(std::int32_t width, std::int32_t front, std::int32_t panels) {
  if (!cuda::is_whole_front(width, front, panels)) return CudaFrontKind::pieces;
  return cuda::is_tiny(width, front) ? CudaFrontKind::tiny : CudaFrontKind::small;
}

void CudaLevelWork::add(const CudaLevelWork& other) {
  tiny_fronts += other.tiny_fronts;
  small_fronts += other.small_fronts;
  small_strips = std::max(small_strips, other.small_strips);
  diagonal_blocks += other.diagonal_blocks;
  diagonal_strips = std::max(diagonal_strips, other.diagonal_strips);
  ahead_blocks += other.ahead_blocks;
  ahead_strips = std::max(ahead_strips, other.ahead_strips);
  scale_tiles += other.scale_tiles;
  product_tiles += other.product_tiles;
  product_depth = std::max(product_depth, other.product_depth);
  product_columns += other.product_columns;
}

double cuda_level_seconds(const CudaLevelWork& work, const LaunchFigures& f) {
  const auto in_turn = [&](double tasks) { return std::max(0.0, tasks - f.tasks_at_once); };
  double seconds = 0.0;
  if (work.tiny_fronts > 0) seconds += f.tiny_seconds + work.tiny_fronts * f.tiny_seconds_per_front;
  if (work.small_fronts > 0)
    seconds +=
        f.small_seconds + work.small_strips * f.small_seconds_per_strip + work.small_fronts * f.small_seconds_per_front;
  const auto blocks = [&](double count, double strips) {
    if (count == 0) return 0.0;
    return f.diagonal_seconds + strips * f.diagonal_seconds_per_strip + in_turn(count) * f.diagonal_seconds_per_block;
  };
  seconds += blocks(work.diagonal_blocks, work.diagonal_strips);
  if (work.scale_tiles > 0)
    seconds += f.scale_seconds + work.diagonal_strips * f.scale_seconds_per_strip +
               in_turn(work.scale_tiles) * f.scale_seconds_per_tile;
  double products = 0.0;
  if (work.product_tiles > 0)
    products = f.product_seconds + work.product_depth * f.product_seconds_per_column +
               work.product_tiles * f.product_seconds_per_tile + work.product_columns / f.product_columns_per_second;
  return seconds + std::max(products, blocks(work.ahead_blocks, work.ahead_strips));
}

namespace {

/// Returns the work of all levels for each choice, of the fronts that `counts` selects.
template <class Counts>
std::vector<LevelWork> level_works(const FrontTree& tree, std::int32_t panels,
                                   const IdVector<SupernodeId, std::int32_t>& first_level, const std::vector<bool>& waited,
                                   const Counts& counts) {
  std::int32_t count = 0;
  for (SupernodeId s : tree.ids()) count = std::max(count, first_level[s] + cuda::piece_count(tree.width(s)));
  std::vector<LevelWork> levels(static_cast<std::size_t>(count));
  for (SupernodeId s : tree.ids()) {
    if (!counts(s)) continue;
    const std::int32_t width = tree.width(s);
    const PossibleKinds& kinds = possible_kinds[static_cast<std::size_t>(class_of(width, tree.front(s), panels))];
    kinds.each([&](CudaFrontKind kind) {
      for_each_work(first_level[s], waited[static_cast<std::size_t>(s.value)], width, tree.front(s), kind,
                    [&](std::int32_t level, const CudaLevelWork& work) {
                      levels[static_cast<std::size_t>(level)].as[kinds.index(kind)].add(work);
                    });
    });
  }
  return levels;
}

/// The cheapest choice for each level, and its price.
struct ChosenKinds {
  std::vector<LevelChoice> choice;
  std::vector<double> seconds;
};

ChosenKinds choose_kinds(const std::vector<LevelWork>& levels, const LaunchFigures& figures) {
  const std::vector<LevelChoice> choices = all_choices();
  ChosenKinds chosen;
  for (const LevelWork& level : levels) {
    const auto seconds = [&](const LevelChoice& choice) { return cuda_level_seconds(level.with(choice), figures); };
    chosen.choice.push_back(
        *std::min_element(choices.begin(), choices.end(),
                          [&](const LevelChoice& a, const LevelChoice& b) { return seconds(a) < seconds(b); }));
    chosen.seconds.push_back(seconds(chosen.choice.back()));
  }
  return chosen;
}

/// Chooses a run, and replaces the choice of kinds of its levels by that for the other fronts.
void choose_run(CudaFronts& fronts, const FrontTree& tree, const LaunchFigures& figures, std::int32_t panels,
                const std::vector<bool>& waited, ChosenKinds& chosen) {
  std::vector<bool> may_run = fronts_that_may_run(tree, panels);
  const auto other = [&](SupernodeId s) { return !may_run[static_cast<std::size_t>(s.value)]; };
  const ChosenKinds of_others = choose_kinds(level_works(tree, panels, fronts.first_level, waited, other), figures);
  std::vector<LevelPrice> prices;
  for (std::size_t level = 0; level < chosen.seconds.size(); ++level)
    prices.push_back({chosen.seconds[level], of_others.seconds[level]});
  const PricedRun run = choose_level_run(tree, fronts.first_level, may_run, prices, figures, panels);
  if (run.first_level < 0) return;
  fronts.run_level = run.first_level;
  fronts.run_seconds = run.seconds;
  for (SupernodeId s : tree.ids()) {
    if (fronts.first_level[s] < run.first_level) may_run[static_cast<std::size_t>(s.value)] = false;
  }
  fronts.in_run = std::move(may_run);
  std::copy(of_others.choice.begin() + run.first_level, of_others.choice.end(), chosen.choice.begin() + run.first_level);
}

}  // namespace

CudaFronts plan_cuda_fronts(const FrontTree& tree, const LaunchFigures& figures, const CudaFrontRules& rules) {
  CudaFronts fronts;
  std::vector<bool> waited;
  fronts.first_level = first_levels(tree, rules.panels, waited);
  const auto every = [](SupernodeId) { return true; };
  ChosenKinds chosen = choose_kinds(level_works(tree, rules.panels, fronts.first_level, waited, every), figures);
  if (rules.may_run) choose_run(fronts, tree, figures, rules.panels, waited, chosen);
  fronts.levels.resize(chosen.choice.size());
  fronts.kind.reserve(tree.size());
  for (SupernodeId s : tree.ids()) {
    const auto at = static_cast<std::size_t>(s.value);
    if (fronts.run_level >= 0 && fronts.in_run[at]) {
      fronts.kind.push_back(natural_front_kind(tree.width(s), tree.front(s), rules.panels));
      continue;
    }
    const LevelChoice& choice = chosen.choice[static_cast<std::size_t>(fronts.first_level[s])];
    fronts.kind.push_back(choice[static_cast<std::size_t>(class_of(tree.width(s), tree.front(s), rules.panels))]);
    for_each_work(
        fronts.first_level[s], waited[at], tree.width(s), tree.front(s), fronts.kind[s],
        [&](std::int32_t level, const CudaLevelWork& work) { fronts.levels[static_cast<std::size_t>(level)].add(work); });
  }
  for (const CudaLevelWork& level : fronts.levels) fronts.seconds += cuda_level_seconds(level, figures);
  fronts.seconds += fronts.run_seconds;
  return fronts;
}

}  // namespace gpusupernodal
