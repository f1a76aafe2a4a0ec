#include <gtest/gtest.h>

#include <thread>

#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test {
namespace {

template <class OnBackend>
using SolverThreads = SolverTest<OnBackend>;
TYPED_TEST_SUITE(SolverThreads, AllBackends, BackendNames);

template <class T, class Work>
void on_threads(int count, const Work& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&work, i] { work(i); });
  for (std::thread& thread : threads) thread.join();
}

/// Each thread analyzes (also with METIS), factorizes and solves with its own solver.
TYPED_TEST(SolverThreads, DifferentObjectsAtTheSameTime) {
  using T = typename TypeParam::Scalar;
  const io::SymmetricMatrix a = rounded<T>(io::generate("lap3d:7"));
  const StoredMatrix<T> s = stored<T>(a);
  on_threads<T>(4, [&](int i) {
    Options options = this->options();
    options.ordering = i % 2 == 0 ? Ordering::metis : Ordering::amd;
    Solver<T> solver(options);
    for (int repetition = 0; repetition < 3; ++repetition) {
      solver.compute(s.view());
      expect_solves(solver, a);
    }
  });
}

TYPED_TEST(SolverThreads, OnePlanForSolversInSeveralThreads) {
  using T = typename TypeParam::Scalar;
  const io::SymmetricMatrix a = rounded<T>(io::generate("elas:4"));
  const StoredMatrix<T> s = stored<T>(a);
  Solver<T> first(this->options());
  first.analyze(s.view());
  on_threads<T>(4, [&](int i) {
    Solver<T> solver(this->options());
    solver.analyze(s.view(), first.plan());
    io::SymmetricMatrix scaled = a;
    std::vector<T> values = s.values;
    for (std::size_t e = 0; e < values.size(); ++e) {
      values[e] *= static_cast<T>(i + 1);
      scaled.values[e] = static_cast<double>(values[e]);
    }
    for (int repetition = 0; repetition < 5; ++repetition) {
      solver.refactorize(values);
      expect_solves(solver, scaled);
    }
  });
  EXPECT_FALSE(first.is_factorized());
}

}  // namespace
}  // namespace gpusupernodal::test
