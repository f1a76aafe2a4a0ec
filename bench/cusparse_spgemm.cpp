#include "bench/cusparse_spgemm.hpp"

#include <cuda_runtime_api.h>
#include <cusparse.h>

#include <functional>
#include <stdexcept>

#include "bench/timing.hpp"

namespace gpusupernodal::bench {
namespace {

void require(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS) throw std::runtime_error(cusparseGetErrorString(status));
}

class Memory {
 public:
  explicit Memory(std::size_t bytes) {
    if (cudaMalloc(&data_, bytes + 16) == cudaSuccess) return;
    static_cast<void>(cudaGetLastError());
    throw std::runtime_error("no memory for " + std::to_string(bytes) + " bytes");
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { cudaFree(data_); }
  void* get() const { return data_; }

 private:
  void* data_ = nullptr;
};

/// One run of an algorithm; the time of its calls, with that of the device, is added up, allocations are not.
class Run {
 public:
  explicit Run(const SpgemmProblem& p) : p_(p) {
    require(cusparseCreate(&handle_));
    require(cusparseCreateCsr(&a_, p.rows, p.rows, p.entries, p.offsets, p.index, p.values, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    require(cusparseCreateCsr(&c_, p.rows, p.rows, 0, offsets_.get(), nullptr, nullptr, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    require(cusparseSpGEMM_createDescr(&plan_));
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() {
    cusparseSpGEMM_destroyDescr(plan_);
    cusparseDestroySpMat(a_);
    cusparseDestroySpMat(c_);
    cusparseDestroy(handle_);
  }

  void compute(cusparseSpGEMMAlg_t algorithm, SpgemmPeer& result) {
    const double one = 1.0, zero = 0.0;
    std::size_t first = 0, second = 0, third = 0;
    const auto estimate = [&](void* buffer) {
      add([&] {
        return cusparseSpGEMM_workEstimation(handle_, plain, plain, &one, a_, a_, &zero, c_, CUDA_R_64F, algorithm, plan_,
                                             &first, buffer);
      });
    };
    estimate(nullptr);
    const Memory buffer1(first);
    estimate(buffer1.get());
    std::size_t most = first;
    if (algorithm == CUSPARSE_SPGEMM_ALG2 || algorithm == CUSPARSE_SPGEMM_ALG3) {
      constexpr float chunk = 0.2F;
      const auto bound = [&](void* buffer, std::size_t* size) {
        add([&] {
          return cusparseSpGEMM_estimateMemory(handle_, plain, plain, &one, a_, a_, &zero, c_, CUDA_R_64F, algorithm, plan_,
                                               chunk, &third, buffer, size);
        });
      };
      bound(nullptr, nullptr);
      const Memory buffer3(third);
      bound(buffer3.get(), &second);
      most += third;
    } else {
      add([&] {
        return cusparseSpGEMM_compute(handle_, plain, plain, &one, a_, a_, &zero, c_, CUDA_R_64F, algorithm, plan_, &second,
                                      nullptr);
      });
    }
    const Memory buffer2(second);
    add([&] {
      return cusparseSpGEMM_compute(handle_, plain, plain, &one, a_, a_, &zero, c_, CUDA_R_64F, algorithm, plan_, &second,
                                    buffer2.get());
    });
    const Target target(c_, offsets_.get());
    add([&] { return cusparseSpGEMM_copy(handle_, plain, plain, &one, a_, a_, &zero, c_, CUDA_R_64F, algorithm, plan_); });
    result.buffer_bytes = static_cast<double>(std::max(most, first + second));
    result.entries = target.entries;
    result.total_seconds = seconds_;
  }

  void reuse(SpgemmPeer& result, int rounds) {
    constexpr cusparseSpGEMMAlg_t algorithm = CUSPARSE_SPGEMM_DEFAULT;
    const double one = 1.0, zero = 0.0;
    std::size_t size[5] = {};
    const auto estimate = [&](void* buffer) {
      add([&] {
        return cusparseSpGEMMreuse_workEstimation(handle_, plain, plain, a_, a_, c_, algorithm, plan_, &size[0], buffer);
      });
    };
    estimate(nullptr);
    const Memory buffer1(size[0]);
    estimate(buffer1.get());
    const auto count = [&](void* two, void* three, void* four) {
      add([&] {
        return cusparseSpGEMMreuse_nnz(handle_, plain, plain, a_, a_, c_, algorithm, plan_, &size[1], two, &size[2], three,
                                       &size[3], four);
      });
    };
    count(nullptr, nullptr, nullptr);
    const Memory buffer2(size[1]), buffer3(size[2]), buffer4(size[3]);
    count(buffer2.get(), buffer3.get(), buffer4.get());
    const Target target(c_, offsets_.get());
    const auto copy = [&](void* buffer) {
      add([&] { return cusparseSpGEMMreuse_copy(handle_, plain, plain, a_, a_, c_, algorithm, plan_, &size[4], buffer); });
    };
    copy(nullptr);
    const Memory buffer5(size[4]);
    copy(buffer5.get());
    const auto numbers = [&] {
      add([&] {
        return cusparseSpGEMMreuse_compute(handle_, plain, plain, &one, a_, a_, &zero, c_, CUDA_R_64F, algorithm, plan_);
      });
    };
    numbers();
    result.total_seconds = seconds_;
    result.entries = target.entries;
    for (const std::size_t bytes : size) result.buffer_bytes += static_cast<double>(bytes);
    std::vector<double> repeats;
    for (int r = 0; r < 2 * rounds + 1; ++r) {
      seconds_ = 0.0;
      numbers();
      repeats.push_back(seconds_);
    }
    result.repeat_seconds = median(repeats);
  }

 private:
  static constexpr cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

  /// Memory for C.
  struct Target {
    Target(cusparseSpMatDescr_t c, void* offsets) : entries(count(c)), index(4 * size()), values(8 * size()) {
      require(cusparseCsrSetPointers(c, offsets, index.get(), values.get()));
    }
    static std::int64_t count(cusparseSpMatDescr_t c) {
      std::int64_t rows = 0, columns = 0, entries = 0;
      require(cusparseSpMatGetSize(c, &rows, &columns, &entries));
      return entries;
    }
    std::size_t size() const { return static_cast<std::size_t>(entries); }
    std::int64_t entries;
    Memory index, values;
  };

  void add(const std::function<cusparseStatus_t()>& call) {
    cusparseStatus_t status = CUSPARSE_STATUS_SUCCESS;
    seconds_ += seconds_of([&] {
      status = call();
      cudaDeviceSynchronize();
    });
    require(status);
  }

  SpgemmProblem p_;
  Memory offsets_{4 * (static_cast<std::size_t>(p_.rows) + 1)};
  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t a_ = nullptr;
  cusparseSpMatDescr_t c_ = nullptr;
  cusparseSpGEMMDescr_t plan_ = nullptr;
  double seconds_ = 0.0;
};

template <class Call>
SpgemmPeer peer(const SpgemmProblem& problem, const char* kernel, const Call& call) {
  SpgemmPeer best;
  std::vector<double> totals;
  for (int r = 0; r < problem.rounds + 1; ++r) {
    SpgemmPeer now;
    now.kernel = kernel;
    try {
      Run run(problem);
      call(run, now);
    } catch (const std::exception& error) {
      static_cast<void>(cudaGetLastError());
      now.failure = error.what();
      return now;
    }
    if (r > 0) totals.push_back(now.total_seconds);
    best = now;
  }
  best.total_seconds = median(totals);
  return best;
}

}  // namespace

std::vector<SpgemmPeer> time_cusparse_spgemm(const SpgemmProblem& problem) {
  const auto with = [&](const char* kernel, cusparseSpGEMMAlg_t algorithm) {
    return peer(problem, kernel, [algorithm](Run& run, SpgemmPeer& result) { run.compute(algorithm, result); });
  };
  return {with("cusparse alg1", CUSPARSE_SPGEMM_ALG1), with("cusparse alg2", CUSPARSE_SPGEMM_ALG2),
          with("cusparse alg3", CUSPARSE_SPGEMM_ALG3),
          peer(problem, "cusparse reuse", [&](Run& run, SpgemmPeer& result) { run.reuse(result, problem.rounds); })};
}

}  // namespace gpusupernodal::bench
