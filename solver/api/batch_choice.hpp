#pragma once

/// \file
/// Which backend a batch takes, and why.

#include <memory>
#include <string>

#include "gpusupernodal/options.hpp"
#include "solver/api/batch_engine.hpp"
#include "solver/api/obtained_plan.hpp"

namespace gpusupernodal {

/// An engine, the plan it was made with, and why it runs where it does.
template <class T>
struct MadeBatch {
  ObtainedPlan plan;
  Options options;  ///< Those that the plan was obtained with.
  std::unique_ptr<BatchEngine<T>> engine;
  std::string reason;
};

/// Chooses the backend of a batch and makes its plan, and its engine if it runs on a device; otherwise `engine` is null.
/// `automatic` takes a device where one is found, the batch is large enough and its memory suffices. `stream` is that of
/// values in device memory. Throws BackendUnavailable or OutOfMemory where a backend was requested by name, and as
/// obtain_plan_of.
template <class T>
MadeBatch<T> choose_batch(const MatrixView<T>& a, const Options& options, std::int64_t count, void* stream);

/// As choose_batch; if the batch runs on the host, it gets an engine with workers of its own. Throws OutOfMemory, too.
template <class T>
MadeBatch<T> make_batch(const MatrixView<T>& a, const Options& options, std::int64_t count, void* stream);

}  // namespace gpusupernodal
