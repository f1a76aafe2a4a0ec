/// How several devices divide a factorization: computed on the host, with one array of values for each device.

#include "solver/cuda/plan/devices_plan.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "tests/solver/cuda/plan/launch_interpreter.hpp"
#include "tests/solver/cuda/plan/plans.hpp"

namespace gpusupernodal::test {
namespace {

std::shared_ptr<const DevicesPlan> devices_plan_of(const FactorPlan& plan, int devices) {
  PartMapOptions options = device_parts(devices, ScalarType::real_double, CudaFigures());
  options.seconds_per_top_column = 0.0;  // Divides small problems too.
  ThreadTeam one(1);
  return build_devices_plan(plan.cuda(), options, one);
}

/// Matrices whose top has one and several block columns, narrow and wide supernodes, and none at all.
std::vector<io::SymmetricMatrix> divided_matrices() {
  std::vector<io::SymmetricMatrix> all = small_matrices();
  for (const char* spec : {"lap2d:40", "lap3d:12", "elas:6"}) all.push_back(io::generate(spec));
  all.push_back(dense_spd(1100, 1));
  all.push_back(joined_cliques_spd(2, 600, 90, 3));
  all.push_back(joined_cliques_spd(3, 200, 20, 5));
  return all;
}

/// All devices, factorizing together as SeveralDevices makes them.
class Devices {
 public:
  explicit Devices(const DevicesPlan& plan) : plan_(plan) {
    for (const auto& of_device : plan.plans) devices_.emplace_back(*of_device);
    sent_.resize(plan.plans.size());
  }

  void factorize(const io::SymmetricMatrix& a) {
    const auto top = static_cast<std::size_t>(plan_.map->first_top_level);
    for (LaunchInterpreter& device : devices_) device.assemble(a);
    for (std::size_t l = 0; l < top; ++l) {
      for (LaunchInterpreter& device : devices_) {
        device.begin_level(l);
        device.end_level(l);
      }
    }
    if (top < plan_.levels()) add_contributions(top);
    for (std::size_t l = top; l < plan_.levels(); ++l) {
      for (LaunchInterpreter& device : devices_) device.begin_level(l);
      send(static_cast<std::int32_t>(l));
      for (PartId p : plan_.map->parts.shares.ids()) {
        if (plan_.reads_others[static_cast<std::size_t>(p.value)][l]) receive(p);
      }
      for (LaunchInterpreter& device : devices_) device.end_level(l);
    }
    for (PartId p : plan_.map->parts.shares.ids()) receive(p);
  }

  /// L(i, j) of a panel on a device that stores it.
  double value(PartId p, SupernodeId s, std::int32_t i, std::int32_t j) const {
    const auto d = static_cast<std::size_t>(p.value);
    return devices_[d].values[static_cast<std::size_t>(plan_.plans[d]->structure->panels.index(s, i, j))];
  }

 private:
  double* top_of(PartId p) {
    const auto d = static_cast<std::size_t>(p.value);
    return devices_[d].values.data() + plan_.top_begin[d];
  }

  void add_contributions(std::size_t top) {
    for (LaunchInterpreter& device : devices_) device.finish_products_before(top);
    for (const TopContribution& c : plan_.contributions) {
      for (std::int64_t i = c.first; i < c.first + c.count; ++i) top_of(c.to)[i] += top_of(c.from)[i];
    }
    // Nothing may read a copy before the owner has sent it.
    for (const TopPiece& piece : plan_.pieces) {
      for (PartId p : plan_.map->parts.shares.ids()) {
        if (p != piece.owner) std::fill_n(top_of(p) + piece.first, piece.count, std::numeric_limits<double>::quiet_NaN());
      }
    }
  }

  void send(std::int32_t level) {
    const auto [first, last] = plan_.pieces_of_level(level);
    for (std::size_t i = first; i < last; ++i) {
      for (PartId p : plan_.map->parts.shares.ids()) {
        if (p != plan_.pieces[i].owner) sent_[p].push_back(i);
      }
    }
  }

  /// Pieces arrive as late as they may.
  void receive(PartId p) {
    for (const std::size_t i : sent_[p]) {
      const TopPiece& piece = plan_.pieces[i];
      std::copy_n(top_of(piece.owner) + piece.first, piece.count, top_of(p) + piece.first);
    }
    sent_[p].clear();
  }

  const DevicesPlan& plan_;
  std::vector<LaunchInterpreter> devices_;
  IdVector<PartId, std::vector<std::size_t>> sent_;  ///< By device: indices of pieces that are on the way to it.
};

TEST(DevicesPlan, DevicesFactorizeTogether) {
  for (const io::SymmetricMatrix& a : divided_matrices()) {
    const auto plan = cuda_plan_of(a);
    for (const int count : {1, 2, 5}) {
      SCOPED_TRACE(a.name + " on " + std::to_string(count));
      const auto devices_plan = devices_plan_of(*plan, count);
      Devices devices(*devices_plan);
      devices.factorize(a);
      for (PartId top : devices_plan->map->parts.shares.ids()) {
        const double error = error_of(a, plan->structure(), [&](SupernodeId s, std::int32_t i, std::int32_t j) {
          return devices.value(devices_plan->map->in_top(s) ? top : devices_plan->map->parts.part_of[s], s, i, j);
        });
        EXPECT_LE(error, error_of_bound(a));
      }
    }
  }
}

TEST(DevicesPlan, EveryColumnHasOneOwner) {
  for (const io::SymmetricMatrix& a : divided_matrices()) {
    SCOPED_TRACE(a.name);
    const auto plan = cuda_plan_of(a);
    const auto devices_plan = devices_plan_of(*plan, 3);
    std::vector<int> owners(static_cast<std::size_t>(plan->symbolic.order()), 0);
    for (const auto& of_device : devices_plan->plans) {
      for (const NewIndex column : of_device->share->columns) ++owners[static_cast<std::size_t>(column.value)];
    }
    for (const int count : owners) EXPECT_EQ(count, 1);
  }
}

TEST(DevicesPlan, LargeProblemsAreDividedEvenly) {
  const auto plan = cuda_plan_of(io::generate("lap3d:30"));
  const auto devices_plan = devices_plan_of(*plan, 2);
  double flops = 0.0;
  for (const PartShare& share : devices_plan->map->parts.shares) flops += share.flops;
  for (const PartShare& share : devices_plan->map->parts.shares) EXPECT_GT(share.flops, 0.3 * flops);
  EXPECT_FALSE(devices_plan->map->parts.top.empty());
  EXPECT_FALSE(devices_plan->contributions.empty());
}

using Sweeps = std::pair<CudaSolveSweep CudaSolvePlan::*, bool>;  ///< The second: whether the subtrees come first.
constexpr Sweeps all_sweeps[] = {{&CudaSolvePlan::forward, true},         {&CudaSolvePlan::backward, false},
                                 {&CudaSolvePlan::forward_one_rhs, true}, {&CudaSolvePlan::backward_one_rhs, false},
                                 {&CudaSolvePlan::forward_float, true},   {&CudaSolvePlan::backward_float, false}};

template <class Visit>
void for_all_in_order(const CudaSolveSweep& sweep, const Visit& visit) {
  for_each_in_order(sweep, 0, static_cast<std::int64_t>(sweep.tasks.size()), visit);
}

TEST(DevicesPlan, SweepsWaitOnlyForWhatComesEarlier) {
  for (const io::SymmetricMatrix& a : divided_matrices()) {
    SCOPED_TRACE(a.name);
    const auto plan = cuda_plan_of(a);
    const auto devices_plan = devices_plan_of(*plan, 3);
    for (const auto& of_device : devices_plan->plans) {
      for (const auto& [sweep, subtrees_first] : all_sweeps) {
        const CudaSolveSweep& subtrees = of_device->solve.*sweep;
        const CudaSolveSweep& top = of_device->share->top.*sweep;
        SweepCounters counters(subtrees);
        const auto run = [&](const CudaSolveTask& task) { counters.run(task); };
        for_all_in_order(subtrees_first ? subtrees : top, run);
        for_all_in_order(subtrees_first ? top : subtrees, run);
      }
    }
  }
}

TEST(DevicesPlan, SweepsHaveAllTasksOnce) {
  const auto plan = cuda_plan_of(io::generate("lap3d:14"));
  const auto devices_plan = devices_plan_of(*plan, 3);
  for (const auto& [sweep, subtrees_first] : all_sweeps) {
    std::map<std::int32_t, int> wanted;
    for_all_in_order(plan->cuda().solve.*sweep, [&](const CudaSolveTask& task) { ++wanted[task.supernode]; });
    std::map<std::int32_t, int> found;
    for (const auto& of_device : devices_plan->plans)
      for_all_in_order(of_device->solve.*sweep, [&](const CudaSolveTask& task) { ++found[task.supernode]; });
    for (const auto& of_device : devices_plan->plans) {
      std::map<std::int32_t, int> with_top = found;
      for_all_in_order(of_device->share->top.*sweep, [&](const CudaSolveTask& task) { ++with_top[task.supernode]; });
      EXPECT_EQ(with_top, wanted);
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
