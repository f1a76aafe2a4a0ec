#include <cuda_runtime_api.h>

#include <span>
#include <vector>

#include "gpusupernodal/build_config.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/spmv_kernels.hpp"
#include "solver/backend/buffer.hpp"
#include "solver/backend/device_copy.hpp"
#include "solver/cuda/run/device.hpp"
#include "solver/cuda/run/device_memory.hpp"
#include "solver/cuda/run/factor_replay.hpp"
#include "solver/sparse/sparse_apply.hpp"

namespace gpusupernodal {
namespace cuda {
namespace {

template <class Element>
std::int64_t padded_bytes(std::int64_t count) {
  const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(Element));
  return (bytes + Slab::alignment - 1) / Slab::alignment * Slab::alignment;
}

template <class Array>
std::int64_t padded_bytes_of(const Array& array) {
  return padded_bytes<typename Array::value_type>(static_cast<std::int64_t>(array.size()));
}

std::int64_t carries_of(const SparseLayout& layout) {
  return layout.format == Format::coo ? 2 * coo_chunks(layout.stored_values) : 0;
}

template <class S>
std::int64_t slab_bytes(const SparseLayout& layout) {
  return padded_bytes_of(layout.offsets) + padded_bytes_of(layout.index) + padded_bytes_of(layout.delta) +
         padded_bytes_of(layout.order) + padded_bytes_of(layout.source) + padded_bytes<S>(layout.stored_values) +
         padded_bytes<S>(carries_of(layout));
}

/// A matrix of which more than this part of L2 would be taken is streamed through it.
constexpr double cached_part = 0.7;

bool exceeds_cache(std::int64_t bytes, int device) {
  int cache = 0;
  GPUSUPERNODAL_CUDA_CHECK(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device));
  return static_cast<double>(bytes) > cached_part * cache;
}

/// The values and index arrays of one format on the current device.
template <class S>
class DevicePart {
 public:
  DevicePart(const SparseLayout& layout, const std::shared_ptr<Allocator>& allocator, int device)
      : format_(layout.format), slab_(allocator, slab_bytes<S>(layout), "a sparse operator") {
    arrays_.rows = layout.rows;
    arrays_.columns = layout.columns;
    arrays_.width = layout.width;
    arrays_.block = layout.block;
    arrays_.units = layout.units;
    arrays_.symmetric = layout.symmetric;
    arrays_.stored_values = layout.stored_values;
    arrays_.offsets = slab_.upload(std::span<const std::int32_t>(layout.offsets));
    arrays_.index = slab_.upload(std::span<const std::int32_t>(layout.index));
    arrays_.delta = slab_.upload(std::span<const std::uint16_t>(layout.delta));
    if (!layout.order.empty()) arrays_.order = slab_.upload(std::span<const std::int32_t>(layout.order));
    if (!layout.source.empty()) source_ = slab_.upload(std::span<const std::int32_t>(layout.source));
    arrays_.values = values_ = slab_.take<S>(layout.stored_values);
    carries_ = slab_.take<S>(carries_of(layout));
    arrays_.streamed =
        exceeds_cache(layout.index_bytes() + layout.stored_values * static_cast<std::int64_t>(sizeof(S)), device);
    prepare();
  }

  std::int64_t bytes() const { return slab_.size(); }
  S* plain_values() const { return source_ == nullptr ? values_ : nullptr; }  ///< Where values need no gather.

  void gather(const S* values, cudaStream_t stream) const {
    gather_values(values, source_, arrays_.stored_values, values_, stream);
  }

  bool adds() const { return format_ == Format::coo; }  ///< Products are added to y, which was scaled before.

  void multiply(const ProductVectors<S>& v, cudaStream_t stream) const {
    switch (format_) {
      case Format::csr:
        return csr_product(arrays_, v, stream);
      case Format::dia:
        return dia_product(arrays_, v, stream);
      case Format::block:
        return block_product(arrays_, v, stream);
      case Format::coo:
        for (std::int32_t c = 0; c < v.columns; ++c)
          add_coo_product(arrays_, v.alpha, v.x + c * v.ld_x, v.y + c * v.ld_y, carries_, stream);
        return;
      default:
        return sell_product(arrays_, v, stream);
    }
  }

  /// CTAs that write partial sums; 0: the product has none.
  int dot_blocks() const {
    switch (format_) {
      case Format::csr:
        return csr_dot_blocks(arrays_);
      case Format::dia:
        return dia_dot_blocks(arrays_);
      case Format::coo:
        return 0;
      default:
        return sell_dot_blocks(arrays_);
    }
  }

 private:
  void prepare() const {
    prepare_sparse_values<S>();
    switch (format_) {
      case Format::csr:
        return prepare_csr_product<S>();
      case Format::dia:
        return prepare_dia_product<S>();
      case Format::block:
        return prepare_block_product<S>();
      case Format::coo:
        return prepare_coo_product<S>();
      default:
        return prepare_sell_product<S>();
    }
  }

  Format format_;
  Slab slab_;
  SparseArrays<S> arrays_;
  const std::int32_t* source_ = nullptr;
  S* values_ = nullptr;
  S* carries_ = nullptr;
};

template <class S>
class CudaApply final : public SparseApply<S> {
 public:
  /// Precondition: `device` is the current device and usable.
  CudaApply(const SparseLayout& layout, const ApplyOptions& options, int device)
      : device_(device),
        on_device_(device),
        stream_(static_cast<cudaStream_t>(options.stream)),
        allocator_(options.allocator ? options.allocator : make_device_allocator(device)),
        rows_(layout.rows),
        columns_(layout.columns),
        input_values_(layout.input_values) {
    parts_.reserve(1 + layout.rest.size());
    parts_.emplace_back(layout, allocator_, device);
    for (const SparseLayout& more : layout.rest) parts_.emplace_back(more, allocator_, device);
  }

  /// Work that was enqueued may use the memory.
  ~CudaApply() override {
    on_device_.enter();
    static_cast<void>(synchronize_device());
  }

  MemorySpace space() const override { return MemorySpace::device; }
  std::int64_t rows() const override { return rows_; }
  std::int64_t columns() const override { return columns_; }
  std::int64_t memory_bytes() const override {
    std::int64_t bytes = staging_.size() * static_cast<std::int64_t>(sizeof(S));
    for (const DevicePart<S>& part : parts_) bytes += part.bytes();
    return bytes;
  }
  void set_stream(void* stream) override { stream_ = static_cast<cudaStream_t>(stream); }

  void update(const S* values, MemorySpace value_space) override {
    if (input_values_ == 0) return;
    const DeviceGuard guard(device_);
    const std::int64_t bytes = input_values_ * static_cast<std::int64_t>(sizeof(S));
    if (S* const plain = parts_.front().plain_values(); plain != nullptr && parts_.size() == 1) {
      if (value_space == MemorySpace::host)
        return copy_device_bytes(plain, MemorySpace::device, values, MemorySpace::host, bytes, stream_);
      GPUSUPERNODAL_CUDA_CHECK(
          cudaMemcpyAsync(plain, values, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice, stream_));
      return;
    }
    if (value_space == MemorySpace::host) {
      if (staging_.size() == 0) staging_ = Buffer<S>(allocator_, input_values_, "values on their way to a sparse operator");
      copy_device_bytes(staging_.data(), MemorySpace::device, values, MemorySpace::host, bytes, stream_);
      values = staging_.data();
    }
    for (const DevicePart<S>& part : parts_) part.gather(values, stream_);
  }

  void multiply(S alpha, const DenseView<const S>& x, S beta, const DenseView<S>& y) override {
    run({alpha, x.data, x.ld, beta, y.data, y.ld, static_cast<std::int32_t>(y.cols), nullptr});
  }

  std::int32_t dot_partials() const override {
    const int own = parts_.size() == 1 ? parts_.front().dot_blocks() : 0;
    return own > 0 ? own : row_dot_blocks(static_cast<std::int32_t>(rows_));
  }

  void multiply_dot(const S* x, S* y, double* partials) override {
    const bool own = parts_.size() == 1 && parts_.front().dot_blocks() > 0;
    run({S(1), x, columns_, S(0), y, rows_, 1, own && rows_ > 0 ? partials : nullptr});
    if (own && rows_ > 0) return;
    const DeviceGuard guard(device_);
    dot_rows(x, y, static_cast<std::int32_t>(rows_), partials, stream_);
  }

  void wait() override {
    const DeviceGuard guard(device_);
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(stream_));
  }
  Buffer<S> scratch(std::int64_t size, std::shared_ptr<Allocator> allocator, const char* what) const override {
    const DeviceGuard guard(device_);
    return Buffer<S>(allocator ? std::move(allocator) : make_device_allocator(device_), size, what);
  }

 private:
  void run(const ProductVectors<S>& v) {
    if (rows_ == 0 || v.columns == 0) return;
    const DeviceGuard guard(device_);
    const bool multiplies = v.alpha != S(0);
    if (!multiplies || parts_.front().adds()) scale_rows(static_cast<std::int32_t>(rows_), v, stream_);
    if (!multiplies) return;
    for (const DevicePart<S>& part : parts_) part.multiply(v, stream_);
  }

  int device_;
  OnDevice on_device_;
  cudaStream_t stream_;
  std::shared_ptr<Allocator> allocator_;
  std::int64_t rows_;
  std::int64_t columns_;
  std::int64_t input_values_;
  std::vector<DevicePart<S>> parts_;  ///< One, or two for hyb.
  Buffer<S> staging_;                 ///< For values from host memory; taken when they first come.
};

}  // namespace
}  // namespace cuda

template <class S>
std::unique_ptr<SparseApply<S>> make_cuda_apply(const SparseLayout& layout, const ApplyOptions& options) {
  const int device = cuda::choose_device(options.device);
  const cuda::DeviceGuard guard(device);
  return std::make_unique<cuda::CudaApply<S>>(layout, options, device);
}

#define INSTANTIATE(T) template std::unique_ptr<SparseApply<T>> make_cuda_apply(const SparseLayout&, const ApplyOptions&);
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal
