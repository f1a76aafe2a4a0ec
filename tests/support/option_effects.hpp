#pragma once

/// \file
/// From which call on each option acts: a table for every interface through which options are set. C++17, public headers.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpusupernodal/solver.hpp"

namespace gpusupernodal::test {

/// The call that an option waits for.
enum class Acts { next_solve, next_factorize, next_analyze };

/// A solver behind one interface, with one matrix of order lap2d:12 that it is given again and again.
class OptionSubject {
 public:
  virtual ~OptionSubject() = default;
  virtual void set(const Options& options) = 0;  ///< From now on; as a user of the interface does it.
  virtual void analyze() = 0;
  virtual void factorize() = 0;
  /// Factorizes with NaN in one entry of A; whether that was told as a value that is not finite.
  virtual bool tells_nan_in_matrix() = 0;
  virtual void solve() = 0;
  /// Solves with NaN in b; whether that was refused.
  virtual bool refuses_nan_in_right_hand_side() = 0;
  virtual Solver<double>& solver() = 0;  ///< To look at plan and reports.
};

/// What rows of the table look at.
struct OptionTrial {
  OptionSubject* subject = nullptr;
  std::shared_ptr<const FactorPlan> first_plan;  ///< Before the option was changed.
  std::shared_ptr<int> calls = std::make_shared<int>(0);
  bool refused = false;  ///< The analysis after the change threw BackendUnavailable.

  Solver<double>& solver() const { return subject->solver(); }
};

struct OptionEffect {
  std::string option;
  Acts acts;
  std::function<void(Options&)> base;  ///< Before.
  std::function<void(Options&, OptionTrial&)> change;
  std::function<bool(OptionTrial&)> acted;  ///< Looks after each call; must not change what the others see.
};

/// All options but those of CUDA alone. Needs the plan cache.
std::vector<OptionEffect> option_effects();

/// The names of all options, and of those that a host shows nothing of. Does not compile if an option is added.
std::vector<std::string> option_names();
std::vector<std::string> options_of_cuda_alone();

/// Changes the option of a solver that has a factor, then solves, factorizes and analyzes; where the option acts too early
/// or too late, the sentences say so.
std::vector<std::string> wrong_effects(const OptionEffect& effect, OptionSubject& subject);

}  // namespace gpusupernodal::test
