/// Small random systems whose condition number is known: what is returned is accurate, and little is refused.

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/lu_problems.hpp"
#include "tests/support/every.hpp"

namespace gpusupernodal::test {
namespace {

const int trials = static_cast<int>(10000 / every());

/// A dense matrix, by rows.
struct Dense {
  std::int64_t n = 0;
  std::vector<double> entries;
  double& operator()(std::int64_t i, std::int64_t j) { return entries[static_cast<std::size_t>(i * n + j)]; }
};

/// Rotates rows i and j, or columns.
void rotate(Dense& a, std::int64_t i, std::int64_t j, double angle, bool rows) {
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  for (std::int64_t k = 0; k < a.n; ++k) {
    double& p = rows ? a(i, k) : a(k, i);
    double& q = rows ? a(j, k) : a(k, j);
    const double rotated = c * p - s * q;
    q = s * p + c * q;
    p = rotated;
  }
}

struct Trial {
  std::int64_t n = 0;
  double condition = 1.0;
  bool symmetric = false;
  std::uint64_t seed = 0;
};

/// Singular values from 1 to 1 / condition, of random signs, between random sparse orthogonal factors: products of plane
/// rotations, equal ones on both sides for a symmetric matrix. The more rotations, the fewer zeros.
Dense random_matrix(const Trial& trial) {
  std::mt19937_64 random(trial.seed);
  std::uniform_real_distribution<double> angle(0.0, 6.2831853);
  const std::int64_t n = trial.n;
  Dense a{n, std::vector<double>(static_cast<std::size_t>(n * n), 0.0)};
  const double last = static_cast<double>(std::max<std::int64_t>(n - 1, 1));
  for (std::int64_t i = 0; i < n; ++i)
    a(i, i) = std::pow(trial.condition, -static_cast<double>(i) / last) * (random() % 2 == 0 ? 1.0 : -1.0);
  const auto rotations = static_cast<int>(static_cast<std::uint64_t>(n) * (1 + random() % 4));
  const auto plane = [&] { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)); };
  for (int k = 0; k < rotations && n > 1; ++k) {
    for (const bool rows : {true, false}) {
      const std::int64_t i = plane();
      const std::int64_t j = (i + 1 + plane() % (n - 1)) % n;
      const double turn = angle(random);
      rotate(a, i, j, turn, rows);
      if (!trial.symmetric) continue;
      rotate(a, i, j, turn, !rows);
    }
  }
  for (std::int64_t i = 0; i < n && trial.symmetric; ++i) {
    for (std::int64_t j = 0; j < i; ++j) a(j, i) = a(i, j);
  }
  return a;
}

GeneralEntries entries_of(Dense a, bool lower_half) {
  GeneralEntries entries{a.n, {}};
  for (std::int64_t i = 0; i < a.n; ++i) {
    for (std::int64_t j = 0; j < (lower_half ? i + 1 : a.n); ++j) {
      if (a(i, j) != 0.0) entries(i, j) = a(i, j);
    }
  }
  return entries;
}

/// Gaussian elimination with partial pivoting, without refinement.
std::vector<double> solve_densely(Dense a, std::vector<double> b) {
  const std::int64_t n = a.n;
  const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t pivot = k;
    for (std::int64_t i = k + 1; i < n; ++i) {
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    }
    for (std::int64_t j = 0; j < n; ++j) std::swap(a(k, j), a(pivot, j));
    std::swap(b[at(k)], b[at(pivot)]);
    for (std::int64_t i = k + 1; i < n; ++i) {
      const double factor = a(i, k) / a(k, k);
      for (std::int64_t j = k; j < n; ++j) a(i, j) -= factor * a(k, j);
      b[at(i)] -= factor * b[at(k)];
    }
  }
  for (std::int64_t k = n - 1; k >= 0; --k) {
    for (std::int64_t j = k + 1; j < n; ++j) b[at(k)] -= a(k, j) * b[at(j)];
    b[at(k)] /= a(k, k);
  }
  return b;
}

/// Counts of systems that dense elimination solves within the bound.
struct Counts {
  int solvable = 0;
  int refused = 0;
};

Trial trial_of(int number, bool symmetric) {
  Trial trial;
  trial.n = 2 + number % 39;
  trial.condition = std::pow(10.0, number % 13);
  trial.symmetric = symmetric;
  trial.seed = static_cast<std::uint64_t>(number);
  return trial;
}

/// Solves for two right-hand sides: a random one, and one with a solution of moderate size.
void try_system(const Trial& trial, Options options, Counts& counts) {
  const Dense dense = random_matrix(trial);
  const GeneralEntries a = entries_of(dense, false);
  const GeneralEntries stored_entries = entries_of(dense, trial.symmetric);
  const StoredGeneral<double> stored = store_general<double>(stored_entries);
  MatrixView<double> view = stored.view();
  if (trial.symmetric) view.part = StoredPart::lower;
  options.threads = 1;
  Solver<double> solver(options);
  solver.compute(view);
  std::vector<double> moderate(static_cast<std::size_t>(trial.n), 0.0);
  const std::vector<double> ones = vector_of<double>(trial.n, trial.seed + 1);
  for (const auto& [place, value] : a.entries)
    moderate[static_cast<std::size_t>(place.first)] += value * ones[static_cast<std::size_t>(place.second)];
  for (const std::vector<double>& b : {vector_of<double>(trial.n, trial.seed + 2), moderate}) {
    if (general_backward_error(a, solve_densely(dense, b), b) > bound<double>(trial.n)) continue;
    ++counts.solvable;
    try {
      ASSERT_LE(general_backward_error(a, solve(solver, b), b), bound<double>(trial.n)) << "trial " << trial.seed;
    } catch (const NumericalFailure&) {
      ++counts.refused;
    }
  }
}

Counts try_all(bool symmetric, const Options& options) {
  Counts counts;
  for (int number = 0; number < trials; ++number) try_system(trial_of(number, symmetric), options, counts);
  return counts;
}

TEST(PrescribedCondition, GeneralSystemsAreSolvedOrRefusedRarely) {
  Options options;
  options.form = Form::lu;
  const Counts counts = try_all(false, options);
  RecordProperty("refused", counts.refused);
  EXPECT_GT(counts.solvable, 2 * trials * 9 / 10);
  EXPECT_LE(100 * counts.refused, counts.solvable) << "at most 1 %";
}

TEST(PrescribedCondition, SymmetricIndefiniteSystemsAreSolvedOrRefusedRarely) {
  Options options;
  options.form = Form::ldlt;
  const Counts counts = try_all(true, options);
  RecordProperty("refused", counts.refused);
  EXPECT_GT(counts.solvable, 2 * trials * 9 / 10);
  EXPECT_LE(100 * counts.refused, counts.solvable) << "at most 1 %";
}

}  // namespace
}  // namespace gpusupernodal::test
