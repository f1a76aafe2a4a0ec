#pragma once

/// \file
/// What a solver under comparison offers, so that all are measured by the same lines (run_peer).

#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::bench {

/// A x = b for several right-hand sides, in host memory.
struct Problem {
  io::SymmetricMatrix a;
  int columns = 1;
  std::vector<double> b;  ///< n × columns, column-major.

  std::int64_t n() const { return a.n; }
};

/// What the command line says about a run.
struct PeerSettings {
  std::string mode;              ///< One of the peer's modes; its first if empty.
  int threads = 0;               ///< Host threads; 0: all that the process may use.
  std::string permutation_file;  ///< old_of_new of our solver (permutation_file.hpp), or empty.
};

/// Something that a peer reports beside its times.
using Fields = nlohmann::json;

/// Thrown where a peer has no such feature; the phase is then left out, with this sentence.
class NotOffered : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A solver with one problem. Its matrix and vectors are where the solver wants them (a device peer's on the device) before
/// the first phase. Calls may return before the work is done; `finish` waits for it.
class Peer {
 public:
  Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  virtual ~Peer() = default;

  /// From the pattern; forgets an earlier analysis.
  virtual void analyze() = 0;
  /// The first factorization after analyze.
  virtual void factorize() = 0;
  /// Another with the same analysis.
  virtual void refactorize() = 0;
  /// For the first `columns` right-hand sides.
  virtual void solve(int columns) = 0;
  virtual void finish() {}
  /// Whether there are phases at all; otherwise `everything` is measured, from the matrix to the first column of x.
  virtual bool has_phases() const { return true; }
  virtual void everything() {}
  /// Of the last solve, `columns` of them, in host memory.
  virtual std::vector<double> solution(int columns) = 0;
  /// What is known by now: nnz_l, flops, reorder and symbolic (seconds), memory (bytes), settings, version, …
  virtual Fields fields() = 0;
};

/// A solver's part of the program.
struct PeerProgram {
  std::string name;
  std::vector<std::string> modes;  ///< The first is the default.
  std::unique_ptr<Peer> (*make)(const Problem&, const PeerSettings&);
};

/// Reads the command line, measures and writes events (events.hpp); the exit status of the program.
int run_peer(int argc, char** argv, const PeerProgram& program);

}  // namespace gpusupernodal::bench
