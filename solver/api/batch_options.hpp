#pragma once

/// \file
/// What batches of one pattern and of several check alike.

#include <limits>

#include "gpusupernodal/options.hpp"
#include "kernels/common/scalar_traits.hpp"
#include "solver/api/checks.hpp"
#include "solver/backend/device_copy.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {

/// Throws InvalidInput as check_options, and for options that batches lack.
inline void check_batch_options(const Options& options) {
  check_options(options);
  if (options.trace) fail<InvalidInput>("the option trace is set, but batches keep no trace");
  if (options.devices.size() > 1)
    fail<InvalidInput>("the option devices lists {} devices, but a batch runs on one; list one", options.devices.size());
  if (options.factor_progress) fail<InvalidInput>("the option factor_progress is set, but batches do not report progress");
}

/// Throws InvalidInput unless a batch may have this many systems.
inline void check_batch_count(std::int64_t count) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (count < 0 || count > most) fail<InvalidInput>("a batch of {} systems was requested; it must be 0 to {}", count, most);
}

/// Throws InvalidState in a capture on the stream of a batch.
inline void refuse_batch_analysis_in_capture(void* stream) {
  if (stream != nullptr && is_captured(stream))
    fail<InvalidState>(
        "analyze was called while a graph is captured on the batch's stream, but it takes memory; call it before the "
        "capture or after it");
}

/// Throws InvalidInput unless something is given for as many systems as the batch has.
inline void require_batch_count(std::int64_t given, const char* what, std::int64_t count) {
  if (given != count) fail<InvalidInput>("{} for {} systems were given, but the batch has {}", what, given, count);
}

/// Whether complex systems are Hermitian with one half that is read, so that diagonals must be real.
template <class T>
bool has_real_diagonals(const Options& options) {
  return ScalarTraits<T>::is_complex && options.form != Form::lu && options.symmetry == Symmetry::hermitian;
}

}  // namespace gpusupernodal
