/// State of a solver after a factorize or compute that threw, by the step that threw.

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test {
namespace {

template <class OnBackend>
using KeptFactor = SolverTest<OnBackend>;
TYPED_TEST_SUITE(KeptFactor, AllBackends, BackendNames);

template <class T>
struct Factorized {
  io::SymmetricMatrix a = rounded<T>(random_spd(30, 70, 6));
  StoredMatrix<T> s = stored<T>(a);
  Solver<T> solver;

  explicit Factorized(const Options& options) : solver(options) { solver.compute(s.view()); }
};

TYPED_TEST(KeptFactor, SurvivesARefusedInput) {
  using T = typename TypeParam::Scalar;
  Factorized<T> f(this->options());
  const auto plan = f.solver.plan();
  const StoredMatrix<T> other = stored<T>(chain_spd(30));
  MatrixView<T> no_values = f.s.view();
  no_values.values = nullptr;
  MatrixView<T> no_values_of_other = other.view();
  no_values_of_other.values = nullptr;
  expect_throw<InvalidInput>([&] { f.solver.factorize(other.view()); });
  expect_throw<InvalidInput>([&] { f.solver.factorize(no_values); });
  expect_throw<InvalidInput>([&] { f.solver.refactorize(Span<const T>(f.s.values.data(), 3)); });
  expect_throw<InvalidInput>([&] { f.solver.refactorize(Span<const T>(nullptr, f.s.values.size())); });
  expect_throw<InvalidInput>([&] { f.solver.compute(no_values); }, {"values"});
  expect_throw<InvalidInput>([&] { f.solver.compute(no_values_of_other); }, {"values"});
  EXPECT_EQ(f.solver.plan(), plan) << "compute without values does not analyze";
  ASSERT_TRUE(f.solver.is_factorized());
  EXPECT_EQ(f.solver.factor_report().factorizations, 1);
  expect_solves(f.solver, f.a);
}

/// Enabling refinement needs memory. If it is refused, the factor and the options in force stay as they were.
TYPED_TEST(KeptFactor, SurvivesARefusalOfMemoryForRefinement) {
  using T = typename TypeParam::Scalar;
  if (!this->on_host) GTEST_SKIP() << "the allocator is the host's";
  struct Refusing final : Allocator {
    void* allocate(std::size_t bytes, std::size_t alignment) override {
      return refuses ? nullptr : ::operator new(bytes, std::align_val_t(alignment));
    }
    void deallocate(void* pointer, std::size_t, std::size_t alignment) noexcept override {
      ::operator delete(pointer, std::align_val_t(alignment));
    }
    bool refuses = false;
  };
  const auto allocator = std::make_shared<Refusing>();
  Options options = this->options();
  options.host_allocator = allocator;
  Factorized<T> f(options);
  expect_solves(f.solver, f.a);
  const SolveReport last_solve = f.solver.solve_report();
  options.refinement.max_steps = 2;
  f.solver.set_options(options);
  allocator->refuses = true;
  expect_throw<OutOfMemory>([&] { f.solver.factorize(f.s.view()); });
  ASSERT_TRUE(f.solver.is_factorized());
  EXPECT_EQ(f.solver.solve_report().seconds, last_solve.seconds);
  expect_solves(f.solver, f.a);
  EXPECT_EQ(f.solver.solve_report().backward_error, -1.0) << "no refinement with this factor";
  allocator->refuses = false;
  f.solver.factorize(f.s.view());
  expect_solves(f.solver, f.a);
  EXPECT_GE(f.solver.solve_report().backward_error, 0.0);
  EXPECT_EQ(f.solver.factor_report().factorizations, 2);
}

/// A factorize that is cancelled, or whose callback throws, leaves no factor. The count of factorizations continues, even if
/// refinement changed in between.
TYPED_TEST(KeptFactor, CancellingDiscardsItAndKeepsTheCount) {
  using T = typename TypeParam::Scalar;
  Factorized<T> f(this->options());
  f.solver.factorize(f.s.view());
  expect_solves(f.solver, f.a);
  std::int64_t done = 2;
  for (const int max_steps : {0, 2, 0, 0, 2}) {
    const double seconds = f.solver.solve_report().seconds;
    Options options = this->options();
    options.refinement.max_steps = max_steps;
    options.factor_progress = [](const Progress&) { return false; };
    f.solver.set_options(options);
    expect_throw<Cancelled>([&] { f.solver.factorize(f.s.view()); });
    EXPECT_FALSE(f.solver.is_factorized());
    expect_throw<InvalidState>([&] { f.solver.factor_report(); }, {"factor_report", "cancelled"});
    options.factor_progress = [](const Progress&) -> bool { throw std::domain_error("the caller's own"); };
    f.solver.set_options(options);
    EXPECT_THROW(f.solver.factorize(f.s.view()), std::domain_error);
    EXPECT_FALSE(f.solver.is_factorized());
    EXPECT_EQ(f.solver.solve_report().seconds, seconds) << "still that of the last solve";
    options.factor_progress = nullptr;
    f.solver.set_options(options);
    f.solver.factorize(f.s.view());
    EXPECT_EQ(f.solver.factor_report().factorizations, ++done) << "with refinement " << max_steps;
    expect_solves(f.solver, f.a);
  }
  f.solver.analyze(f.s.view());
  f.solver.factorize(f.s.view());
  EXPECT_EQ(f.solver.factor_report().factorizations, 1) << "of the new analysis";
}

}  // namespace
}  // namespace gpusupernodal::test
