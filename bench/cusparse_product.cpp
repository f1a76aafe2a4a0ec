#include "bench/cusparse_product.hpp"

#include <cuda_runtime_api.h>
#include <cusparse.h>

#include <algorithm>
#include <stdexcept>

namespace gpusupernodal::bench {
namespace {

void require(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw std::runtime_error(std::string("cuSPARSE: ") + cusparseGetErrorString(status));
}

/// A device copy.
template <class T>
class Copy {
 public:
  explicit Copy(const std::vector<T>& host) : Copy(host.data(), host.size()) {}
  Copy(const T* host, std::size_t size) {
    if (cudaMalloc(&data_, size * sizeof(T) + 1) != cudaSuccess) throw std::runtime_error("no device memory for cuSPARSE");
    if (host != nullptr) cudaMemcpy(data_, host, size * sizeof(T), cudaMemcpyHostToDevice);
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  ~Copy() { cudaFree(data_); }
  T* get() const { return static_cast<T*>(data_); }

 private:
  void* data_ = nullptr;
};

/// Columns and values of slices of 32 rows; −1 marks padding.
struct SlicedEll {
  std::vector<std::int32_t> offsets{0};
  std::vector<std::int32_t> index;
  std::vector<double> values;

  explicit SlicedEll(const PeerProblem& p) {
    constexpr std::int32_t slice = 32;
    for (std::int32_t first = 0; first < p.rows; first += slice) {
      std::int32_t width = 0;
      for (std::int32_t i = first; i < std::min(p.rows, first + slice); ++i)
        width = std::max(width, p.offsets[i + 1] - p.offsets[i]);
      const std::size_t begin = index.size();
      index.resize(begin + static_cast<std::size_t>(width) * slice, -1);
      values.resize(index.size(), 0.0);
      for (std::int32_t i = first; i < std::min(p.rows, first + slice); ++i) {
        for (std::int32_t e = p.offsets[i]; e < p.offsets[i + 1]; ++e) {
          const std::size_t at =
              begin + static_cast<std::size_t>(e - p.offsets[i]) * slice + static_cast<std::size_t>(i - first);
          index[at] = p.index[e];
          values[at] = p.values[e];
        }
      }
      offsets.push_back(static_cast<std::int32_t>(index.size()));
    }
  }
};

class Peer {
 public:
  Peer(const PeerProblem& p, const std::function<double(const std::function<void()>&)>& seconds_of)
      : seconds_of_(seconds_of) {
    require(cusparseCreate(&handle_));
    require(cusparseCreateDnVec(&x_, p.columns, const_cast<double*>(p.device_x), CUDA_R_64F));
    require(cusparseCreateDnVec(&y_, p.rows, p.device_y, CUDA_R_64F));
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() {
    cusparseDestroyDnVec(x_);
    cusparseDestroyDnVec(y_);
    cusparseDestroy(handle_);
  }

  PeerProduct time(cusparseSpMatDescr_t a, cusparseSpMVAlg_t algorithm, const char* kernel) {
    const double one = 1.0, zero = 0.0;
    std::size_t bytes = 0;
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    require(cusparseSpMV_bufferSize(handle_, plain, &one, a, x_, &zero, y_, CUDA_R_64F, algorithm, &bytes));
    const Copy<char> buffer(nullptr, bytes + 1);
    require(cusparseSpMV_preprocess(handle_, plain, &one, a, x_, &zero, y_, CUDA_R_64F, algorithm, buffer.get()));
    return {kernel, seconds_of_([&] {
              require(cusparseSpMV(handle_, plain, &one, a, x_, &zero, y_, CUDA_R_64F, algorithm, buffer.get()));
            })};
  }

 private:
  std::function<double(const std::function<void()>&)> seconds_of_;
  cusparseHandle_t handle_ = nullptr;
  cusparseDnVecDescr_t x_ = nullptr;
  cusparseDnVecDescr_t y_ = nullptr;
};

/// Products with several vectors.
class ManyPeer {
 public:
  ManyPeer(const PeerProblem& p, const std::function<double(const std::function<void()>&)>& seconds_of)
      : p_(p), seconds_of_(seconds_of) {
    require(cusparseCreate(&handle_));
  }
  ManyPeer(const ManyPeer&) = delete;
  ManyPeer& operator=(const ManyPeer&) = delete;
  ~ManyPeer() { cusparseDestroy(handle_); }

  PeerProduct time(cusparseSpMatDescr_t a, cusparseSpMMAlg_t algorithm, cusparseOrder_t order, const char* kernel) {
    const bool by_rows = order == CUSPARSE_ORDER_ROW;
    cusparseDnMatDescr_t x = nullptr, y = nullptr;
    require(cusparseCreateDnMat(&x, p_.columns, p_.vectors, by_rows ? p_.vectors : p_.columns,
                                const_cast<double*>(p_.device_x), CUDA_R_64F, order));
    require(cusparseCreateDnMat(&y, p_.rows, p_.vectors, by_rows ? p_.vectors : p_.rows, p_.device_y, CUDA_R_64F, order));
    const double one = 1.0, zero = 0.0;
    std::size_t bytes = 0;
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    require(cusparseSpMM_bufferSize(handle_, plain, plain, &one, a, x, &zero, y, CUDA_R_64F, algorithm, &bytes));
    const Copy<char> buffer(nullptr, bytes + 1);
    require(cusparseSpMM_preprocess(handle_, plain, plain, &one, a, x, &zero, y, CUDA_R_64F, algorithm, buffer.get()));
    const PeerProduct result{
        kernel, seconds_of_([&] {
          require(cusparseSpMM(handle_, plain, plain, &one, a, x, &zero, y, CUDA_R_64F, algorithm, buffer.get()));
        })};
    require(cusparseDestroyDnMat(x));
    require(cusparseDestroyDnMat(y));
    return result;
  }

 private:
  PeerProblem p_;
  std::function<double(const std::function<void()>&)> seconds_of_;
  cusparseHandle_t handle_ = nullptr;
};

std::vector<PeerProduct> time_many(const PeerProblem& p, cusparseSpMatDescr_t csr,
                                   const std::function<double(const std::function<void()>&)>& seconds_of) {
  ManyPeer peer(p, seconds_of);
  return {peer.time(csr, CUSPARSE_SPMM_CSR_ALG1, CUSPARSE_ORDER_COL, "cusparse csr alg1"),
          peer.time(csr, CUSPARSE_SPMM_CSR_ALG2, CUSPARSE_ORDER_COL, "cusparse csr alg2"),
          peer.time(csr, CUSPARSE_SPMM_CSR_ALG3, CUSPARSE_ORDER_COL, "cusparse csr alg3"),
          peer.time(csr, CUSPARSE_SPMM_CSR_ALG2, CUSPARSE_ORDER_ROW, "cusparse csr by rows alg2"),
          peer.time(csr, CUSPARSE_SPMM_CSR_ALG3, CUSPARSE_ORDER_ROW, "cusparse csr by rows alg3")};
}

}  // namespace

std::vector<PeerProduct> time_cusparse(const PeerProblem& p,
                                       const std::function<double(const std::function<void()>&)>& seconds_of) {
  Peer peer(p, seconds_of);
  std::vector<PeerProduct> result;
  const std::int32_t entries = p.offsets[p.rows];
  const auto count = static_cast<std::size_t>(entries);
  const Copy<std::int32_t> offsets(p.offsets, static_cast<std::size_t>(p.rows) + 1), index(p.index, count);
  const Copy<double> values(p.values, count);
  cusparseSpMatDescr_t csr = nullptr;
  require(cusparseCreateCsr(&csr, p.rows, p.columns, entries, offsets.get(), index.get(), values.get(), CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
  if (p.vectors > 1) {
    result = time_many(p, csr, seconds_of);
    require(cusparseDestroySpMat(csr));
    return result;
  }
  result.push_back(peer.time(csr, CUSPARSE_SPMV_CSR_ALG1, "cusparse csr alg1"));
  result.push_back(peer.time(csr, CUSPARSE_SPMV_CSR_ALG2, "cusparse csr alg2"));
  require(cusparseDestroySpMat(csr));
  const SlicedEll sliced(p);
  const Copy<std::int32_t> slice_offsets(sliced.offsets), slice_index(sliced.index);
  const Copy<double> slice_values(sliced.values);
  cusparseSpMatDescr_t sell = nullptr;
  require(cusparseCreateSlicedEll(&sell, p.rows, p.columns, entries, static_cast<std::int64_t>(sliced.index.size()), 32,
                                  slice_offsets.get(), slice_index.get(), slice_values.get(), CUSPARSE_INDEX_32I,
                                  CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
  result.push_back(peer.time(sell, CUSPARSE_SPMV_SELL_ALG1, "cusparse sell 32"));
  require(cusparseDestroySpMat(sell));
  return result;
}

}  // namespace gpusupernodal::bench
