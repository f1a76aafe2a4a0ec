#pragma once

/// \file
/// GroupedBatch: systems of any patterns, in groups of equal patterns.

#include <memory>
#include <vector>

#include "gpusupernodal/options.hpp"
#include "solver/api/batch_choice.hpp"
#include "solver/api/batch_group.hpp"
#include "solver/api/host_groups.hpp"
#include "solver/backend/side_streams.hpp"

namespace gpusupernodal {

/// Each group has the engine that a batch of its systems would have. Groups on a device have a stream of a few, so that
/// their work runs side by side, and the host's workers compute the other groups meanwhile. Its caller has checked sizes and
/// spaces.
template <class T>
class GroupedBatch {
 public:
  /// Analyzes each pattern. `stream` is that of values in device memory. Throws as choose_batch; InvalidInput names the
  /// first system of the pattern.
  GroupedBatch(Span<const MatrixView<T>> systems, const Options& options, void* stream);
  GroupedBatch(const GroupedBatch&) = delete;
  GroupedBatch& operator=(const GroupedBatch&) = delete;

  std::int64_t count() const { return static_cast<std::int64_t>(places_.size()); }
  const std::vector<BatchGroup<T>>& groups() const { return groups_; }
  PlaceInGroup place_of(std::int64_t system) const { return places_[static_cast<std::size_t>(system)]; }
  const BatchGroup<T>& group_of(std::int64_t system) const { return groups_[place_of(system).group]; }
  bool uses_device() const { return streams_ != nullptr; }

  /// Factorizes the wanted systems with values at these addresses. Device memory is read after the work on `stream`.
  void refactorize(Span<const T* const> values, MemorySpace space, const std::vector<unsigned char>& wanted, void* stream);
  /// Solves with `columns` right-hand sides for each wanted system. Throws InvalidInput before anything is computed for a
  /// part that the form lacks.
  void solve(System part, Span<const DenseView<const T>> b, Span<const DenseView<T>> x, std::int64_t columns,
             const std::vector<unsigned char>& wanted, void* stream);
  void reserve_right_hand_sides(std::int64_t columns);
  /// Waits for outcomes and writes them by system.
  void read(std::vector<BatchStatus>& statuses, std::vector<BatchStatus>& solve_statuses);

 private:
  void analyze(Span<const MatrixView<T>> systems, const Options& options, void* stream, std::vector<MadeBatch<T>>& made);
  void make_host_engines(const Options& options, const std::vector<MadeBatch<T>>& made);
  void make_streams(const Options& options);
  void distribute(const std::vector<unsigned char>& wanted);
  BatchValues<T> values_of(const BatchGroup<T>& group, MemorySpace space) const;
  template <class Fork>
  void factorize_on_device(MemorySpace space, const Fork& fork);
  void solve_groups(System part, Span<const DenseView<const T>> b, Span<const DenseView<T>> x, std::int64_t columns,
                    void* stream);

  std::unique_ptr<SideStreams> streams_;  ///< Only with groups on a device. Above the groups, whose engines use them.
  std::vector<PlaceInGroup> places_;      ///< By system.
  std::vector<BatchGroup<T>> groups_;
  std::unique_ptr<HostGroups<T>> on_host_;
};

#define GPUSUPERNODAL_INSTANTIATE(T) extern template class GroupedBatch<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
