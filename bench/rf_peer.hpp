#pragma once

/// \file
/// cusolverRf behind the calls that the benchmark of LU by columns needs: a refactorization that gets L, U and the orders
/// from a first factorization of ours.

#include <cusolverRf.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/device_array.hpp"
#include "solver/factor/factor_structure.hpp"

namespace gpusupernodal::bench {

/// Indices in device memory.
class DeviceIndices {
 public:
  explicit DeviceIndices(const std::vector<int>& host) {
    const std::size_t bytes = host.size() * sizeof(int);
    if (cudaMalloc(&device_, bytes) != cudaSuccess ||
        cudaMemcpy(device_, host.data(), bytes, cudaMemcpyHostToDevice) != cudaSuccess)
      throw std::runtime_error("no device memory for indices");
  }
  DeviceIndices(const DeviceIndices&) = delete;
  DeviceIndices& operator=(const DeviceIndices&) = delete;
  ~DeviceIndices() { cudaFree(device_); }
  int* data() const { return static_cast<int*>(device_); }

 private:
  void* device_ = nullptr;
};

/// A matrix by rows with 32-bit indices.
struct RfRows {
  std::vector<int> offsets{0};
  std::vector<int> columns;
  std::vector<double> values;
};

/// Splits the values of a plan without blocks and tail into L, without its unit diagonal, and U.
inline void split(const ColumnStructure& s, const std::vector<double>& values, RfRows& l, RfRows& u) {
  for (std::int32_t i = 0; i < s.n; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (std::int64_t e = s.row_offset[row]; e < s.row_offset[row + 1]; ++e) {
      RfRows& part = e < s.row_offset[row] + s.lower[row] ? l : u;
      part.columns.push_back(s.columns[static_cast<std::size_t>(e)]);
      part.values.push_back(values[static_cast<std::size_t>(e)]);
    }
    l.offsets.push_back(static_cast<int>(l.columns.size()));
    u.offsets.push_back(static_cast<int>(u.columns.size()));
  }
}

class RfPeer {
 public:
  /// `a`: the scaled matrix; p and q: row and column of it that are eliminated k-th; l and u as of split().
  RfPeer(RfRows a, RfRows l, RfRows u, std::vector<int> p, std::vector<int> q)
      : n_(static_cast<int>(p.size())),
        entries_(static_cast<int>(a.columns.size())),
        offsets_(a.offsets),
        columns_(a.columns),
        p_(p),
        q_(q),
        values_(a.values, MemorySpace::device),
        workspace_(std::vector<double>(p.size(), 0.0), MemorySpace::device) {
    require(cusolverRfCreate(&handle_), "cusolverRfCreate");
    require(cusolverRfSetMatrixFormat(handle_, CUSOLVERRF_MATRIX_FORMAT_CSR, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L),
            "cusolverRfSetMatrixFormat");
    require(cusolverRfSetResetValuesFastMode(handle_, CUSOLVERRF_RESET_VALUES_FAST_MODE_ON),
            "cusolverRfSetResetValuesFastMode");
    require(cusolverRfSetupHost(n_, entries_, a.offsets.data(), a.columns.data(), a.values.data(),
                                static_cast<int>(l.columns.size()), l.offsets.data(), l.columns.data(), l.values.data(),
                                static_cast<int>(u.columns.size()), u.offsets.data(), u.columns.data(), u.values.data(),
                                p.data(), q.data(), handle_),
            "cusolverRfSetupHost");
    require(
        cusolverRfResetValues(n_, entries_, offsets_.data(), columns_.data(), values_.data(), p_.data(), q_.data(), handle_),
        "cusolverRfResetValues");
    require(cusolverRfAnalyze(handle_), "cusolverRfAnalyze");
  }
  RfPeer(const RfPeer&) = delete;
  RfPeer& operator=(const RfPeer&) = delete;
  ~RfPeer() { cusolverRfDestroy(handle_); }

  /// Refactorizes with the values that it was made with.
  void refactorize() {
    require(
        cusolverRfResetValues(n_, entries_, offsets_.data(), columns_.data(), values_.data(), p_.data(), q_.data(), handle_),
        "cusolverRfResetValues");
    require(cusolverRfRefactor(handle_), "cusolverRfRefactor");
  }
  /// Replaces a right-hand side on the device by the solution.
  void solve(double* x) {
    require(cusolverRfSolve(handle_, p_.data(), q_.data(), 1, workspace_.data(), n_, x, n_), "cusolverRfSolve");
  }

 private:
  static void require(cusolverStatus_t code, const char* call) {
    if (code != CUSOLVER_STATUS_SUCCESS)
      throw std::runtime_error(std::string(call) + " failed with code " + std::to_string(code));
  }

  int n_;
  int entries_;
  DeviceIndices offsets_, columns_, p_, q_;
  Array<double> values_;
  Array<double> workspace_;
  cusolverRfHandle_t handle_ = nullptr;
};

}  // namespace gpusupernodal::bench
