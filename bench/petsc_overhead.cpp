/// \file
/// Measures the overhead of the PETSc plugin: alternates refactorization plus solve through PETSc with the same calls of the
/// library alone on the same arrays. Two solvers can differ by more than the overhead, depending on the placement of their
/// memory and threads. Therefore each round creates all solvers again, in alternating order, and a second solver of the
/// library shows the size of that effect. Prints one Markdown row per matrix with medians over the rounds of each round's
/// median. Under -log_view the plugin's calls are a separate stage.
///
///     bench_petsc_overhead -matrices lap3d:60,bcsstk16.mtx.gz -dll_append /path/libgpusupernodal_petsc.so
///       [-rounds N] [-repeat N] [-mat_type aij|aijcusparse -vec_type seq|cuda] [-mat_gpusupernodal_…]

#include <petscksp.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "bench/device_wait.hpp"
#include "bench/timing.hpp"
#include "gpusupernodal/gpusupernodal.hpp"
#include "io/symmetric_matrix.hpp"

namespace {

using namespace gpusupernodal;
using bench::wait_for_device;

constexpr PetscErrorCode success = static_cast<PetscErrorCode>(0);

/// Both triangles in compressed rows, as PETSc stores them.
struct Rows {
  std::vector<PetscInt> offsets;
  std::vector<PetscInt> columns;
  std::vector<PetscScalar> values;
};

Rows rows_of(const io::SymmetricMatrix& a) {
  const auto n = static_cast<std::size_t>(a.n);
  Rows rows;
  rows.offsets.assign(n + 1, 0);
  const auto for_each_entry = [&](const auto& visit) {
    for (std::int64_t column = 0; column < a.n; ++column) {
      for (std::int64_t k = a.offsets[column]; k < a.offsets[column + 1]; ++k) visit(a.indices[k], column, a.values[k]);
    }
  };
  for_each_entry([&](std::int64_t row, std::int64_t column, double) {
    ++rows.offsets[row + 1];
    if (row != column) ++rows.offsets[column + 1];
  });
  for (std::size_t row = 0; row < n; ++row) rows.offsets[row + 1] += rows.offsets[row];
  rows.columns.resize(rows.offsets[n]);
  rows.values.resize(rows.offsets[n]);
  std::vector<PetscInt> next(rows.offsets.begin(), rows.offsets.end() - 1);
  const auto put = [&](std::int64_t row, std::int64_t column, double value) {
    rows.columns[next[row]] = static_cast<PetscInt>(column);
    rows.values[next[row]++] = static_cast<PetscScalar>(value);
  };
  // Put the entries left of the diagonal first, then the others, so that the columns of each row ascend.
  for_each_entry([&](std::int64_t row, std::int64_t column, double value) { put(row, column, value); });
  for_each_entry([&](std::int64_t row, std::int64_t column, double value) {
    if (row != column) put(column, row, value);
  });
  return rows;
}

PetscErrorCode make_matrix(const Rows& rows, Mat* a) {
  const auto n = static_cast<PetscInt>(rows.offsets.size()) - 1;
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, a));
  PetscCall(MatSetSizes(*a, n, n, n, n));
  PetscCall(MatSetType(*a, MATSEQAIJ));
  PetscCall(MatSetFromOptions(*a));
  PetscCall(MatSeqAIJSetPreallocationCSR(*a, rows.offsets.data(), rows.columns.data(), rows.values.data()));
  return success;
}

/// The library alone, on PETSc's own arrays.
class Bare {
 public:
  Bare(Mat a, Vec b, Vec x, const Rows& rows, Backend backend, int threads) : a_(a), b_(b), x_(x) {
    Options options;
    options.backend = backend;
    options.threads = threads;
    options.check_right_hand_sides = false;
    solver_.set_options(options);
    view_.n = static_cast<std::int64_t>(rows.offsets.size()) - 1;
    view_.offsets = IndexArray(rows.offsets.data());
    view_.indices = IndexArray(rows.columns.data());
    view_.part = StoredPart::full;
    solver_.analyze(view_);
  }
  Backend backend() const { return solver_.backend(); }
  PetscErrorCode borrow() {
    PetscMemType type = PETSC_MEMTYPE_HOST;
    PetscFunctionBeginUser;
    PetscCall(MatSeqAIJGetCSRAndMemType(a_, nullptr, nullptr, &values_, &type));
    view_.value_space = space_of(type);
    PetscCall(VecGetArrayReadAndMemType(b_, &right_, &type));
    right_space_ = space_of(type);
    PetscCall(VecGetArrayWriteAndMemType(x_, &solution_, &type));
    solution_space_ = space_of(type);
    return success;
  }
  PetscErrorCode give_back() {
    PetscFunctionBeginUser;
    PetscCall(VecRestoreArrayWriteAndMemType(x_, &solution_));
    PetscCall(VecRestoreArrayReadAndMemType(b_, &right_));
    return success;
  }
  void run() {
    const auto entries = static_cast<std::size_t>(view_.offsets[view_.n]);
    solver_.refactorize(Span<const PetscScalar>(values_, entries), view_.value_space);
    static_cast<void>(solver_.status());
    solver_.solve(DenseView<const PetscScalar>(right_, view_.n, right_space_),
                  DenseView<PetscScalar>(solution_, view_.n, solution_space_));
  }

 private:
  static MemorySpace space_of(PetscMemType type) { return PetscMemTypeHost(type) ? MemorySpace::host : MemorySpace::device; }

  Mat a_;
  Vec b_;
  Vec x_;
  Solver<PetscScalar> solver_;
  MatrixView<PetscScalar> view_;
  PetscScalar* values_ = nullptr;
  const PetscScalar* right_ = nullptr;
  PetscScalar* solution_ = nullptr;
  MemorySpace right_space_ = MemorySpace::host;
  MemorySpace solution_space_ = MemorySpace::host;
};

/// Names of the backends in the plugin's option.
constexpr const char* backends[] = {"auto", "host", "cuda", "Backend", "", nullptr};

struct Times {
  std::vector<double> bare;
  std::vector<double> second;  ///< A second solver of the library.
  std::vector<double> plugin;
};

/// The matrix, the vectors and the options of all solvers.
struct Problem {
  Rows rows;
  Backend backend = Backend::automatic;
  PetscInt threads = 0;
  Mat a = nullptr;
  Vec b = nullptr;
  Vec x = nullptr;
};

PetscErrorCode make_problem(const std::string& name, Problem* problem) {
  PetscEnum backend = static_cast<PetscEnum>(0);
  PetscFunctionBeginUser;
  problem->rows = rows_of(io::load(name));
  PetscCall(make_matrix(problem->rows, &problem->a));
  PetscCall(MatCreateVecs(problem->a, &problem->x, &problem->b));
  PetscCall(VecSet(problem->b, 1));
  PetscCall(PetscOptionsGetEnum(nullptr, nullptr, "-mat_gpusupernodal_backend", backends, &backend, nullptr));
  problem->backend = static_cast<Backend>(backend);
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-mat_gpusupernodal_threads", &problem->threads, nullptr));
  return success;
}

PetscErrorCode destroy(Problem* problem) {
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&problem->a));
  PetscCall(VecDestroy(&problem->b));
  PetscCall(VecDestroy(&problem->x));
  return success;
}

PetscErrorCode make_factor(const Problem& problem, Mat* f) {
  MatFactorInfo info;
  PetscFunctionBeginUser;
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatGetFactor(problem.a, "gpusupernodal", MAT_FACTOR_CHOLESKY, f));
  PetscCall(MatCholeskyFactorSymbolic(*f, problem.a, nullptr, &info));
  return success;
}

PetscErrorCode time_bare(Bare* bare, double* seconds) {
  PetscFunctionBeginUser;
  PetscCall(bare->borrow());
  *seconds = bench::seconds_of([&] {
    bare->run();
    wait_for_device();
  });
  PetscCall(bare->give_back());
  return success;
}

PetscErrorCode run_in_turns(Bare* bare, Bare* second, Mat f, const Problem& problem, PetscInt repeat, PetscLogStage stage,
                            Times* times) {
  MatFactorInfo info;
  PetscErrorCode error = success;
  PetscFunctionBeginUser;
  PetscCall(MatFactorInfoInitialize(&info));
  for (PetscInt r = -3; r < repeat; ++r) {  // the first three warm up
    double alone = 0.0;
    double alone_too = 0.0;
    PetscCall(time_bare(bare, &alone));
    PetscCall(time_bare(second, &alone_too));
    if (r >= 0) PetscCall(PetscLogStagePush(stage));
    const double through = bench::seconds_of([&] {
      error = MatCholeskyFactorNumeric(f, problem.a, &info);
      if (error == success) error = MatSolve(f, problem.b, problem.x);
      wait_for_device();
    });
    if (r >= 0) PetscCall(PetscLogStagePop());
    PetscCall(error);
    if (r < 0) continue;
    times->bare.push_back(alone);
    times->second.push_back(alone_too);
    times->plugin.push_back(through);
  }
  return success;
}

/// Runs one round and appends its medians, in microseconds, to `medians`.
PetscErrorCode run_round(const Problem& problem, bool bare_first, PetscInt repeat, PetscLogStage stage, Backend* backend,
                         Times* medians) {
  std::unique_ptr<Bare> bare;
  Mat f = nullptr;
  Times times;
  const auto make_bare = [&] {
    return std::make_unique<Bare>(problem.a, problem.b, problem.x, problem.rows, problem.backend,
                                  static_cast<int>(problem.threads));
  };
  PetscFunctionBeginUser;
  if (bare_first) bare = make_bare();
  PetscCall(make_factor(problem, &f));
  if (!bare_first) bare = make_bare();
  const std::unique_ptr<Bare> second = make_bare();
  PetscCall(run_in_turns(bare.get(), second.get(), f, problem, repeat, stage, &times));
  medians->bare.push_back(bench::median(times.bare) * 1e6);
  medians->second.push_back(bench::median(times.second) * 1e6);
  medians->plugin.push_back(bench::median(times.plugin) * 1e6);
  *backend = bare->backend();
  PetscCall(MatDestroy(&f));
  return success;
}

PetscErrorCode compare(const std::string& name, PetscInt rounds, PetscInt repeat, PetscLogStage stage) {
  Problem problem;
  Times medians;
  Backend backend = Backend::host;
  PetscFunctionBeginUser;
  PetscCall(make_problem(name, &problem));
  for (PetscInt round = 0; round < rounds; ++round)
    PetscCall(run_round(problem, round % 2 == 0, repeat, stage, &backend, &medians));
  std::vector<double> more;
  std::vector<double> between;  // Differences between the two solvers of the library.
  for (std::size_t k = 0; k < medians.bare.size(); ++k) {
    more.push_back(medians.plugin[k] - medians.bare[k]);
    between.push_back(std::abs(medians.second[k] - medians.bare[k]));
  }
  const double alone = bench::median(medians.bare);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %s | %s | %.1f | %.1f | %.1f | %.1f %% | %.1f |\n", name.c_str(),
                        backend == Backend::cuda ? "cuda" : "host", alone, bench::median(medians.plugin),
                        bench::median(more), 100.0 * bench::median(more) / alone, bench::median(between)));
  PetscCall(destroy(&problem));
  return success;
}

}  // namespace

int main(int argc, char** argv) {
  char* matrices[64];
  PetscInt count = 64;
  PetscInt rounds = 5;
  PetscInt repeat = 50;
  PetscLogStage stage = 0;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCall(PetscOptionsGetStringArray(nullptr, nullptr, "-matrices", matrices, &count, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-rounds", &rounds, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-repeat", &repeat, nullptr));
  PetscCall(PetscLogStageRegister("refactor and solve", &stage));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "| matrix | backend | library µs | through PETSc µs | more µs | more | two of the library µs |\n"
                        "|---|---|---|---|---|---|---|\n"));
  for (PetscInt k = 0; k < count; ++k) {
    try {
      PetscCall(compare(matrices[k], rounds, repeat, stage));
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s: %s\n", matrices[k], e.what());
      return 1;
    }
    PetscCall(PetscFree(matrices[k]));
  }
  PetscCall(PetscFinalize());
  return 0;
}
