#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <set>
#include <string>

#include "tests/solver/host/run/part_runs.hpp"
#include "tests/support/accuracy.hpp"
#include "tests/support/every.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

using SharedFactor = std::shared_ptr<const SymbolicFactor>;

SharedFactor analyzed(const io::SymmetricMatrix& a, Ordering ordering = Ordering::amd, Merging merging = Merging::bounded) {
  return std::make_shared<SymbolicFactor>(analyze(graph_of(a), ordering, merging));
}

PartMap balanced_map(const SymbolicFactor& factor, int parts) {
  PartMapOptions options;
  options.parts = parts;
  return build_part_map(factor, options);
}

/// The values in `a` are rounded to T.
template <class T>
void round_values(io::SymmetricMatrix& a) {
  for (double& value : a.values) value = static_cast<double>(static_cast<T>(value));
}

template <class T>
void expect_solution(io::SymmetricMatrix a, const SharedFactor& factor, const PartMap& map, std::int64_t columns = 1,
                     std::int64_t reserved = 1) {
  round_values<T>(a);
  std::vector<T> b;
  for (std::int64_t c = 0; c < columns; ++c) {
    for (const double entry : random_vector(a.n, 17 + static_cast<std::uint64_t>(c))) b.push_back(static_cast<T>(entry));
  }
  const PartResult<T> result = run_on_parts<T>(factor, map, triples_of<T>(a), b, columns, 1, reserved);
  for (const PartOutcome& outcome : result.outcomes) ASSERT_EQ(outcome.status, Status::success);
  for (std::int64_t c = 0; c < columns; ++c) {
    const auto begin = static_cast<std::ptrdiff_t>(c * a.n);
    const auto end = static_cast<std::ptrdiff_t>((c + 1) * a.n);
    const std::vector<double> x(result.x.begin() + begin, result.x.begin() + end);
    const std::vector<double> rhs(b.begin() + begin, b.begin() + end);
    ASSERT_LE(backward_error(a, x, rhs), backward_error_bound<T>(a.n)) << "column " << c;
  }
}

TEST(HostPart, SolvesSmallMatricesWithAnyMap) {
  for (const auto& a : small_matrices()) {
    const SharedFactor narrow = analyzed(a, Ordering::amd, Merging::none);
    const SharedFactor merged = analyzed(a, Ordering::amd, Merging::bounded);
    for (const auto& [parts, top_share] : {std::pair(1, 0.5), std::pair(2, 0.0), std::pair(3, 0.9), std::pair(5, 1.0)}) {
      SCOPED_TRACE(a.name + " on " + std::to_string(parts) + ", top " + std::to_string(top_share));
      expect_solution<double>(a, narrow, random_map(*narrow, parts, top_share, 3));
      expect_solution<double>(a, merged, random_map(*merged, parts, top_share, 4));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// Several block columns in one supernode, with rows below them, and contribution blocks of more than one block column.
TEST(HostPart, SolvesMatricesWithWideFronts) {
  Thinned cases;
  for (const auto& a : {dense_spd(1100, 5), joined_cliques_spd(3, 560, 530, 9)}) {
    const SharedFactor factor = analyzed(a, Ordering::natural);
    for (const int parts : {3, 2, 5}) {
      for (const double top_share : {0.5, 1.0}) {
        if (!cases.takes_next()) continue;
        SCOPED_TRACE(a.name + " on " + std::to_string(parts) + ", top " + std::to_string(top_share));
        expect_solution<double>(a, factor, random_map(*factor, parts, top_share, 4));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(HostPart, SolvesLaplaciansWithBalancedMaps) {
  for (const std::string matrix : {"lap2d:60", "lap3d:14"}) {
    const io::SymmetricMatrix a = io::generate(matrix);
    const SharedFactor factor = analyzed(a, Ordering::nested_dissection);
    for (const int parts : {1, 2, 3, 5}) {
      SCOPED_TRACE(matrix + " on " + std::to_string(parts));
      expect_solution<double>(a, factor, balanced_map(*factor, parts));
      expect_solution<float>(a, factor, balanced_map(*factor, parts));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(HostPart, SolvesForManyRightHandSides) {
  const io::SymmetricMatrix a = io::generate("lap3d:9");
  const SharedFactor factor = analyzed(a);
  for (const std::int64_t reserved : {1, 3, 7, 16})
    expect_solution<double>(a, factor, random_map(*factor, 3, 0.8, 5), 7, reserved);
}

/// ‖x − y‖∞ ≤ 2·c·n·eps·‖A‖·‖A⁻¹‖·(‖x‖ + ‖y‖): the matrices have a diagonal of 1 + Σ|off-diagonal|, so ‖A⁻¹‖∞ ≤ 1.
TEST(HostPart, AgreesWithOnePart) {
  for (const std::int64_t n : {50, 300}) {
    const io::SymmetricMatrix a = random_spd(n, 4 * n, 11);
    const SharedFactor factor = analyzed(a);
    const std::vector<double> b = random_vector(n, 2);
    const auto entries = triples_of<double>(a);
    std::vector<double> row_sums(static_cast<std::size_t>(n), 0.0);
    for (const auto& e : entries) {
      row_sums[static_cast<std::size_t>(e.row)] += std::abs(e.value);
      if (e.row != e.column) row_sums[static_cast<std::size_t>(e.column)] += std::abs(e.value);
    }
    const double norm = *std::max_element(row_sums.begin(), row_sums.end());
    const std::vector<double> one = run_on_parts<double>(factor, balanced_map(*factor, 1), entries, b, 1).x;
    for (const int parts : {2, 3, 5}) {
      const std::vector<double> several = run_on_parts<double>(factor, random_map(*factor, parts, 0.9, 6), entries, b, 1).x;
      double size = 0.0;
      double difference = 0.0;
      for (std::size_t i = 0; i < several.size(); ++i) {
        size = std::max(size, std::abs(one[i]) + std::abs(several[i]));
        difference = std::max(difference, std::abs(one[i] - several[i]));
      }
      EXPECT_LE(difference, 2.0 * backward_error_bound<double>(n) * norm * size);
    }
  }
}

TEST(HostPart, BitsAreEqualFromRunToRun) {
  const io::SymmetricMatrix a = io::generate("lap3d:11");
  const SharedFactor factor = analyzed(a, Ordering::nested_dissection);
  const std::vector<double> b = random_vector(a.n, 1);
  for (const int parts : {2, 3, 5}) {
    const PartMap map = random_map(*factor, parts, 0.9, 8);
    const std::vector<double> first = run_on_parts<double>(factor, map, triples_of<double>(a), b, 1).x;
    for (const int threads : {1, 2, 1})
      EXPECT_EQ(run_on_parts<double>(factor, map, triples_of<double>(a), b, 1, threads).x, first);
  }
}

TEST(HostPart, SolvesHermitianMatrices) {
  using C = std::complex<double>;
  const io::SymmetricMatrix a = io::generate("lap3d:8");
  const SharedFactor factor = analyzed(a);
  // D·A·D* for phases D is Hermitian; it has the solution D·(A⁻¹ D* b).
  std::vector<C> phases;
  for (const double angle : random_vector(a.n, 4)) phases.push_back(std::polar(1.0, 3.0 * angle));
  std::vector<Triple<C>> entries;
  for (const auto& e : triples_of<double>(a)) {
    entries.push_back({e.row, e.column,
                       e.row == e.column ? C(e.value)
                                         : phases[static_cast<std::size_t>(e.row)] * e.value *
                                               std::conj(phases[static_cast<std::size_t>(e.column)])});
  }
  const std::vector<double> x = random_vector(a.n, 5);
  std::vector<C> b(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) b[i] = C(0);
  for (const auto& e : entries) {
    b[static_cast<std::size_t>(e.row)] += e.value * x[static_cast<std::size_t>(e.column)];
    if (e.row != e.column) b[static_cast<std::size_t>(e.column)] += std::conj(e.value) * x[static_cast<std::size_t>(e.row)];
  }
  // ‖A‖ < 12, and the smallest eigenvalue is 12 sin²(π/18).
  const double condition = 1.0 / std::pow(std::sin(M_PI / 18.0), 2);
  for (const int parts : {2, 3}) {
    const PartResult<C> result = run_on_parts<C>(factor, random_map(*factor, parts, 0.9, 6), entries, b, 1);
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_LE(std::abs(result.x[i] - x[i]), 2.0 * backward_error_bound<double>(a.n) * condition);
  }
}

/// A negative diagonal entry in a column of each part in turn, in its subtrees and in its block columns.
TEST(HostPart, AllPartsReportTheFailedPivot) {
  const io::SymmetricMatrix a = io::generate("lap3d:8");
  const SharedFactor factor = analyzed(a);
  for (const int parts : {1, 2, 3, 5}) {
    const PartMap map = random_map(*factor, parts, 0.9, 6);
    ThreadTeam team(1);
    for (int p = 0; p < parts; ++p) {
      const PartPlan plan = make_part_plan(factor, map, PartId(p), team);
      const std::vector<NewIndex> rows = plan.rows();
      for (const std::size_t place : {std::size_t{0}, rows.size() / 2, rows.size() - 1}) {
        if (rows.empty()) continue;
        auto entries = triples_of<double>(a);
        const std::int64_t bad = factor->permutation.old_of_new[rows[place]].value;
        for (auto& e : entries) {
          if (e.row == bad && e.column == bad) e.value = -100.0;
        }
        const auto result = run_on_parts<double>(factor, map, entries, random_vector(a.n, 1), 1);
        for (const PartOutcome& outcome : result.outcomes) {
          EXPECT_EQ(outcome.status, Status::not_positive_definite);
          EXPECT_EQ(outcome.failed_column, rows[place]);
          EXPECT_LE(outcome.failed_value, -100.0);
        }
      }
    }
  }
}

TEST(HostPart, AllPartsReportValuesThatAreNotFinite) {
  const io::SymmetricMatrix a = io::generate("lap3d:6");
  const SharedFactor factor = analyzed(a);
  const PartMap map = random_map(*factor, 3, 0.9, 6);
  const auto good = triples_of<double>(a);
  for (std::size_t k = 0; k < good.size(); k += 37) {
    auto entries = good;
    entries[k].value = std::numeric_limits<double>::quiet_NaN();
    const NewIndex i = factor->permutation.new_of_old[OldIndex(entries[k].row)];
    const NewIndex j = factor->permutation.new_of_old[OldIndex(entries[k].column)];
    for (const PartOutcome& outcome : run_on_parts<double>(factor, map, entries, random_vector(a.n, 1), 1).outcomes) {
      EXPECT_EQ(outcome.status, Status::non_finite_input);
      EXPECT_EQ(outcome.failed_row, std::max(i, j));
      EXPECT_EQ(outcome.failed_column, std::min(i, j));
    }
  }
}

TEST(HostPart, RefusesEntriesThatAreNotItsOwn) {
  const io::SymmetricMatrix a = io::generate("lap2d:8");
  const SharedFactor factor = analyzed(a);
  const PartMap map = random_map(*factor, 2, 0.9, 6);
  const auto message = [&](const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& columns) {
    ThreadTeam team(1);
    const PartPlan plan = make_part_plan(factor, map, PartId(0), team);
    try {
      place_entries(plan, rows, columns, false);
    } catch (const InvalidInput& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  ThreadTeam team(1);
  const PartPlan first = make_part_plan(factor, map, PartId(0), team);
  const PartPlan second = make_part_plan(factor, map, PartId(1), team);
  ASSERT_FALSE(first.rows().empty());
  ASSERT_FALSE(second.rows().empty());
  const std::int64_t own = factor->permutation.old_of_new[first.rows().front()].value;
  const std::int64_t foreign = factor->permutation.old_of_new[second.rows().front()].value;
  EXPECT_EQ(message({own}, {own}), "");
  EXPECT_NE(message({foreign}, {foreign}).find("does not belong to part 0"), std::string::npos);
  EXPECT_NE(message({own, own}, {own, own}).find("occurs twice"), std::string::npos);
  EXPECT_NE(message({64}, {0}).find("order 64"), std::string::npos);
}

/// The memory that a map reports is what the plans take.
TEST(HostPart, TakesTheMemoryThatItsMapReports) {
  for (const auto& a : {io::generate("lap3d:12"), joined_cliques_spd(3, 560, 530, 9)}) {
    const SharedFactor factor = analyzed(a, Ordering::nested_dissection);
    for (const int parts : {1, 2, 4}) {
      const PartMap map = balanced_map(*factor, parts);
      ThreadTeam team(1);
      for (PartId p : map.shares.ids()) {
        const PartPlan plan = make_part_plan(factor, map, p, team);
        const PanelLayout& panels = plan.subtrees->structure->panels;
        const std::int64_t begin = plan.contribution.valid() ? panels.value_offset[plan.contribution] : panels.values();
        EXPECT_EQ(map.shares[p].contribution_values, panels.values() - begin) << a.name;
        EXPECT_EQ(map.shares[p].buffer_values, plan.largest_message()) << a.name;
      }
    }
  }
}

/// Passes messages on, and notes whether the sender flushes small numbers to zero.
class WatchingFabric final : public Fabric {
 public:
  WatchingFabric(Fabric& fabric, std::set<bool>& flushes) : fabric_(fabric), flushes_(flushes) {}

  int parts() const override { return fabric_.parts(); }
  int part() const override { return fabric_.part(); }
  void send(int to, const void* data, std::int64_t bytes) override {
    const volatile float small = std::numeric_limits<float>::min();
    if (bytes > static_cast<std::int64_t>(sizeof(PartOutcome))) flushes_.insert(small / 2 == 0.0F);
    fabric_.send(to, data, bytes);
  }
  void receive(int from, void* data, std::int64_t bytes) override { fabric_.receive(from, data, bytes); }
  void wait_for_sends() override { fabric_.wait_for_sends(); }
  void broadcast(int from, void* data, std::int64_t bytes) override { fabric_.broadcast(from, data, bytes); }

 private:
  Fabric& fabric_;
  std::set<bool>& flushes_;
};

/// Whether parts flush small numbers while they factorize `a`, whose entries are multiplied by `scale`.
template <class T>
std::set<bool> flushes_of(const io::SymmetricMatrix& a, double scale) {
  const SharedFactor factor = analyzed(a, Ordering::nested_dissection);
  const PartMap map = random_map(*factor, 3, 0.9, 6);
  std::vector<std::set<bool>> flushes(3);
  run_parts(3, [&](Fabric& threads) {
    WatchingFabric fabric(threads, flushes[static_cast<std::size_t>(threads.part())]);
    ThreadTeam team(1);
    const auto plan = std::make_shared<PartPlan>(make_part_plan(factor, map, PartId(fabric.part()), team));
    const auto part = make_host_part<T>(plan, fabric, ExecutorOptions());
    OwnEntries<T> own(*plan, triples_of<T>(a));
    for (T& value : own.values) value *= static_cast<T>(scale);
    part->set_entries(place_entries(*plan, own.rows, own.columns, false));
    EXPECT_EQ(part->factorize(own.values.data()).status, Status::success);
    const volatile float small = std::numeric_limits<float>::min();
    EXPECT_NE(small / 2, 0.0F) << "the caller's mode is not restored";
  });
  std::set<bool> all;
  for (const auto& of_part : flushes) all.insert(of_part.begin(), of_part.end());
  return all;
}

TEST(HostPart, FlushesSmallNumbersInSinglePrecision) {
  const io::SymmetricMatrix a = io::generate("lap3d:8");
  EXPECT_EQ(flushes_of<float>(a, 1.0), std::set<bool>{true});
  EXPECT_EQ(flushes_of<float>(a, 1e-30), std::set<bool>{false});
  EXPECT_EQ(flushes_of<double>(a, 1.0), std::set<bool>{false});
}

}  // namespace
}  // namespace gpusupernodal::test
