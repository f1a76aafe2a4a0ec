#include <cuda_runtime_api.h>

#include <memory>
#include <optional>
#include <utility>

#include "gpusupernodal/build_config.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/spgemm_kernels.hpp"
#include "kernels/cuda/spmv_kernels.hpp"
#include "solver/backend/device_copy.hpp"
#include "solver/backend/metered_allocator.hpp"
#include "solver/cuda/run/device.hpp"
#include "solver/cuda/run/device_memory.hpp"
#include "solver/cuda/run/factor_replay.hpp"
#include "solver/cuda/run/product_pattern.hpp"

namespace gpusupernodal {
namespace cuda {
namespace {

/// The values of an operand, in the order of rows.
template <class S>
class OperandValues {
 public:
  /// `source`: the place of each value in the caller's array; empty: in the order of rows.
  void prepare(const RawVector<std::int32_t>& source, std::int64_t entries, std::int64_t input_values,
               const std::shared_ptr<Allocator>& allocator) {
    entries_ = entries;
    input_values_ = input_values;
    allocator_ = allocator;
    if (source.empty()) return;
    source_ = Buffer<std::int32_t>(allocator, entries, "the places of an operand's values");
    copy_to_device(source_.data(), source.data(), source.size() * sizeof(std::int32_t));
    copy_ = Buffer<S>(allocator, entries, "the values of an operand");
  }

  void set(const S* values, MemorySpace space, bool may_refer, cudaStream_t stream) {
    if (entries_ == 0) return;
    const bool is_sorted = source_.size() == 0;
    if (is_sorted && may_refer && space == MemorySpace::device) {
      now_ = values;
      return;
    }
    if (copy_.size() == 0) copy_ = Buffer<S>(allocator_, entries_, "the values of an operand");
    const std::int64_t bytes = input_values_ * static_cast<std::int64_t>(sizeof(S));
    if (is_sorted && space == MemorySpace::device) {
      GPUSUPERNODAL_CUDA_CHECK(
          cudaMemcpyAsync(copy_.data(), values, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice, stream));
    } else if (is_sorted) {
      copy_device_bytes(copy_.data(), MemorySpace::device, values, MemorySpace::host, bytes, stream);
    } else {
      gather(values, space, bytes, stream);
    }
    now_ = copy_.data();
  }

  /// Memory that holds the entries; now() is it from here on.
  S* writable() {
    if (copy_.size() == 0 && entries_ > 0) copy_ = Buffer<S>(allocator_, entries_, "the values of an operand");
    now_ = copy_.data();
    return copy_.data();
  }

  const S* now() const { return now_; }

 private:
  void gather(const S* values, MemorySpace space, std::int64_t bytes, cudaStream_t stream) {
    if (space == MemorySpace::host) {
      if (staging_.size() == 0) staging_ = Buffer<S>(allocator_, input_values_, "values on their way to a product");
      copy_device_bytes(staging_.data(), MemorySpace::device, values, MemorySpace::host, bytes, stream);
      values = staging_.data();
    }
    gather_values(values, source_.data(), entries_, copy_.data(), stream);
  }

  std::shared_ptr<Allocator> allocator_;
  std::int64_t entries_ = 0;
  std::int64_t input_values_ = 0;
  Buffer<std::int32_t> source_;
  Buffer<S> copy_;
  Buffer<S> staging_;  ///< For values from host memory in another order; taken when they first come.
  const S* now_ = nullptr;
};

template <class S>
class CudaProduct final : public ProductEngine<S> {
 public:
  /// Precondition: `device` is the current device and usable.
  CudaProduct(const ProductInput& input, const ProductEngineOptions& options, int device)
      : device_(device),
        on_device_(device),
        stream_(static_cast<cudaStream_t>(options.stream)),
        allocator_(
            std::make_shared<MeteredAllocator>(options.allocator ? options.allocator : make_device_allocator(device))),
        pattern_(input, sizeof(S), allocator_, stream_),
        values_(allocator_, pattern_.entries, "the values of a product") {
    left_.prepare(input.a.host.source, input.a.entries, input_values(input.a), allocator_);
    if (pattern_.is_normal) {
      right_.prepare({}, input.b.entries, input.b.entries, allocator_);
      right_.writable();
      d_ = Buffer<S>(allocator_, input.a.columns, "the diagonal of normal equations");
    } else {
      right_.prepare(input.b.host.source, input.b.entries, input_values(input.b), allocator_);
    }
    prepare_multiply_rows<S>(pattern_.block);
    prepare_sparse_values<S>();
    facts_.entries = pattern_.entries;
    facts_.products = pattern_.block_products * pattern_.block * pattern_.block * pattern_.block;
    facts_.block = pattern_.block;
    facts_.has_places = pattern_.place_bytes > 0;
    facts_.memory_bytes = allocator_->held();
    facts_.peak_bytes = allocator_->peak();
  }

  /// Work that was enqueued may use the memory.
  ~CudaProduct() override {
    on_device_.enter();
    static_cast<void>(synchronize_device());
  }

  MemorySpace space() const override { return MemorySpace::device; }
  const ProductFacts& facts() const override { return facts_; }
  void set_stream(void* stream) override { stream_ = static_cast<cudaStream_t>(stream); }

  void set_left(const S* values, MemorySpace space, bool may_refer) override {
    const DeviceGuard guard(device_);
    left_.set(values, space, may_refer, stream_);
  }
  void set_right(const S* values, MemorySpace space, bool may_refer) override {
    const DeviceGuard guard(device_);
    right_.set(values, space, may_refer, stream_);
  }

  void weigh(const S* d, MemorySpace space) override {
    const DeviceGuard guard(device_);
    if (space == MemorySpace::host && d_.size() > 0) {
      copy_device_bytes(d_.data(), MemorySpace::device, d, MemorySpace::host,
                        d_.size() * static_cast<std::int64_t>(sizeof(S)), stream_);
      d = d_.data();
    }
    scale_columns(left_.now(), pattern_.a.index.data(), pattern_.place_in_a.data(), d, pattern_.a.entries, right_.writable(),
                  stream_);
  }

  void compute(S shift) override {
    const DeviceGuard guard(device_);
    ProductValues<S> v;
    v.p = pattern_.operands();
    v.a = left_.now();
    v.b = right_.now();
    v.offsets = pattern_.row_offsets();
    v.index = pattern_.row_index();
    v.c = values_.data();
    v.before = pattern_.before.data();
    v.places = pattern_.places.data();
    v.place_bytes = pattern_.place_bytes;
    v.shift = shift;
    if (pattern_.a.rows == 0) return;
    const BinRows parts{pattern_.part_rows.data(), pattern_.part_count, 0};
    multiply_rows(v, parts, pattern_.part_firsts.data(), pattern_.part(), pattern_.block, 32, stream_);
    pattern_.bins.for_launches([&](const BinRows& rows) {
      multiply_rows(v, rows, nullptr, pattern_.part(), pattern_.block, pattern_.lanes, stream_);
    });
  }

  void wait() override {
    const DeviceGuard guard(device_);
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(stream_));
  }

  const std::int64_t* offsets() const override { return pattern_.offsets.data(); }
  const std::int32_t* index() const override { return pattern_.index.data(); }
  const S* values() const override { return values_.data(); }

 private:
  static std::int64_t input_values(const ProductOperand& operand) {
    return operand.on_device ? operand.entries : operand.host.input_values;
  }

  int device_;
  OnDevice on_device_;
  cudaStream_t stream_;
  std::shared_ptr<MeteredAllocator> allocator_;
  DeviceProductPattern pattern_;
  Buffer<S> values_;
  OperandValues<S> left_;
  OperandValues<S> right_;
  Buffer<S> d_;  ///< The diagonal of normal equations, if it comes from the host.
  ProductFacts facts_;
};

}  // namespace
}  // namespace cuda

template <class S>
std::unique_ptr<ProductEngine<S>> make_cuda_product(ProductInput input, const ProductEngineOptions& options) {
  const int device = cuda::choose_device(options.device);
  const cuda::DeviceGuard guard(device);
  return std::make_unique<cuda::CudaProduct<S>>(input, options, device);
}

#define INSTANTIATE(T) \
  template std::unique_ptr<ProductEngine<T>> make_cuda_product(ProductInput, const ProductEngineOptions&);
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

bool device_rows_ascend(const ProductOperand& operand, const ProductEngineOptions& options) {
  const int device = cuda::choose_device(options.device);
  const cuda::DeviceGuard guard(device);
  if (operand.rows == 0) return operand.entries == 0;
  const auto allocator = options.allocator ? options.allocator : cuda::make_device_allocator(device);
  const Buffer<std::int32_t> flag(allocator, 1, "a flag");
  const auto stream = static_cast<cudaStream_t>(options.stream);
  GPUSUPERNODAL_CUDA_CHECK(cudaMemsetAsync(flag.data(), 0, sizeof(std::int32_t), stream));
  cuda::check_product_rows(operand.offsets.narrow(), operand.offsets.wide(), operand.index, operand.rows, operand.columns,
                           operand.entries, flag.data(), stream);
  std::int32_t wrong = 0;
  copy_device_bytes(&wrong, MemorySpace::host, flag.data(), MemorySpace::device, sizeof wrong, options.stream);
  return wrong == 0;
}

}  // namespace gpusupernodal
