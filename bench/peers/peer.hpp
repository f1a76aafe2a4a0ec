#pragma once

/// \file
/// The interface of a solver under comparison. run_peer measures all solvers through it.

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

/// Settings of a run from the command line.
struct PeerSettings {
  std::string mode;              ///< One of the peer's modes; empty: the first.
  int threads = 0;               ///< Host threads; 0: all available to the process.
  std::string permutation_file;  ///< old_of_new of our solver (permutation_file.hpp), or empty.
};

/// Values that a peer reports in addition to its times.
using Fields = nlohmann::json;

/// Thrown if a peer lacks a feature; the phase is then skipped and the message recorded.
class NotOffered : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A solver with one problem. The constructor puts the matrix and the vectors where the solver needs them (for a device
/// peer, on the device). Calls may return before the work is done; `finish` waits for it.
class Peer {
 public:
  Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  virtual ~Peer() = default;

  /// Analyzes the pattern and discards an earlier analysis.
  virtual void analyze() = 0;
  /// The first factorization after analyze.
  virtual void factorize() = 0;
  /// A further factorization with the same analysis.
  virtual void refactorize() = 0;
  /// Solves for the first `columns` right-hand sides.
  virtual void solve(int columns) = 0;
  virtual void finish() {}
  /// Whether the solver has phases. Otherwise `everything`, from the matrix to the first column of x, is measured.
  virtual bool has_phases() const { return true; }
  virtual void everything() {}
  /// Copies the first `columns` columns of the last solution to host memory.
  virtual std::vector<double> solution(int columns) = 0;
  /// Values known so far: nnz_l, flops, reorder and symbolic (seconds), memory (bytes), settings, version, …
  virtual Fields fields() = 0;
};

/// The solver-specific part of a peer program.
struct PeerProgram {
  std::string name;
  std::vector<std::string> modes;  ///< The first is the default.
  std::unique_ptr<Peer> (*make)(const Problem&, const PeerSettings&);
};

/// Reads the command line, measures and writes events (events.hpp). Returns the program's exit status.
int run_peer(int argc, char** argv, const PeerProgram& program);

}  // namespace gpusupernodal::bench
