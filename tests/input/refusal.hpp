#pragma once

/// \file
/// Checks for calls that must be refused: afterwards the object is unchanged and can solve.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test {

/// A call with bad input and the complete sentence of the expected exception.
template <class T>
struct Refusal {
  std::string name;
  std::string sentence;
  std::function<void(Solver<T>&)> call;
};

/// Returns the sentence of the E that the call throws; anything else is a test failure.
template <class E, class Call>
std::string sentence_of(Call&& call) {
  try {
    std::forward<Call>(call)();
    ADD_FAILURE() << "nothing thrown";
  } catch (const E& error) {
    EXPECT_GT(error.line(), 0);
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another type of exception: " << error.what();
  }
  return "";
}

/// Two good systems: one that the object holds before a refused call, and one that it must accept afterwards.
template <class T>
struct GoodSystems {
  io::SymmetricMatrix before = rounded<T>(random_spd(30, 70, 6));
  io::SymmetricMatrix after = rounded<T>(random_spd(23, 50, 8));
  StoredMatrix<T> before_stored = stored<T>(before);
  StoredMatrix<T> after_stored = stored<T>(after);
};

template <class T>
void expect_takes(Solver<T>& solver, const GoodSystems<T>& good) {
  solver.compute(good.after_stored.view());
  ASSERT_EQ(solver.status(), Status::success);
  expect_solves(solver, good.after);
}

/// On an object with a factor, the call must throw E and change nothing. If `also_fresh`, a new object must refuse it
/// too. Each object then solves another system.
template <class E, class T>
void expect_refused(const Refusal<T>& refusal, const Options& options, bool also_fresh) {
  SCOPED_TRACE(refusal.name);
  const GoodSystems<T> good;
  Solver<T> solver(options);
  solver.compute(good.before_stored.view());
  EXPECT_EQ(sentence_of<E>([&] { refusal.call(solver); }), refusal.sentence);
  ASSERT_TRUE(solver.is_factorized());
  EXPECT_EQ(solver.order(), good.before.n);
  expect_solves(solver, good.before);
  expect_takes(solver, good);
  if (!also_fresh) return;
  Solver<T> fresh(options);
  EXPECT_EQ(sentence_of<E>([&] { refusal.call(fresh); }), refusal.sentence);
  EXPECT_FALSE(fresh.is_analyzed());
  expect_takes(fresh, good);
}

}  // namespace gpusupernodal::test
