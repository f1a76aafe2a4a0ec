/// Matrices that are not positive definite, with failures in every regime of the schedule. The reported column must be in
/// the caller's numbering.

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "solver/plan/factor_plan.hpp"
#include "tests/solver/api/solvers.hpp"
#include "tests/support/every.hpp"
#include "tests/support/random_patterns.hpp"

namespace gpusupernodal::test {
namespace {

template <class OnBackend>
class FailedPivots : public SolverTest<OnBackend> {
 protected:
  static Options unchecked() {
    Options options = on(OnBackend::backend);
    options.cuda_schedule = OnBackend::schedule;
    options.check_finite = false;
    return options;
  }
};
TYPED_TEST_SUITE(FailedPivots, AllExecutors, BackendNames);

/// First, middle and last column, and the columns around edges of pieces and blocks.
std::set<std::int32_t> positions_in(std::int32_t width) {
  std::set<std::int32_t> positions{0, width / 2, width - 1};
  for (const std::int32_t edge : {31, 32, 63, 64, 127, 128, 255, 256, 511, 512}) {
    if (edge < width) positions.insert(edge);
  }
  return positions;
}

/// The first, the middle, the last and the widest supernode in leaf subtrees, and likewise above them.
std::set<SupernodeId> supernodes_of_every_regime(const FactorPlan& plan) {
  const auto wider = [&](SupernodeId a, SupernodeId b) {
    return plan.symbolic.width(a) < plan.symbolic.width(b) || (plan.symbolic.width(a) == plan.symbolic.width(b) && a < b);
  };
  const Schedule& cut = plan.cuda_plan() ? plan.cuda().schedule : plan.host().schedule;
  std::vector<SupernodeId> below;
  std::vector<SupernodeId> above;
  for (SupernodeId s : plan.symbolic.supernode_ids()) (cut.in_subtree(s) ? below : above).push_back(s);
  std::set<SupernodeId> chosen;
  for (const std::vector<SupernodeId>& part : {below, above}) {
    if (part.empty()) continue;
    chosen.insert({part.front(), part[part.size() / 2], part.back(), *std::max_element(part.begin(), part.end(), wider)});
  }
  return chosen;
}

enum class Poke { negative, zero, not_a_number, infinity, minus_infinity, infinity_beside };
constexpr std::array all_pokes{Poke::negative, Poke::zero,           Poke::not_a_number,
                               Poke::infinity, Poke::minus_infinity, Poke::infinity_beside};

template <class T>
T poked(Poke poke) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  switch (poke) {
    case Poke::negative:
      return T(-1);
    case Poke::zero:
      return T(0);
    case Poke::not_a_number:
      return std::numeric_limits<T>::quiet_NaN();
    case Poke::minus_infinity:
      return -infinity;
    case Poke::infinity:
    case Poke::infinity_beside:
      return infinity;
  }
  return T(0);
}

/// Position of the entry that `poke` replaces so that column `old` is the first to fail: its diagonal entry, or for
/// infinity_beside an entry that couples it to a column eliminated earlier. −1 if there is no such entry.
std::int64_t place_of(Poke poke, const io::SymmetricMatrix& a, const std::vector<std::int64_t>& new_of_old,
                      std::int64_t old) {
  if (poke != Poke::infinity_beside) return a.offsets[static_cast<std::size_t>(old)];
  for (std::size_t j = 0; j < static_cast<std::size_t>(a.n); ++j) {
    for (std::int64_t e = a.offsets[j]; e < a.offsets[j + 1]; ++e) {
      const std::int64_t i = a.indices[static_cast<std::size_t>(e)];
      const auto column = static_cast<std::int64_t>(j);
      if (i == column || (i != old && column != old)) continue;
      const std::int64_t other = i == old ? column : i;
      if (new_of_old[static_cast<std::size_t>(other)] < new_of_old[static_cast<std::size_t>(old)]) return e;
    }
  }
  return -1;
}

template <class T>
void expect_reported(Solver<T>& solver, std::vector<T> values, std::int64_t place, Poke poke, std::int64_t column) {
  values[static_cast<std::size_t>(place)] = poked<T>(poke);
  solver.refactorize(values);
  const FactorReport report = solver.factor_report();
  ASSERT_EQ(report.status, Status::not_positive_definite);
  ASSERT_EQ(report.failed_column, column);
  ASSERT_FALSE(report.failed_value > 0.0 && std::isfinite(report.failed_value)) << report.failed_value;
}

/// All pivots before the poked column are positive by a margin, so rounding cannot change which column fails first.
template <class T>
void poke_everywhere(Solver<T>& solver, const io::SymmetricMatrix& a) {
  const StoredMatrix<T> s = stored<T>(a);
  solver.analyze(s.view());
  const std::vector<std::int64_t> old_of_new = solver.old_of_new();
  std::vector<std::int64_t> new_of_old(old_of_new.size());
  for (std::size_t k = 0; k < old_of_new.size(); ++k) {
    new_of_old[static_cast<std::size_t>(old_of_new[k])] = static_cast<std::int64_t>(k);
  }
  const auto plan = solver.plan();
  Thinned cases;
  for (SupernodeId supernode : supernodes_of_every_regime(*plan)) {
    for (const std::int32_t position : positions_in(plan->symbolic.width(supernode))) {
      const NewIndex k = plan->symbolic.first_column[supernode] + position;
      const std::int64_t old = old_of_new[static_cast<std::size_t>(k.value)];
      for (const Poke poke : all_pokes) {
        const std::int64_t place = place_of(poke, a, new_of_old, old);
        if (place < 0 || !cases.takes_next()) continue;
        SCOPED_TRACE(a.name + ", supernode " + std::to_string(supernode.value) + ", column " + std::to_string(position) +
                     " of " + std::to_string(plan->symbolic.width(supernode)) + ", poke " +
                     std::to_string(static_cast<int>(poke)));
        expect_reported(solver, s.values, place, poke, old);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
  solver.refactorize(s.values);
  ASSERT_EQ(solver.status(), Status::success) << "nothing of a failure stays";
  expect_solves(solver, a);
}

TYPED_TEST(FailedPivots, NamesTheColumnInEveryRegime) {
  using T = typename TypeParam::Scalar;
  for (const char* spec : {"lap3d:13", "lap2d:40", "elas:5"}) {
    Solver<T> solver(this->unchecked());
    poke_everywhere(solver, rounded<T>(io::generate(spec)));
    if (testing::Test::HasFatalFailure()) return;
  }
  for (const std::int64_t n : {300, 700}) {
    Solver<T> solver(this->unchecked());
    poke_everywhere(solver, rounded<T>(dense_spd(n, 9)));
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// Ones on the diagonal and a single 1 off the diagonal: the pivot is 1 − 1·1, exactly 0.
TYPED_TEST(FailedPivots, ReportsAZeroPivot) {
  using T = typename TypeParam::Scalar;
  constexpr std::int64_t n = 600;
  io::SymmetricMatrix a = dense_spd(n, 3);
  std::fill(a.values.begin(), a.values.end(), 0.0);
  for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) a.values[static_cast<std::size_t>(a.offsets[j])] = 1.0;
  const StoredMatrix<T> s = stored<T>(a);
  Options options = this->unchecked();
  options.ordering = Ordering::natural;
  Solver<T> solver(options);
  solver.analyze(s.view());
  for (const std::int64_t column : {1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 599}) {
    std::vector<T> values = s.values;
    values[static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(column - 1)] + 1)] = T(1);
    solver.refactorize(values);
    const FactorReport report = solver.factor_report();
    ASSERT_EQ(report.status, Status::not_positive_definite) << "column " << column;
    ASSERT_EQ(report.failed_column, column);
    ASSERT_EQ(report.failed_value, 0.0) << "column " << column;
  }
}

}  // namespace
}  // namespace gpusupernodal::test
