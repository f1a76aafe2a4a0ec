/// \file
/// cuSOLVER's csrlsvchol: ordering, factorization and one solve in a single call, with A, b and x in device memory. The call
/// is measured as a whole because it has no phases.

#include <cusolverSp.h>
#include <cusparse.h>

#include "bench/peers/device.hpp"
#include "bench/peers/peer.hpp"

namespace gpusupernodal::bench {

namespace {

constexpr int reorder_by_nested_dissection = 3;

class CusolverPeer : public Peer {
 public:
  CusolverPeer(const Problem& problem, const PeerSettings&)
      : problem_(problem),
        full_(both_triangles(problem.a)),
        offsets_(full_.offsets),
        indices_(full_.indices),
        values_(full_.values),
        b_(problem.b),
        x_(problem.b.size()) {
    if (cusolverSpCreate(&handle_) != CUSOLVER_STATUS_SUCCESS ||
        cusparseCreateMatDescr(&matrix_) != CUSPARSE_STATUS_SUCCESS) {
      throw std::runtime_error("cuSOLVER cannot be started");
    }
  }
  ~CusolverPeer() override {
    cusparseDestroyMatDescr(matrix_);
    cusolverSpDestroy(handle_);
  }

  bool has_phases() const override { return false; }
  void everything() override {
    int singular_row = -1;
    const cusolverStatus_t status = cusolverSpDcsrlsvchol(
        handle_, static_cast<int>(problem_.n()), static_cast<int>(values_.size()), matrix_, values_.data(), offsets_.data(),
        indices_.data(), b_.data(), 0.0, reorder_by_nested_dissection, x_.data(), &singular_row);
    if (status == CUSOLVER_STATUS_ALLOC_FAILED) throw std::runtime_error("cuSOLVER has too little memory");
    if (status != CUSOLVER_STATUS_SUCCESS) throw std::runtime_error("cuSOLVER: status " + std::to_string(status));
    if (singular_row >= 0)
      throw std::runtime_error("cuSOLVER: not positive definite in row " + std::to_string(singular_row));
  }
  void analyze() override { no_phases(); }
  void factorize() override { no_phases(); }
  void refactorize() override { no_phases(); }
  void solve(int) override { no_phases(); }
  void finish() override { finish_device(); }
  std::vector<double> solution(int columns) override { return x_.first(static_cast<std::size_t>(problem_.n() * columns)); }
  Fields fields() override {
    int version = 0;
    cusolverGetVersion(&version);
    return {{"memory", watch_.taken()},
            {"version", std::to_string(version)},
            {"device", device_name()},
            {"settings", "csrlsvchol on the device, reorder 3 (csrmetisnd), one call"}};
  }

 private:
  struct Rows {
    std::vector<std::int32_t> offsets, indices;
    std::vector<double> values;
  };

  [[noreturn]] static void no_phases() { throw NotOffered("csrlsvchol is one call"); }

  static Rows both_triangles(const io::SymmetricMatrix& a) {
    const std::size_t n = static_cast<std::size_t>(a.n);
    Rows rows;
    rows.offsets.assign(n + 1, 0);
    const auto for_each = [&](const auto& visit) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t e = static_cast<std::size_t>(a.offsets[j]); e < static_cast<std::size_t>(a.offsets[j + 1]); ++e) {
          const std::size_t i = static_cast<std::size_t>(a.indices[e]);
          visit(i, j, a.values[e]);
          if (i != j) visit(j, i, a.values[e]);
        }
      }
    };
    for_each([&](std::size_t row, std::size_t, double) { ++rows.offsets[row + 1]; });
    for (std::size_t i = 0; i < n; ++i) rows.offsets[i + 1] += rows.offsets[i];
    rows.indices.resize(static_cast<std::size_t>(rows.offsets[n]));
    rows.values.resize(rows.indices.size());
    std::vector<std::int32_t> next(rows.offsets.begin(), rows.offsets.end() - 1);
    // Visiting the lower triangle by columns puts the entries of each row in ascending order.
    for_each([&](std::size_t row, std::size_t column, double value) {
      const std::size_t place = static_cast<std::size_t>(next[row]++);
      rows.indices[place] = static_cast<std::int32_t>(column);
      rows.values[place] = value;
    });
    return rows;
  }

  const Problem& problem_;
  Rows full_;
  DeviceArray<std::int32_t> offsets_, indices_;
  DeviceArray<double> values_, b_, x_;
  DeviceMemoryWatch watch_;
  cusolverSpHandle_t handle_ = nullptr;
  cusparseMatDescr_t matrix_ = nullptr;
};

}  // namespace

}  // namespace gpusupernodal::bench

int main(int argc, char** argv) {
  using namespace gpusupernodal::bench;
  return run_peer(argc, argv, {"cusolver", {"default"}, [](const Problem& problem, const PeerSettings& settings) {
                                 return std::unique_ptr<Peer>(std::make_unique<CusolverPeer>(problem, settings));
                               }});
}
