/// \file
/// cuDSS with A, b and x in device memory: with its ordering, in its deterministic mode, and with our permutation, with and
/// without the corresponding separator tree.

#include <cudss.h>

#include <cstring>
#include <thread>

#include "base/stopwatch.hpp"
#include "bench/peers/device.hpp"
#include "bench/peers/partition_tree.hpp"
#include "bench/peers/peer.hpp"
#include "bench/peers/permutation_file.hpp"

namespace gpusupernodal::bench {

namespace {

void check(cudssStatus_t status) {
  if (status == CUDSS_STATUS_NOT_SUPPORTED) throw NotOffered("cuDSS does not support it");
  if (status != CUDSS_STATUS_SUCCESS) throw std::runtime_error("cuDSS: status " + std::to_string(status));
}

constexpr int max_levels = 10;

/// Number of levels of the separator tree: cuDSS's default, reduced (but not below 2) until the parts of the deepest level
/// have at least eight unknowns on average.
int levels_for(std::int64_t n) {
  int levels = 2;
  while (levels < max_levels && (n >> levels) >= 8) ++levels;
  return levels;
}

class CudssPeer : public Peer {
 public:
  CudssPeer(const Problem& problem, const PeerSettings& settings)
      : problem_(problem),
        mode_(settings.mode),
        offsets_(std::vector<std::int32_t>(problem.a.offsets.begin(), problem.a.offsets.end())),
        indices_(problem.a.indices),
        values_(problem.a.values),
        b_(problem.b),
        x_(problem.b.size()),
        threads_(settings.threads > 0 ? settings.threads : static_cast<int>(std::thread::hardware_concurrency())) {
    take_permutation(settings.permutation_file);
    check(cudssCreate(&handle_));
    threaded_ =
        cudssSetThreadingLayer(handle_, std::getenv("CUDSS_THREADING_LIB") ? nullptr : "libcudss_mtlayer_gomp.so.1") ==
        CUDSS_STATUS_SUCCESS;
    check(cudssConfigCreate(&config_));
    check(cudssConfigSet(config_, CUDSS_CONFIG_HOST_NTHREADS, &threads_, sizeof(threads_)));
    const int deterministic = mode_ == "deterministic" ? 1 : 0;
    check(cudssConfigSet(config_, CUDSS_CONFIG_DETERMINISTIC_MODE, &deterministic, sizeof(deterministic)));
    // The lower triangle by columns is the upper triangle by rows.
    check(cudssMatrixCreateCsr(&matrix_, problem.n(), problem.n(), static_cast<std::int64_t>(values_.size()),
                               offsets_.data(), nullptr, indices_.data(), values_.data(), CUDA_R_32I, CUDA_R_32I, CUDA_R_64F,
                               CUDSS_MTYPE_SPD, CUDSS_MVIEW_UPPER, CUDSS_BASE_ZERO));
    for (const int columns : {1, problem.columns}) {
      Vectors& v = columns == 1 ? one_ : many_;
      check(cudssMatrixCreateDn(&v.b, problem.n(), columns, problem.n(), b_.data(), CUDA_R_64F, CUDSS_LAYOUT_COL_MAJOR));
      check(cudssMatrixCreateDn(&v.x, problem.n(), columns, problem.n(), x_.data(), CUDA_R_64F, CUDSS_LAYOUT_COL_MAJOR));
      if (problem.columns == 1) break;
    }
  }
  ~CudssPeer() override {
    if (data_ != nullptr) cudssDataDestroy(handle_, data_);
    for (cudssMatrix_t m : {matrix_, one_.b, one_.x, many_.b, many_.x}) {
      if (m != nullptr) cudssMatrixDestroy(m);
    }
    cudssConfigDestroy(config_);
    cudssDestroy(handle_);
  }

  void analyze() override {
    if (data_ != nullptr) check(cudssDataDestroy(handle_, data_));
    data_ = nullptr;
    check(cudssDataCreate(handle_, &data_));
    if (!tree_.old_of_new.empty()) give_permutation();
    Stopwatch watch;
    execute(CUDSS_PHASE_REORDERING, one_);
    finish_device();
    reorder_ = watch.lap();
    execute(CUDSS_PHASE_SYMBOLIC_FACTORIZATION, one_);
    finish_device();
    symbolic_ = watch.lap();
  }
  void factorize() override { execute(CUDSS_PHASE_FACTORIZATION, one_); }
  void refactorize() override { execute(CUDSS_PHASE_REFACTORIZATION, one_); }
  void solve(int columns) override { execute(CUDSS_PHASE_SOLVE, columns == 1 ? one_ : many_); }
  void finish() override { finish_device(); }
  std::vector<double> solution(int columns) override {
    int info = 0;
    check(cudssDataGet(handle_, data_, CUDSS_DATA_INFO, &info, sizeof(info), nullptr));
    if (info != 0) throw std::runtime_error("cuDSS: the factorization failed, info " + std::to_string(info));
    return x_.first(static_cast<std::size_t>(problem_.n() * columns));
  }

  Fields fields() override {
    Fields fields = {{"reorder", reorder_}, {"symbolic", symbolic_}, {"memory", watch_.taken()}, {"device", device_name()}};
    std::int64_t entries = 0;
    if (get(CUDSS_DATA_LU_NNZ, entries)) fields["nnz_l"] = entries;
    double flops = 0.0;
    if (get_flops(flops)) fields["flops"] = flops;
    std::int64_t estimates[16] = {};
    if (get(CUDSS_DATA_MEMORY_ESTIMATES, estimates)) fields["memory_said"] = estimates[1];
    int version[3] = {};
    cudssGetProperty(MAJOR_VERSION, &version[0]);
    cudssGetProperty(MINOR_VERSION, &version[1]);
    cudssGetProperty(PATCH_LEVEL, &version[2]);
    fields["version"] = std::to_string(version[0]) + "." + std::to_string(version[1]) + "." + std::to_string(version[2]);
    fields["settings"] = settings();
    return fields;
  }

 private:
  struct Vectors {
    cudssMatrix_t b = nullptr, x = nullptr;
  };

  void execute(int phase, const Vectors& v) { check(cudssExecute(handle_, phase, config_, data_, matrix_, v.x, v.b)); }

  void take_permutation(const std::string& file) {
    if ((mode_ != "permutation" && mode_ != "tree") || file.empty()) return;
    const std::vector<std::int64_t> ours = read_permutation(file, problem_.n()).old_of_new;
    if (ours.empty()) throw NotOffered("there is no permutation in " + file);
    if (mode_ == "tree") {
      tree_ = find_partition_tree(problem_.a, ours, levels_for(problem_.n()));
    } else {
      tree_.old_of_new.assign(ours.begin(), ours.end());
    }
  }
  void give_permutation() {
    check(cudssDataSet(handle_, data_, CUDSS_DATA_USER_PERM, tree_.old_of_new.data(),
                       tree_.old_of_new.size() * sizeof(std::int32_t)));
    if (tree_.sizes.empty()) return;
    check(cudssConfigSet(config_, CUDSS_CONFIG_ND_NLEVELS, &tree_.levels, sizeof(tree_.levels)));
    check(cudssDataSet(handle_, data_, CUDSS_DATA_USER_ND_PARTITION_TREE, tree_.sizes.data(),
                       tree_.sizes.size() * sizeof(std::int32_t)));
  }

  template <class T>
  bool get(cudssDataParam_t what, T& value) {
    return cudssDataGet(handle_, data_, what, &value, sizeof(value), nullptr) == CUDSS_STATUS_SUCCESS;
  }
  /// The header does not say whether the value is an integer or a double. The bits of a double of at least 1 read as an
  /// integer above 2^60, more flops than any factorization has.
  bool get_flops(double& flops) {
    std::int64_t bits = 0;
    if (!get(CUDSS_DATA_FLOPS, bits)) return false;
    if (bits < (std::int64_t{1} << 60)) {
      flops = static_cast<double>(bits);
    } else {
      std::memcpy(&flops, &bits, sizeof(flops));
    }
    return true;
  }

  std::string settings() const {
    std::string text =
        threaded_ ? "threading layer gomp, " + std::to_string(threads_) + " host threads" : "no threading layer";
    if (mode_ == "deterministic") text += ", deterministic mode";
    if (mode_ == "permutation") text += ", our permutation";
    if (mode_ == "tree") text += ", our permutation and its partition tree of " + std::to_string(tree_.levels) + " levels";
    return text;
  }

  const Problem& problem_;
  std::string mode_;
  DeviceArray<std::int32_t> offsets_, indices_;
  DeviceArray<double> values_, b_, x_;
  DeviceMemoryWatch watch_;
  int threads_;
  bool threaded_ = false;
  PartitionTree tree_;
  cudssHandle_t handle_ = nullptr;
  cudssConfig_t config_ = nullptr;
  cudssData_t data_ = nullptr;
  cudssMatrix_t matrix_ = nullptr;
  Vectors one_, many_;
  double reorder_ = 0.0, symbolic_ = 0.0;
};

}  // namespace

}  // namespace gpusupernodal::bench

int main(int argc, char** argv) {
  using namespace gpusupernodal::bench;
  return run_peer(argc, argv,
                  {"cudss",
                   {"default", "deterministic", "permutation", "tree"},
                   [](const Problem& problem, const PeerSettings& settings) {
                     return std::unique_ptr<Peer>(std::make_unique<CudssPeer>(problem, settings));
                   }});
}
