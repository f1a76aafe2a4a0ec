#pragma once

/// \file
/// A gpusupernodal::Fabric over MPI.

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <gpusupernodal/fabric.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace example {

/// Each rank of a communicator is a part. The object duplicates the communicator, so that its messages and those of the
/// program stay apart. Destroy the object before MPI_Finalize.
class MpiFabric final : public gpusupernodal::Fabric {
 public:
  explicit MpiFabric(MPI_Comm comm) {
    check(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
    MPI_Comm_rank(comm_, &part_);
    MPI_Comm_size(comm_, &parts_);
  }
  ~MpiFabric() override { MPI_Comm_free(&comm_); }
  MpiFabric(const MpiFabric&) = delete;
  MpiFabric& operator=(const MpiFabric&) = delete;

  int parts() const override { return parts_; }
  int part() const override { return part_; }

  void send(int to, const void* data, std::int64_t bytes) override {
    in_pieces(bytes, [&](std::int64_t first, int count) {
      requests_.emplace_back();
      check(MPI_Isend(static_cast<const char*>(data) + first, count, MPI_BYTE, to, tag, comm_, &requests_.back()),
            "MPI_Isend");
    });
  }
  void receive(int from, void* data, std::int64_t bytes) override {
    in_pieces(bytes, [&](std::int64_t first, int count) {
      check(MPI_Recv(static_cast<char*>(data) + first, count, MPI_BYTE, from, tag, comm_, MPI_STATUS_IGNORE), "MPI_Recv");
    });
  }
  void wait_for_sends() override {
    check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    requests_.clear();
  }
  void broadcast(int from, void* data, std::int64_t bytes) override {
    in_pieces(bytes, [&](std::int64_t first, int count) {
      check(MPI_Bcast(static_cast<char*>(data) + first, count, MPI_BYTE, from, comm_), "MPI_Bcast");
    });
  }

 private:
  static constexpr int tag = 1;
  static constexpr std::int64_t largest_piece = 1 << 30;  // MPI counts with int.

  template <class Visit>
  static void in_pieces(std::int64_t bytes, const Visit& visit) {
    for (std::int64_t first = 0; first < bytes; first += largest_piece)
      visit(first, static_cast<int>(std::min(largest_piece, bytes - first)));
  }
  static void check(int error, const char* call) {
    if (error != MPI_SUCCESS) throw std::runtime_error(std::string(call) + " failed with code " + std::to_string(error));
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int parts_ = 1;
  int part_ = 0;
  std::vector<MPI_Request> requests_;
};

}  // namespace example
