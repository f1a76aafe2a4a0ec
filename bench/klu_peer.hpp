#pragma once

/// \file
/// KLU behind the calls that the benchmark of LU needs. Without KLU, `is_available` is false and the calls throw.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/general_matrix.hpp"

#ifdef GPUSUPERNODAL_BENCH_KLU
#include <klu.h>
#endif

namespace gpusupernodal::bench {

#ifdef GPUSUPERNODAL_BENCH_KLU

/// KLU's analysis and factor of one pattern, with its default settings: row scaling, BTF and AMD.
class KluPeer {
 public:
  static constexpr bool is_available = true;

  explicit KluPeer(const io::GeneralMatrix& a)
      : n_(static_cast<int>(a.n)), offsets_(a.offsets.begin(), a.offsets.end()), indices_(a.indices), values_(a.values) {
    klu_defaults(&common_);
  }
  KluPeer(const KluPeer&) = delete;
  KluPeer& operator=(const KluPeer&) = delete;
  ~KluPeer() {
    klu_free_numeric(&numeric_, &common_);
    klu_free_symbolic(&symbolic_, &common_);
  }

  void analyze() {
    symbolic_ = klu_analyze(n_, offsets_.data(), indices_.data(), &common_);
    require(symbolic_ != nullptr, "klu_analyze");
  }
  /// With pivoting. Precondition: analyze was called.
  void factorize() {
    numeric_ = klu_factor(offsets_.data(), indices_.data(), values_.data(), symbolic_, &common_);
    require(numeric_ != nullptr, "klu_factor");
  }
  /// With the pivots of factorize.
  void refactorize(const std::vector<double>& values) {
    values_ = values;
    require(klu_refactor(offsets_.data(), indices_.data(), values_.data(), symbolic_, numeric_, &common_) != 0,
            "klu_refactor");
  }
  /// Replaces the right-hand side by the solution.
  void solve(std::vector<double>& b) {
    require(klu_solve(symbolic_, numeric_, n_, 1, b.data(), &common_) != 0, "klu_solve");
  }
  /// Entries of L, U and the blocks above the diagonal ones; the diagonal counts once.
  std::int64_t nonzeros() const { return std::int64_t{numeric_->lnz} + numeric_->unz + numeric_->nzoff - n_; }

 private:
  void require(bool done, const char* call) const {
    if (!done) throw std::runtime_error(std::string(call) + " failed with status " + std::to_string(common_.status));
  }

  int n_;
  std::vector<int> offsets_;
  std::vector<int> indices_;
  std::vector<double> values_;
  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
};

#else

class KluPeer {
 public:
  static constexpr bool is_available = false;

  explicit KluPeer(const io::GeneralMatrix& /*a*/) {}
  void analyze() { missing(); }
  void factorize() { missing(); }
  void refactorize(const std::vector<double>& /*values*/) { missing(); }
  void solve(std::vector<double>& /*b*/) { missing(); }
  std::int64_t nonzeros() const { missing(); }

 private:
  [[noreturn]] static void missing() { throw std::logic_error("this program was built without KLU"); }
};

#endif

}  // namespace gpusupernodal::bench
