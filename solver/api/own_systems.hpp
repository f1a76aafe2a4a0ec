#pragma once

/// \file
/// OwnSystems: systems of a batch that have left it, each with a SolverState of its own on the host.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/common/scalar_traits.hpp"
#include "solver/api/batch_engine.hpp"
#include "solver/api/solver_state.hpp"

namespace gpusupernodal {

inline BatchStatus batch_status(Status status) { return static_cast<BatchStatus>(status); }

/// Marks a solution that does not exist. Precondition: x is in host memory.
template <class T>
void fill_not_a_number(const DenseView<T>& x) {
  for (std::int64_t c = 0; c < x.cols; ++c) std::fill_n(x.data + c * x.ld, x.rows, ScalarTraits<T>::not_a_number());
}

/// Options of a state that computes one system at a time on the host.
Options of_one_system(Options options);

template <class T>
class OwnSystems {
 public:
  /// `options`: those of one system.
  OwnSystems(std::shared_ptr<const FactorPlan> plan, const Options& options, std::size_t count)
      : plan_(std::move(plan)), options_(options), own_(count) {}

  /// The state of system i; nullptr if it is in the batch.
  SolverState<T>* of(std::size_t i) const { return own_[i].get(); }

  /// Gives system i a state with a factor of these values in host memory. `repivot` says whether it may try other pivots.
  /// Its count of factorizations becomes `factorizations`. False without memory.
  bool move_out(std::size_t i, const T* values, std::int64_t factorizations, Repivot repivot);
  /// Puts system i back into the batch.
  void drop(std::size_t i) { own_[i].reset(); }

 private:
  std::shared_ptr<const FactorPlan> plan_;
  Options options_;
  std::vector<std::unique_ptr<SolverState<T>>> own_;
};

extern template class OwnSystems<float>;
extern template class OwnSystems<double>;
extern template class OwnSystems<std::complex<float>>;
extern template class OwnSystems<std::complex<double>>;

}  // namespace gpusupernodal
