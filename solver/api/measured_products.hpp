#pragma once

/// \file
/// Tuning::measured: times the candidates that are predicted to be fast, and puts the fastest first.

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/stopwatch.hpp"
#include "solver/api/staged_vectors.hpp"
#include "solver/sparse/format_model.hpp"
#include "solver/sparse/sparse_apply.hpp"

namespace gpusupernodal {

/// Seconds of a product: the best of some rounds of ten products, after a warm-up.
template <class T>
double measured_seconds(SparseApply<T>& apply, const std::vector<T>& zeros, const OperatorOptions& options, void* stream,
                        int rounds = 3) {
  const auto allocator = apply.space() == MemorySpace::device ? options.device_allocator : options.host_allocator;
  const DenseView<const T> host_x(zeros.data(), apply.columns()), host_y(zeros.data(), apply.rows());
  // A host operator uses vectors in place, so y needs separate memory.
  const std::vector<T> other(static_cast<std::size_t>(apply.rows()));
  const StagedVectors<T> x(host_x, apply, allocator, stream, true);
  const StagedVectors<T> y(DenseView<const T>(other.data(), apply.rows()), apply, allocator, stream, false);
  constexpr int products = 10;
  double best = 0.0;
  for (int round = 0; round <= rounds; ++round) {
    const Stopwatch watch;
    for (int k = 0; k < products; ++k) apply.multiply(T(1), x.view(), T(0), y.writable());
    apply.wait();
    const double seconds = watch.seconds() / products;
    if (round > 0) best = round == 1 ? seconds : std::min(best, seconds);
  }
  return best;
}

/// Times the candidates whose predictions for one thread are at most twice the best one's, at most eight, and sorts those by
/// their times. Returns the times of all, 0 where none was taken. Values and vectors are zeros. make(layout) gives a
/// SparseApply<T>.
template <class T, class Make>
std::vector<double> measured_products(std::vector<LayoutCandidate>& candidates, const Make& make,
                                      const OperatorOptions& options, void* stream) {
  constexpr std::size_t most = 8;
  std::vector<std::pair<double, LayoutCandidate>> timed;
  const double limit = 2.0 * candidates.front().one_worker_seconds;
  while (timed.size() < std::min(most, candidates.size())) {
    const LayoutCandidate& candidate = candidates[timed.size()];
    if (!candidate.refusal.empty() || candidate.one_worker_seconds > limit) break;
    const SparseLayout layout = candidate.make();
    const auto apply = make(layout);
    const std::vector<T> zeros(static_cast<std::size_t>(std::max({layout.input_values, apply->rows(), apply->columns()})));
    apply->update(zeros.data(), MemorySpace::host);
    timed.emplace_back(measured_seconds(*apply, zeros, options, stream), candidate);
  }
  std::stable_sort(timed.begin(), timed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<double> seconds(candidates.size(), 0.0);
  for (std::size_t k = 0; k < timed.size(); ++k) {
    seconds[k] = timed[k].first;
    candidates[k] = timed[k].second;
  }
  return seconds;
}

}  // namespace gpusupernodal
