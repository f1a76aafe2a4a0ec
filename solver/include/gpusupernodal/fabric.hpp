#pragma once

/// \file
/// Fabric: how the parts of a distributed factorization send blocks of bytes to each other.

#include <cstdint>

namespace gpusupernodal {

/// One part's access to the others. An implementation wraps a library that communicates, such as MPI. One object belongs to
/// one part; only the thread that calls the solver calls it. Messages from one part to another must arrive in the order in
/// which they were sent. A message is received with the number of bytes with which it was sent. Numbers of bytes may exceed
/// 2³¹ − 1, and addresses may have any alignment. A part never sends to itself. Functions may throw; then the communication
/// of all parts has failed, and no solver on it is usable any more.
class Fabric {
 public:
  virtual ~Fabric() = default;

  virtual int parts() const = 0;  ///< Number of parts.
  virtual int part() const = 0;   ///< Number of this part, from 0.

  /// Begins to send and returns without waiting for the receiver. `data` stays as it is until wait_for_sends. Must do
  /// nothing if `bytes` is 0; then nobody receives it.
  virtual void send(int to, const void* data, std::int64_t bytes) = 0;
  /// Blocks until the next message of part `from` is in `data`. Must do nothing if `bytes` is 0.
  virtual void receive(int from, void* data, std::int64_t bytes) = 0;
  /// Blocks until all send buffers may be reused.
  virtual void wait_for_sends() = 0;
  /// Copies `data` of part `from` to that of all others. All parts call it with the same number of bytes, which may be 0,
  /// and after wait_for_sends, so no send is pending.
  virtual void broadcast(int from, void* data, std::int64_t bytes) = 0;
};

}  // namespace gpusupernodal
