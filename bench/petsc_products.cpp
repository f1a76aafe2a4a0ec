/// \file
/// Measures MatMult of the matrix type aijgpusupernodal on the host beside that of aij and beside the library alone, in
/// turns on the same vectors. Prints one Markdown row per matrix with medians. `-clock cpu` takes the CPU time of the
/// calling thread, which other processes on the machine disturb little; it needs -mat_gpusupernodal_threads 1.
///
///     bench_petsc_products -matrices lap3d:60,bcsstk16.mtx.gz -dll_append /path/libgpusupernodal_petsc.so
///       [-repeat N] [-clock wall|cpu] [-mat_gpusupernodal_threads N -mat_gpusupernodal_format …]

#include <petscmat.h>

#include <cstdio>
#include <ctime>
#include <exception>
#include <string>
#include <vector>

#include "bench/timing.hpp"
#include "gpusupernodal/gpusupernodal.hpp"
#include "io/symmetric_matrix.hpp"

namespace {

using namespace gpusupernodal;

constexpr PetscErrorCode success = static_cast<PetscErrorCode>(0);

/// The matrix with both triangles.
PetscErrorCode make_matrix(const io::SymmetricMatrix& a, Mat* matrix) {
  const auto n = static_cast<PetscInt>(a.n);
  std::vector<PetscInt> lengths(static_cast<std::size_t>(n), 0);
  PetscFunctionBeginUser;
  const auto for_each_entry = [&](const auto& visit) {
    for (std::int64_t column = 0; column < a.n; ++column) {
      for (std::int64_t k = a.offsets[column]; k < a.offsets[column + 1]; ++k)
        visit(static_cast<PetscInt>(a.indices[k]), static_cast<PetscInt>(column), a.values[k]);
    }
  };
  for_each_entry([&](PetscInt row, PetscInt column, double) {
    ++lengths[row];
    if (row != column) ++lengths[column];
  });
  PetscErrorCode error = success;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 0, lengths.data(), matrix));
  for_each_entry([&](PetscInt row, PetscInt column, double value) {
    if (error == success) error = MatSetValue(*matrix, row, column, value, INSERT_VALUES);
    if (error == success && row != column) error = MatSetValue(*matrix, column, row, value, INSERT_VALUES);
  });
  PetscCall(error);
  PetscCall(MatAssemblyBegin(*matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*matrix, MAT_FINAL_ASSEMBLY));
  return success;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Call>
double seconds_of(bool cpu, const Call& call) {
  if (!cpu) return bench::seconds_of(call);
  const double begin = cpu_seconds();
  call();
  return cpu_seconds() - begin;
}

/// The library alone, on the arrays of an AIJ matrix.
PetscErrorCode make_operator(Mat aij, int threads, const char* format, SparseOperator<PetscScalar>* product) {
  const PetscInt* offsets = nullptr;
  const PetscInt* columns = nullptr;
  const PetscScalar* values = nullptr;
  PetscInt n = 0;
  PetscBool done = PETSC_FALSE;
  OperatorOptions options;
  PetscFunctionBeginUser;
  options.backend = Backend::host;
  options.threads = threads;
  options.format = format_of(format).value_or(Format::automatic);
  PetscCall(MatGetRowIJ(aij, 0, PETSC_FALSE, PETSC_FALSE, &n, &offsets, &columns, &done));
  PetscCall(MatSeqAIJGetArrayRead(aij, &values));
  SparseView<PetscScalar> view;
  view.rows = view.columns = n;
  view.offsets = IndexArray(offsets);
  view.indices = IndexArray(columns);
  view.values = values;
  product->set_options(options);
  product->analyze(view);
  PetscCall(MatSeqAIJRestoreArrayRead(aij, &values));
  PetscCall(MatRestoreRowIJ(aij, 0, PETSC_FALSE, PETSC_FALSE, &n, &offsets, &columns, &done));
  return success;
}

struct Times {
  std::vector<double> aij;
  std::vector<double> ours;
  std::vector<double> alone;
};

PetscErrorCode multiply_in_turns(Mat aij, Mat ours, SparseOperator<PetscScalar>* alone, PetscInt repeat, bool cpu,
                                 Times* times) {
  Vec x = nullptr;
  Vec y = nullptr;
  const PetscScalar* from = nullptr;
  PetscScalar* to = nullptr;
  PetscErrorCode error = success;
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(aij, &x, &y));
  PetscCall(VecSet(x, 1));
  for (PetscInt r = -3; r < repeat; ++r) {  // the first three warm up
    const double by_aij = seconds_of(cpu, [&] { error = MatMult(aij, x, y); });
    PetscCall(error);
    const double by_ours = seconds_of(cpu, [&] { error = MatMult(ours, x, y); });
    PetscCall(error);
    PetscCall(VecGetArrayRead(x, &from));
    PetscCall(VecGetArrayWrite(y, &to));
    const double by_itself = seconds_of(cpu, [&] {
      alone->multiply(DenseView<const PetscScalar>(from, alone->columns()), DenseView<PetscScalar>(to, alone->rows()));
    });
    PetscCall(VecRestoreArrayWrite(y, &to));
    PetscCall(VecRestoreArrayRead(x, &from));
    if (r < 0) continue;
    times->aij.push_back(by_aij);
    times->ours.push_back(by_ours);
    times->alone.push_back(by_itself);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  return success;
}

PetscErrorCode compare(const std::string& name, PetscInt repeat, bool cpu) {
  Mat aij = nullptr;
  Mat ours = nullptr;
  PetscInt threads = 0;
  char format[16] = "auto";
  Times times;
  SparseOperator<PetscScalar> alone;
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-mat_gpusupernodal_threads", &threads, nullptr));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-mat_gpusupernodal_format", format, sizeof(format), nullptr));
  PetscCall(make_matrix(io::load(name), &aij));
  PetscCall(MatConvert(aij, "aijgpusupernodal", MAT_INITIAL_MATRIX, &ours));
  PetscCall(make_operator(aij, static_cast<int>(threads), format, &alone));
  PetscCall(multiply_in_turns(aij, ours, &alone, repeat, cpu, &times));
  const double more = bench::median(times.ours) - bench::median(times.alone);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %s | %lld | %lld | %s | %.2f | %.2f | %.2f | %.2f |\n", name.c_str(),
                        static_cast<long long>(alone.rows()), static_cast<long long>(alone.report().entries),
                        alone.report().kernel.c_str(), 1e6 * bench::median(times.aij), 1e6 * bench::median(times.ours),
                        1e6 * bench::median(times.alone), 1e6 * more));
  PetscCall(MatDestroy(&aij));
  PetscCall(MatDestroy(&ours));
  return success;
}

}  // namespace

int main(int argc, char** argv) {
  char* matrices[64];
  char clock[8] = "wall";
  PetscInt count = 64;
  PetscInt repeat = 200;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCall(PetscOptionsGetStringArray(nullptr, nullptr, "-matrices", matrices, &count, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-repeat", &repeat, nullptr));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-clock", clock, sizeof(clock), nullptr));
  PetscCall(
      PetscPrintf(PETSC_COMM_SELF,
                  "| matrix | n | entries | format | aij µs | aijgpusupernodal µs | library µs | more than the library µs "
                  "|\n|---|---|---|---|---|---|---|---|\n"));
  for (PetscInt k = 0; k < count; ++k) {
    try {
      PetscCall(compare(matrices[k], repeat, std::string(clock) == "cpu"));
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s: %s\n", matrices[k], e.what());
      return 1;
    }
    PetscCall(PetscFree(matrices[k]));
  }
  PetscCall(PetscFinalize());
  return 0;
}
