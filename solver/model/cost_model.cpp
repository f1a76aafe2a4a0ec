#include "solver/model/cost_model.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/common/solve_shapes.hpp"
#include "kernels/common/tile_shapes.hpp"
#include "solver/model/cuda_fronts.hpp"
#include "solver/model/host_work.hpp"

namespace gpusupernodal {
namespace {

// Below this amount of work per worker, waking the worker costs more than it gains.
constexpr double flops_worth_a_worker = 2e6;
constexpr double values_worth_a_worker = 1e5;
constexpr double permuted_entries_worth_a_worker = 5e4;
// If more than this share of the work lies on the longest path, several workers save too little.
constexpr double longest_path_worth_one_worker = 0.9;

int workers_for(double flops, int threads) {
  return static_cast<int>(std::clamp(flops / flops_worth_a_worker, 1.0, static_cast<double>(threads)));
}

double flops_per_second(const HostFigures& figures, ScalarType scalar) {
  return (is_single(scalar) ? 2.0 : 1.0) * figures.flops_per_second;
}

// Trees of fronts are priced in double precision, and on the host with the threads that its figures were fitted for.
constexpr ScalarType scalar_of_trees = ScalarType::real_double;
constexpr int fitted_threads = 16;

constexpr StepRule factor_rule{cuda::tile_size, cuda::tile_size, 1};
/// Steps of one sweep: one for a front that a CTA solves whole, two per block of a wider front.
constexpr StepRule solve_rule{cuda::tile_size, cuda::solve_block, 2};

/// Returns the seconds that one value of L costs beside launches, in a factorization and a solve.
double seconds_per_value(const LaunchFigures& figures) {
  return static_cast<double>(bytes_of(scalar_of_trees)) *
         (1.0 / figures.bytes_per_second + 2.0 / figures.solve_bytes_per_second);
}

MergeCosts merge_costs_of(const CostFigures& figures) {
  MergeCosts costs;
  costs.factor = factor_rule;
  costs.solve = solve_rule;
  costs.seconds_per_solve_step = 2.0 * figures.cuda.solve_seconds_per_step;
  costs.seconds_per_level = cuda_level_seconds(cuda_piece_work(cuda::tile_size, 4 * cuda::tile_size, 0), figures.launch);
  costs.seconds_per_value = seconds_per_value(figures.launch);
  costs.seconds_per_flop = 1.0 / figures.cuda.flops_per_second;
  return costs;
}

CostFeatures features_of(const FrontTree& tree) {
  CostFeatures features;
  IdVector<SupernodeId, std::int64_t> below(tree.size(), 0);
  for (SupernodeId s : tree.ids()) {
    const auto width = static_cast<double>(tree.width(s));
    const auto rows = static_cast<double>(tree.rows_below(s));
    features.values += width * (width + rows);
    features.flops += width * (width * width / 3 + width * rows + rows * rows);
    const std::int64_t steps = below[s] + solve_rule.steps(tree.width(s));
    features.solve_steps = std::max(features.solve_steps, 2.0 * static_cast<double>(steps));
    const SupernodeId parent = tree.parent(s);
    if (parent.valid()) below[parent] = std::max(below[parent], steps);
  }
  features.order = tree.order();
  features.supernodes = static_cast<double>(tree.size());
  features.updates = features.supernodes;  // At least one per supernode.
  return features;
}

}  // namespace

CostModel::CostModel(const CostFigures& figures) : figures_(figures), merge_costs_(merge_costs_of(figures)) {}

double CostModel::device_seconds(const FrontTree& tree) const {
  const CostFeatures features = features_of(tree);
  return plan_cuda_fronts(tree, figures_.launch).seconds + features.solve_steps * figures_.cuda.solve_seconds_per_step +
         features.values * merge_costs_.seconds_per_value;
}

double CostModel::host_seconds(const FrontTree& tree) const {
  return host_seconds(features_of(tree), fitted_threads, scalar_of_trees);
}

double CostModel::device_seconds(const CostFeatures& features, ScalarType scalar) const {
  return cuda_factor_seconds(features, figures_.cuda, scalar) + cuda_solve_seconds(features, figures_.cuda, scalar);
}

double CostModel::host_seconds(const CostFeatures& features, int threads, ScalarType scalar) const {
  return host_factor_seconds(features, figures_.host, threads, scalar) +
         host_solve_seconds(features, figures_.host, threads, scalar);
}

int host_factor_workers(double flops, double critical_flops, int threads) {
  if (critical_flops > longest_path_worth_one_worker * flops) return 1;
  return workers_for(flops, threads);
}

int host_solve_workers(double order, double values, double columns, int threads) {
  const double useful = columns * std::max(order / permuted_entries_worth_a_worker, values / values_worth_a_worker);
  return static_cast<int>(std::clamp(useful, 1.0, static_cast<double>(threads)));
}

double host_work_seconds(const CostFeatures& work, const HostFigures& figures, ScalarType scalar) {
  return work.flops / flops_per_second(figures, scalar) + work.values * figures.seconds_per_value +
         work.updates * figures.seconds_per_update + work.supernodes * figures.seconds_per_supernode;
}

double host_factor_span(double work, double critical, int workers) {
  return workers == 1 ? work : std::max(work / workers, critical + work / (8.0 * workers));
}

double host_factor_seconds(const CostFeatures& plan, const HostFigures& figures, int threads, ScalarType scalar) {
  const int workers = workers_for(plan.flops, threads);
  const double work = host_work_seconds(plan, figures, scalar);
  if (workers == 1) return figures.seconds_fixed + work;
  return figures.seconds_fixed + (workers - 1) * figures.seconds_per_worker +
         plan.values * static_cast<double>(bytes_of(scalar)) / sizeof(double) * figures.shared_seconds_per_value +
         host_factor_span(work, plan.critical_flops / flops_per_second(figures, scalar), workers);
}

double host_solve_seconds(const CostFeatures& plan, const HostFigures& figures, int threads, ScalarType scalar) {
  const int workers = host_solve_workers(plan.order, plan.values, 1.0, threads);
  const double bytes_read = 2.0 * plan.values * static_cast<double>(bytes_of(scalar));
  const double work = plan.order * figures.solve_seconds_per_row + bytes_read / figures.solve_bytes_per_second;
  return figures.solve_seconds_fixed + std::log2(workers) * figures.solve_seconds_per_doubling + work / workers +
         bytes_read / figures.solve_shared_bytes_per_second;
}

double cuda_factor_seconds(const CostFeatures& plan, const CudaFigures& figures, ScalarType scalar) {
  const auto bytes = static_cast<double>(bytes_of(scalar));
  return figures.seconds_fixed + plan.levels * figures.seconds_per_level + plan.path_columns * figures.seconds_per_column +
         plan.flops / figures.flops_per_second + plan.values * bytes / figures.bytes_per_second +
         plan.entries * bytes / figures.transfer_bytes_per_second;
}

double cuda_solve_seconds(const CostFeatures& plan, const CudaFigures& figures, ScalarType scalar) {
  const auto bytes = static_cast<double>(bytes_of(scalar));
  return figures.solve_seconds_fixed + plan.solve_steps * figures.solve_seconds_per_step +
         2.0 * plan.values * bytes / figures.solve_bytes_per_second +
         2.0 * plan.order * bytes / figures.solve_transfer_bytes_per_second;
}

}  // namespace gpusupernodal
