#include "solver/model/level_run.hpp"

#include <algorithm>

#include "kernels/common/level_run_records.hpp"
#include "kernels/common/tile_shapes.hpp"

namespace gpusupernodal {
namespace {

// The figures of launches are those of Cholesky. A level of LU takes longer, above all where a warp subtracts the updates of
// a tiny front with many rows below; in a run a CTA does so (bench/notebook/lu.md).
constexpr double lu_seconds_per_level = 2.5e-6;
constexpr double lu_seconds_per_square_row = 1e-9;

/// What the fronts of one level add to a run.
struct RunLevel {
  double longest = 0.0;  ///< Seconds of its longest front.
  double work = 0.0;     ///< Seconds of all fronts if every CTA always has work.
  double rows = 0.0;     ///< Most rows below a front.
};

class RunPricer {
 public:
  RunPricer(const LaunchFigures& figures, std::int32_t panels) : figures_(figures), is_lu_(panels > 1) {}

  void add(RunLevel& level, std::int32_t width, std::int32_t front) const {
    const bool narrow = cuda::is_narrow(width, front);
    const double strips = narrow ? 0.5 : cuda::strip_count(width);
    const double seconds = figures_.run_seconds_per_front + strips * figures_.run_seconds_per_strip;
    level.longest = std::max(level.longest, seconds);
    level.work += seconds / (figures_.run_ctas * (narrow ? cuda::run_warps : 1));
    level.rows = std::max(level.rows, static_cast<double>(front - width));
  }

  double gain(const RunLevel& level, const LevelPrice& price) const {
    double saved = price.all - price.without;
    if (is_lu_ && saved >= figures_.small_seconds)  // There is a launch less.
      saved += lu_seconds_per_level + level.rows * level.rows * lu_seconds_per_square_row;
    return saved - level.longest - level.work;
  }

 private:
  const LaunchFigures& figures_;
  bool is_lu_;
};

}  // namespace

std::vector<bool> fronts_that_may_run(const FrontTree& tree, std::int32_t panels) {
  std::vector<bool> may_run(tree.size(), true);
  for (SupernodeId s : tree.ids()) {
    const auto at = static_cast<std::size_t>(s.value);
    may_run[at] = may_run[at] && cuda::is_whole_front(tree.width(s), tree.front(s), panels);
    const SupernodeId parent = tree.parent(s);
    if (parent.valid() && !may_run[at]) may_run[static_cast<std::size_t>(parent.value)] = false;
  }
  return may_run;
}

PricedRun choose_level_run(const FrontTree& tree, const IdVector<SupernodeId, std::int32_t>& first_level,
                           const std::vector<bool>& may_run, const std::vector<LevelPrice>& levels,
                           const LaunchFigures& figures, std::int32_t panels) {
  const RunPricer pricer(figures, panels);
  std::vector<RunLevel> run(levels.size());
  for (SupernodeId s : tree.ids()) {
    if (may_run[static_cast<std::size_t>(s.value)])
      pricer.add(run[static_cast<std::size_t>(first_level[s])], tree.width(s), tree.front(s));
  }
  PricedRun best;
  double gain = -figures.run_seconds, most = 0.0, seconds = figures.run_seconds;
  for (std::size_t level = levels.size(); level-- > 0;) {
    gain += pricer.gain(run[level], levels[level]);
    seconds += run[level].longest + run[level].work;
    if (gain <= most) continue;
    most = gain;
    best = {static_cast<std::int32_t>(level), seconds};
  }
  return best;
}

}  // namespace gpusupernodal
