/// \file
/// Compares the host block kernels with single-threaded OpenBLAS (if found) and Eigen's dense product. Counters: GFLOP/s of
/// CPU time. Operands have odd leading dimensions, as panels do.

#include <benchmark/benchmark.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/host/host_kernels.hpp"

#ifdef GPUSUPERNODAL_BENCH_OPENBLAS
// NOLINTBEGIN(readability-identifier-naming): names of the library
extern "C" {
void openblas_set_num_threads(int threads);
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c, const int* ldc);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dtrsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb);
}
// NOLINTEND(readability-identifier-naming)
#endif

namespace gpusupernodal {
namespace {

struct Matrix {
  std::int32_t ld;
  std::vector<double> values;

  Matrix(std::int32_t rows, std::int32_t cols) : ld(rows + 5), values(static_cast<std::size_t>(ld) * cols) {
    std::minstd_rand generator(7);
    for (double& value : values) {
      value = static_cast<double>(generator()) / static_cast<double>(std::minstd_rand::max()) - 0.5;
    }
  }
  /// Sets the matrix close to the identity, so that repeated in-place factorizations or solves neither overflow nor
  /// underflow.
  Matrix& near_identity() {
    for (double& value : values) {
      value *= 1e-9;
    }
    for (std::size_t j = 0; j * static_cast<std::size_t>(ld) < values.size(); ++j) {
      values[j * (static_cast<std::size_t>(ld) + 1)] = 1;
    }
    return *this;
  }
  double* data() { return values.data(); }
};

const HostKernels<double>& kernels() { return host_kernels<double>(); }

void count_flops(benchmark::State& state, double flops) {
  state.counters["GFLOP/s"] = benchmark::Counter(flops * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

/// Measures C −= A·Bᵀ, computed by `multiply(m, n, k, a, b, c)`, for the benchmark's m, n and k.
template <class Multiply>
void run_product(benchmark::State& state, const Multiply& multiply) {
  const auto m = static_cast<std::int32_t>(state.range(0));
  const auto n = static_cast<std::int32_t>(state.range(1));
  const auto k = static_cast<std::int32_t>(state.range(2));
  Matrix a(m, k);
  Matrix b(n, k);
  Matrix c(2 * m, 2 * n);
  for (auto _ : state) {
    multiply(m, n, k, a, b, c);
    benchmark::ClobberMemory();
  }
  count_flops(state, 2.0 * m * n * k);
}

void product_ours(benchmark::State& state) {
  run_product(state, [](int m, int n, int k, Matrix& a, Matrix& b, Matrix& c) {
    kernels().subtract_product(m, n, k, a.data(), a.ld, b.data(), b.ld, c.data(), c.ld);
  });
}

/// The target rows form runs of state.range(3) rows, separated by gaps of the same length.
void product_indexed_ours(benchmark::State& state) {
  const std::int64_t run = state.range(3);
  std::vector<std::int32_t> rows;
  for (std::int64_t i = 0; i < std::max(state.range(0), state.range(1)); ++i) {
    rows.push_back(static_cast<std::int32_t>(i / run * 2 * run + i % run));
  }
  if (static_cast<std::int64_t>(rows.back()) >= 2 * state.range(0) + 5) {
    return state.SkipWithError("the target is too small for such runs");
  }
  std::vector<std::int32_t> cols(static_cast<std::size_t>(state.range(1)));
  for (std::size_t j = 0; j < cols.size(); ++j) {
    cols[j] = static_cast<std::int32_t>(2 * j);
  }
  run_product(state, [&](int m, int n, int k, Matrix& a, Matrix& b, Matrix& c) {
    kernels().subtract_product_indexed(m, n, k, a.data(), a.ld, b.data(), b.ld, c.data(), c.ld, rows.data(), cols.data());
  });
}

void product_eigen(benchmark::State& state) {
  using Map = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
  run_product(state, [](int m, int n, int k, Matrix& a, Matrix& b, Matrix& c) {
    Map target(c.data(), m, n, Eigen::OuterStride<>(c.ld));
    target.noalias() -=
        Map(a.data(), m, k, Eigen::OuterStride<>(a.ld)) * Map(b.data(), n, k, Eigen::OuterStride<>(b.ld)).transpose();
  });
}

template <class Factorize>
void run_factor(benchmark::State& state, const Factorize& factorize) {
  const auto n = static_cast<std::int32_t>(state.range(0));
  Matrix a(n, n);
  a.near_identity();
  for (auto _ : state) {
    factorize(n, a);
    benchmark::ClobberMemory();
  }
  count_flops(state, static_cast<double>(n) * n * n / 3);
}

void factor_ours(benchmark::State& state) {
  run_factor(state, [](int n, Matrix& l) {
    double pivot = 0;
    benchmark::DoNotOptimize(kernels().factor_diagonal(n, l.data(), l.ld, &pivot));
  });
}

template <class Solve>
void run_solve_below(benchmark::State& state, const Solve& solve) {
  const auto m = static_cast<std::int32_t>(state.range(0));
  const auto n = static_cast<std::int32_t>(state.range(1));
  Matrix l(n, n);
  l.near_identity();
  Matrix b(m, n);
  for (auto _ : state) {
    solve(m, n, l, b);
    benchmark::ClobberMemory();
  }
  count_flops(state, static_cast<double>(m) * n * n);
}

void solve_below_ours(benchmark::State& state) {
  run_solve_below(state,
                  [](int m, int n, Matrix& l, Matrix& b) { kernels().solve_below(m, n, l.data(), l.ld, b.data(), b.ld); });
}

/// Solves with one panel (n columns, m rows below the diagonal block), forward and backward. Counter: bytes of the panel
/// per second.
void panel_solve_ours(benchmark::State& state) {
  const auto m = static_cast<std::int32_t>(state.range(0));
  const auto n = static_cast<std::int32_t>(state.range(1));
  const auto nrhs = static_cast<std::int32_t>(state.range(2));
  Matrix panel(m + n, n);
  panel.near_identity();
  Matrix x(m + n, nrhs);
  for (auto _ : state) {
    kernels().forward_block(n, nrhs, panel.data(), panel.ld, x.data(), x.ld);
    kernels().subtract_times(m, n, nrhs, panel.data() + n, panel.ld, x.data(), x.ld, x.data() + n, x.ld);
    kernels().subtract_transpose_times(m, n, nrhs, panel.data() + n, panel.ld, x.data() + n, x.ld, x.data(), x.ld);
    kernels().backward_block(n, nrhs, panel.data(), panel.ld, x.data(), x.ld);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * 2 * 8 * (static_cast<std::int64_t>(m) * n + n * (n + 1) / 2));
}

void product_sizes(benchmark::internal::Benchmark* bench) {
  for (const std::vector<std::int64_t>& size : std::vector<std::vector<std::int64_t>>{{1500, 1500, 1500},
                                                                                      {1000, 256, 256},
                                                                                      {256, 256, 256},
                                                                                      {1000, 64, 64},
                                                                                      {300, 64, 32},
                                                                                      {100, 32, 32},
                                                                                      {60, 16, 16},
                                                                                      {60, 8, 8},
                                                                                      {60, 1, 8},
                                                                                      {20, 4, 4},
                                                                                      {7, 7, 7}}) {
    bench->Args(size);
  }
}

void indexed_sizes(benchmark::internal::Benchmark* bench) {
  for (const std::int64_t run : {1, 6, 30}) {
    for (const std::vector<std::int64_t>& size : std::vector<std::vector<std::int64_t>>{
             {1000, 256, 256}, {300, 64, 32}, {120, 32, 32}, {60, 16, 16}, {60, 8, 8}, {60, 1, 8}}) {
      bench->Args({size[0], size[1], size[2], run});
    }
  }
}

void factor_sizes(benchmark::internal::Benchmark* bench) {
  bench->Arg(4)->Arg(8)->Arg(16)->Arg(32)->Arg(64)->Arg(128)->Arg(256)->Arg(512)->Arg(1000);
}

void solve_below_sizes(benchmark::internal::Benchmark* bench) {
  bench->Args({1000, 256})->Args({1000, 64})->Args({200, 32})->Args({60, 8})->Args({20, 4});
}

#ifdef GPUSUPERNODAL_BENCH_OPENBLAS
const double kOne = 1;
const double kMinusOne = -1;

void product_openblas(benchmark::State& state) {
  run_product(state, [](int m, int n, int k, Matrix& a, Matrix& b, Matrix& c) {
    dgemm_("N", "T", &m, &n, &k, &kMinusOne, a.data(), &a.ld, b.data(), &b.ld, &kOne, c.data(), &c.ld);
  });
}

void factor_openblas(benchmark::State& state) {
  run_factor(state, [](int n, Matrix& l) {
    int info = 0;
    dpotrf_("L", &n, l.data(), &l.ld, &info);
    benchmark::DoNotOptimize(info);
  });
}

void solve_below_openblas(benchmark::State& state) {
  run_solve_below(state, [](int m, int n, Matrix& l, Matrix& b) {
    dtrsm_("R", "L", "T", "N", &m, &n, &kOne, l.data(), &l.ld, b.data(), &b.ld);
  });
}

BENCHMARK(product_openblas)->Apply(product_sizes);
BENCHMARK(factor_openblas)->Apply(factor_sizes);
BENCHMARK(solve_below_openblas)->Apply(solve_below_sizes);
#endif

BENCHMARK(product_ours)->Apply(product_sizes);
BENCHMARK(product_eigen)->Apply(product_sizes);
BENCHMARK(product_indexed_ours)->Apply(indexed_sizes);
BENCHMARK(factor_ours)->Apply(factor_sizes);
BENCHMARK(solve_below_ours)->Apply(solve_below_sizes);
BENCHMARK(panel_solve_ours)
    ->Args({1000, 256, 1})
    ->Args({300, 32, 1})
    ->Args({60, 8, 1})
    ->Args({1000, 256, 8})
    ->Args({60, 8, 8});

}  // namespace
}  // namespace gpusupernodal

int main(int argc, char** argv) {
#ifdef GPUSUPERNODAL_BENCH_OPENBLAS
  openblas_set_num_threads(1);
#endif
  benchmark::Initialize(&argc, argv);
  benchmark::AddCustomContext("kernels", gpusupernodal::host_kernels<double>().name);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
