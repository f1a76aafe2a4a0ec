#pragma once

/// \file
/// Table of the calls from which each option acts, for tests of every interface that sets options. C++17, public
/// headers.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpusupernodal/solver.hpp"

namespace gpusupernodal::test {

/// The call from which a changed option acts.
enum class Acts { next_solve, next_factorize, next_analyze };

/// A solver behind one of the interfaces, always used with the matrix lap2d:12.
class OptionSubject {
 public:
  virtual ~OptionSubject() = default;
  virtual void set(const Options& options) = 0;  ///< Sets the options as a user of the interface does.
  virtual void analyze() = 0;
  virtual void factorize() = 0;
  /// Factorizes with NaN in one entry of A; returns whether this was reported as a non-finite value.
  virtual bool tells_nan_in_matrix() = 0;
  virtual void solve() = 0;
  /// Solves with NaN in b; returns whether this was refused.
  virtual bool refuses_nan_in_right_hand_side() = 0;
  virtual Solver<double>& solver() = 0;  ///< For access to plan and reports.
};

/// State that the table's rows inspect.
struct OptionTrial {
  OptionSubject* subject = nullptr;
  std::shared_ptr<const FactorPlan> first_plan;  ///< Plan before the option was changed.
  std::shared_ptr<int> calls = std::make_shared<int>(0);
  bool refused = false;  ///< Whether the analysis after the change threw BackendUnavailable or InvalidInput.

  Solver<double>& solver() const { return subject->solver(); }
};

struct OptionEffect {
  std::string option;
  Acts acts;
  std::function<void(Options&)> base;  ///< Sets the options before the change.
  std::function<void(Options&, OptionTrial&)> change;
  std::function<bool(OptionTrial&)>
      acted;  ///< Whether the change has acted; asked after each call, and must not influence later answers.
};

/// All options except those that only CUDA uses. Precondition: the plan cache is on.
std::vector<OptionEffect> option_effects();

/// The names of all options, and of those without effect on the host. Does not compile if an option is added.
std::vector<std::string> option_names();
std::vector<std::string> options_of_cuda_alone();
std::vector<std::string> options_of_lu_alone();

/// Changes the option of a solver that has a factor, then solves, factorizes and analyzes. Returns a sentence for each
/// call at which the option acted too early or too late.
std::vector<std::string> wrong_effects(const OptionEffect& effect, OptionSubject& subject);

}  // namespace gpusupernodal::test
