#pragma once

/// \file
/// The messages of a factorization that all ranks of a matrix compute together.

#include <cstdint>
#include <vector>

#include "gpusupernodal/fabric.hpp"
#include "plugin/petsc/ranks.hpp"

namespace gpusupernodal::petsc {

/// Each rank is a part. Uses the communicator of the PETSc object and a separate message tag, so that messages of other
/// objects stay apart. Functions throw if MPI reports an error, after PETSc's message about it. The communicator must
/// outlive this.
///
/// **Limit.** send needs a few bytes for each pending message. If this memory cannot be allocated, send waits until the
/// message has arrived. If the receiver waits in the same way for a message of this rank, both wait forever.
class RanksFabric final : public Fabric {
 public:
  /// Does not communicate.
  explicit RanksFabric(const Ranks& ranks) : ranks_(ranks) {}

  int parts() const override { return ranks_.size; }
  int part() const override { return ranks_.rank; }
  void send(int to, const void* data, std::int64_t bytes) override;
  void receive(int from, void* data, std::int64_t bytes) override;
  void wait_for_sends() override;
  void broadcast(int from, void* data, std::int64_t bytes) override;

 private:
  Ranks ranks_;
  std::vector<MPI_Request> requests_;
};

}  // namespace gpusupernodal::petsc
