#pragma once

/// \file
/// Drives one solver and a model of its state through random calls, valid and invalid.

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/faults/failing_allocator.hpp"
#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test {

/// Outcome of a call.
enum class Ended { done, invalid_input, invalid_state, numerical_failure, cancelled, callback_threw, no_memory };

/// After each call, the model predicts the outcome, and everything the solver reports must agree with the model.
template <class T>
class Trial {
 public:
  explicit Trial(std::uint64_t seed);
  /// Makes one random call. Failure messages list the calls before it.
  void step();

 private:
  struct Stop {
    int calls_left = 0;  ///< The callback interrupts when this is 0; a negative number means never.
    bool throws = false;
    bool in_factorize = false;
    bool fired = false;
  };
  /// The factorized matrix is scale·A + offset·I.
  struct Shift {
    double offset = 0.0;
    double scale = 1.0;
  };

  /// Values passed to factorize: the analyzed values times a factor, optionally with one NaN.
  struct Values {
    double factor = 1.0;
    bool nan = false;
  };

  std::int64_t number(std::int64_t below) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(below));
  }
  bool chance(int percent) { return number(100) < percent; }

  void change_options();
  void analyze();
  void compute();
  void factorize();
  void refuse();
  void solve();
  void look();
  void move();

  Ended attempt(const std::string& name, const std::function<void()>& call);
  std::function<bool(const Progress&)> callback(bool in_factorize);
  MatrixView<T> view_of(const StoredMatrix<T>& a);
  StoredMatrix<T> random_form(std::size_t matrix);
  std::vector<T> random_values();
  void model_analysis(std::size_t matrix, const StoredMatrix<T>& a);
  void model_factorize(Ended ended, const std::vector<T>& values, const std::string& name);
  Ended expected_without_factor() const;
  void check_state();
  io::SymmetricMatrix factorized_matrix() const;

  std::mt19937_64 random_;
  std::vector<io::SymmetricMatrix> matrices_;
  std::shared_ptr<FailingAllocator> allocator_ = std::make_shared<FailingAllocator>();
  Stop stop_;
  std::string history_;

  Solver<T> solver_;
  Options options_;
  Options analyzed_options_;
  bool analyzed_ = false;
  std::size_t matrix_ = 0;
  StoredMatrix<T> stored_;
  bool keeps_a_ = false;
  bool factorized_ = false;
  Status status_ = Status::success;
  std::vector<T> values_;
  Values values_to_come_;
  Values known_;
  Shift pending_;
  Shift shift_;
  Refinement refinement_;
  std::int64_t factorizations_ = 0;
  SolveReport last_solve_;
};

}  // namespace gpusupernodal::test
