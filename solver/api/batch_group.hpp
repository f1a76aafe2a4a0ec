#pragma once

/// \file
/// BatchGroup: the systems of a list that have one pattern.

#include <cstdint>
#include <memory>
#include <vector>

#include "solver/api/batch_engine.hpp"
#include "solver/api/host_batch.hpp"
#include "solver/plan/factor_plan.hpp"

namespace gpusupernodal {

template <class T>
struct BatchGroup {
  std::vector<std::int64_t> systems;  ///< Their numbers in the list, ascending. Below, systems go by their place here.
  std::shared_ptr<const FactorPlan> plan;
  std::unique_ptr<BatchEngine<T>> engine;
  HostBatch<T>* host = nullptr;  ///< The engine, if it is one of the host.
  AnalyzeReport report;
  std::vector<unsigned char> wanted;  ///< Those that the current call computes.
  std::vector<const T*> values;       ///< Addresses of the values of the current call.

  std::int64_t count() const { return static_cast<std::int64_t>(systems.size()); }
};

/// Where a system of the list is.
struct PlaceInGroup {
  std::size_t group = 0;
  std::size_t place = 0;
};

}  // namespace gpusupernodal
