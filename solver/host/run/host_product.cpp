#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/thread_team.hpp"
#include "gpusupernodal/build_config.hpp"
#include "kernels/host/matrix_product.hpp"
#include "solver/backend/buffer.hpp"
#include "solver/host/run/host_allocator.hpp"
#include "solver/host/run/workers.hpp"
#include "solver/sparse/block_pattern.hpp"
#include "solver/sparse/exact_blocks.hpp"
#include "solver/sparse/normal_lists.hpp"
#include "solver/sparse/product_engine.hpp"
#include "solver/sparse/row_marker.hpp"

namespace gpusupernodal {
namespace {

/// Threads take pieces of about this many products of blocks.
constexpr std::int64_t piece_products = 16384;

template <class Array>
std::int64_t bytes_of(const Array& array) {
  return static_cast<std::int64_t>(array.size() * sizeof(typename Array::value_type));
}

std::int64_t bytes_of(const BlockPattern& pattern) { return bytes_of(pattern.offsets) + bytes_of(pattern.index); }

template <class Element>
std::int64_t bytes_of(const Buffer<Element>& buffer) {
  return buffer.size() * static_cast<std::int64_t>(sizeof(Element));
}

template <class S>
class HostProduct final : public ProductEngine<S> {
 public:
  HostProduct(ProductInput input, const ProductEngineOptions& options)
      : allocator_(options.allocator ? options.allocator : default_host_allocator()), is_normal_(input.is_normal) {
    const RowPattern &a = input.a.host, &b = input.b.host;
    for (const std::int32_t block : product_blocks) {
      if (facts_.block == 1 && !is_normal_ && a.entries() > 0 && has_exact_blocks(a, block) && has_exact_blocks(b, block))
        facts_.block = block;
    }
    a_ = make_block_pattern(a, facts_.block);
    b_ = make_block_pattern(b, facts_.block);
    matrices_bytes_ = matrix_bytes(a.rows, a.entries(), sizeof(S)) + matrix_bytes(b.rows, b.entries(), sizeof(S));
    a_source_ = std::move(input.a.host.source);
    b_source_ = std::move(input.b.host.source);
    if (is_normal_) lists_ = normal_lists(a, b);
    count_products();
    const auto most = std::clamp<std::int64_t>(before_.back() / piece_products, 1, worker_count(options.threads));
    team_.emplace(static_cast<int>(most));
    find_pattern();
  }

  MemorySpace space() const override { return MemorySpace::host; }
  const ProductFacts& facts() const override { return facts_; }
  void set_stream(void*) override {}
  void wait() override {}

  void set_left(const S* values, MemorySpace, bool may_refer) override {
    left_ = take(values, entries_of(a_), a_source_, may_refer, a_copy_);
  }
  void set_right(const S* values, MemorySpace, bool may_refer) override {
    right_ = take(values, entries_of(b_), b_source_, may_refer, b_copy_);
  }
  void weigh(const S* d, MemorySpace) override {
    if (b_copy_.size() == 0) b_copy_ = Buffer<S>(allocator_, entries_of(b_), "the weighted matrix of normal equations");
    const S* const a = left_;
    for_rows(b_.rows, b_.blocks(), [&](std::int64_t k) {
      for (std::int32_t t = b_.offsets[at(k)]; t < b_.offsets[at(k + 1)]; ++t) b_copy_[t] = a[lists_.places[at(t)]] * d[k];
    });
    right_ = b_copy_.data();
  }

  void compute(S shift) override {
    switch (facts_.block) {
      case 1:
        return compute_blocks<1>(shift);
      case 2:
        return compute_blocks<2>(shift);
      case 3:
        return compute_blocks<3>(shift);
      default:
        return compute_blocks<6>(shift);
    }
  }

  const std::int64_t* offsets() const override { return offsets_.data(); }
  const std::int32_t* index() const override { return index_.data(); }
  const S* values() const override { return values_.data(); }

 private:
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  std::int64_t entries_of(const BlockPattern& pattern) const { return pattern.blocks() * facts_.block * facts_.block; }

  std::int32_t used(std::int32_t e) const {
    const std::int32_t k = a_.index[at(e)];
    return is_normal_ ? lists_.lengths[at(e)] : b_.offsets[at(k + 1)] - b_.offsets[at(k)];
  }

  void count_products() {
    before_.resize(at(a_.rows) + 1);
    before_[0] = 0;
    for (std::int32_t i = 0; i < a_.rows; ++i) {
      std::int64_t sum = before_[at(i)];
      for (std::int32_t e = a_.offsets[at(i)]; e < a_.offsets[at(i + 1)]; ++e) sum += used(e);
      before_[at(i + 1)] = sum;
    }
    facts_.products = before_.back() * facts_.block * facts_.block * facts_.block;
  }

  /// Calls work(row) for all rows on the team, as many rows at a time as make a piece of the whole work.
  template <class Work>
  void for_rows(std::int64_t rows, std::int64_t whole_work, const Work& work) {
    for_rows_of_workers(rows, whole_work, [&work](int, std::int64_t i) { work(i); });
  }
  template <class Work>
  void for_rows_of_workers(std::int64_t rows, std::int64_t whole_work, const Work& work) {
    const std::int64_t step =
        std::clamp<std::int64_t>(rows * piece_products / std::max<std::int64_t>(whole_work, 1), 1, 4096);
    std::atomic<std::int64_t> next{0};
    const auto run = [&](int worker) {
      for (std::int64_t first = next.fetch_add(step); first < rows; first = next.fetch_add(step)) {
        for (std::int64_t i = first; i < std::min(rows, first + step); ++i) work(worker, i);
      }
    };
    team_->run(static_cast<int>(std::clamp<std::int64_t>((rows + step - 1) / step, 1, team_->count())), std::cref(run));
  }

  void mark_row(RowMarker& marker, std::int64_t i) const {
    for (std::int32_t e = a_.offsets[at(i)]; e < a_.offsets[at(i + 1)]; ++e) {
      const std::int32_t begin = b_.offsets[at(a_.index[at(e)])];
      for (std::int32_t f = begin; f < begin + used(e); ++f) marker.mark(b_.index[at(f)]);
    }
    if (is_normal_) marker.mark(static_cast<std::int32_t>(i));
  }

  void find_pattern() {
    std::vector<RowMarker> markers(at(team_->count()), RowMarker(b_.columns));
    block_offsets_ = Buffer<std::int64_t>(allocator_, a_.rows + std::int64_t{1}, "the rows of a product");
    block_offsets_[0] = 0;
    for_rows_of_workers(a_.rows, before_.back(), [&](int worker, std::int64_t i) {
      RowMarker& marker = markers[at(worker)];
      mark_row(marker, i);
      block_offsets_[i + 1] = marker.number();
      marker.clear();
    });
    std::int64_t longest = 0;
    for (std::int64_t i = 0; i < a_.rows; ++i) {
      longest = std::max(longest, block_offsets_[i + 1]);
      block_offsets_[i + 1] += block_offsets_[i];
    }
    choose_places(longest);
    block_index_ = Buffer<std::int32_t>(allocator_, block_offsets_[a_.rows], "the pattern of a product");
    if (place_bytes_ > 0) places_ = Buffer<unsigned char>(allocator_, before_.back() * place_bytes_, "places of products");
    for_rows_of_workers(a_.rows, before_.back(), [&](int worker, std::int64_t i) {
      RowMarker& marker = markers[at(worker)];
      mark_row(marker, i);
      marker.number();
      marker.list(block_index_.data() + block_offsets_[i]);
      if (place_bytes_ == 1) store_places<std::uint8_t>(marker, i);
      if (place_bytes_ == 2) store_places<std::uint16_t>(marker, i);
      marker.clear();
    });
    facts_.peak_bytes = memory() + static_cast<std::int64_t>(markers.size()) * RowMarker::bytes(b_.columns);
    if (place_bytes_ > 0) {
      b_.index = {};
      markers.clear();
    }
    markers_ = std::move(markers);
    expand();
  }

  /// Places are kept where they are small numbers and all memory stays within its bound.
  void choose_places(std::int64_t longest) {
    facts_.entries = block_offsets_[a_.rows] * facts_.block * facts_.block;
    const std::int64_t bytes = longest <= 256 ? 1 : 2;
    const std::int64_t all = matrices_bytes_ + matrix_bytes(a_.rows, facts_.entries, sizeof(S));
    const std::int64_t places = before_.back() * bytes + bytes_of(before_);
    const std::int64_t values = facts_.entries * static_cast<std::int64_t>(sizeof(S));
    if (longest <= 65536 && places_fit(all, places, bytes_of(b_.index), values)) place_bytes_ = static_cast<int>(bytes);
    facts_.has_places = place_bytes_ > 0;
  }

  template <class Place>
  Place* places_of_row(std::int64_t i) const {
    return reinterpret_cast<Place*>(places_.data()) + before_[at(i)];
  }

  template <class Place>
  void store_places(const RowMarker& marker, std::int64_t i) const {
    Place* place = places_of_row<Place>(i);
    for (std::int32_t e = a_.offsets[at(i)]; e < a_.offsets[at(i + 1)]; ++e) {
      const std::int32_t begin = b_.offsets[at(a_.index[at(e)])];
      for (std::int32_t f = begin; f < begin + used(e); ++f) *place++ = static_cast<Place>(marker.rank(b_.index[at(f)]));
    }
  }

  /// The pattern of C by entries, and memory for its values.
  void expand() {
    const std::int64_t block = facts_.block, rows = a_.rows * block;
    if (block == 1) {
      offsets_ = std::move(block_offsets_);
      index_ = std::move(block_index_);
    } else {
      offsets_ = Buffer<std::int64_t>(allocator_, rows + 1, "the rows of a product");
      index_ = Buffer<std::int32_t>(allocator_, facts_.entries, "the pattern of a product");
      offsets_[rows] = facts_.entries;
      for_rows(a_.rows, block_offsets_[a_.rows], [&](std::int64_t i) { expand_row(i); });
      if (place_bytes_ > 0) block_index_ = {};
    }
    c_offsets_ = block == 1 ? offsets_.data() : block_offsets_.data();
    c_index_ = block == 1 ? index_.data() : block_index_.data();
    values_ = Buffer<S>(allocator_, facts_.entries, "the values of a product");
    facts_.memory_bytes = memory();
    facts_.peak_bytes = std::max(facts_.peak_bytes, facts_.memory_bytes);
  }

  void expand_row(std::int64_t i) {
    const std::int64_t block = facts_.block, begin = block_offsets_[i], count = block_offsets_[i + 1] - begin;
    for (std::int64_t r = 0; r < block; ++r) {
      const std::int64_t first = block * (block * begin + r * count);
      offsets_[block * i + r] = first;
      for (std::int64_t k = 0; k < block * count; ++k)
        index_[first + k] = static_cast<std::int32_t>(block_index_[begin + k / block] * block + k % block);
    }
  }

  std::int64_t memory() const {
    std::int64_t bytes = bytes_of(a_) + bytes_of(b_) + bytes_of(a_source_) + bytes_of(b_source_) + bytes_of(lists_.lengths) +
                         bytes_of(lists_.places) + bytes_of(before_) + bytes_of(a_copy_) + bytes_of(b_copy_);
    bytes += bytes_of(block_offsets_) + bytes_of(block_index_) + bytes_of(places_) + bytes_of(offsets_) + bytes_of(index_) +
             bytes_of(values_);
    return bytes + static_cast<std::int64_t>(markers_.size()) * RowMarker::bytes(b_.columns);
  }

  const S* take(const S* values, std::int64_t count, const RawVector<std::int32_t>& source, bool may_refer,
                Buffer<S>& copy) {
    if (count == 0 || (may_refer && source.empty())) return values;
    if (copy.size() == 0) copy = Buffer<S>(allocator_, count, "the values of an operand");
    constexpr std::int64_t piece = 4096;
    for_rows((count + piece - 1) / piece, count, [&](std::int64_t p) {
      for (std::int64_t k = p * piece; k < std::min(count, (p + 1) * piece); ++k)
        copy[k] = values[source.empty() ? k : source[at(k)]];
    });
    facts_.memory_bytes = memory();
    return copy.data();
  }

  template <int Block>
  void compute_blocks(S shift) {
    const ProductArrays<S> arrays{a_.offsets.data(), a_.index.data(), left_,
                                  b_.offsets.data(), right_,          is_normal_ ? lists_.lengths.data() : nullptr,
                                  c_offsets_,        values_.data()};
    for_rows_of_workers(a_.rows, before_.back(), [&](int worker, std::int64_t row) {
      const auto i = static_cast<std::int32_t>(row);
      if (place_bytes_ == 1) {
        const std::uint8_t* place = places_of_row<std::uint8_t>(i);
        product_row<Block>(arrays, i, [&place](std::int32_t) { return *place++; });
      } else if (place_bytes_ == 2) {
        const std::uint16_t* place = places_of_row<std::uint16_t>(i);
        product_row<Block>(arrays, i, [&place](std::int32_t) { return *place++; });
      } else {
        RowMarker& marker = markers_[at(worker)];
        for (std::int64_t c = c_offsets_[i]; c < c_offsets_[i + 1]; ++c) marker.mark(c_index_[c]);
        marker.number();
        product_row<Block>(arrays, i, [&](std::int32_t f) { return marker.rank(b_.index[at(f)]); });
        marker.clear();
      }
      if (is_normal_) values_[c_offsets_[i + 1] - 1] += shift;
    });
  }

  std::shared_ptr<Allocator> allocator_;
  bool is_normal_;
  ProductFacts facts_;
  BlockPattern a_;
  BlockPattern b_;  ///< Without indices once the places are known.
  RawVector<std::int32_t> a_source_;
  RawVector<std::int32_t> b_source_;
  NormalLists lists_;                 ///< For normal equations.
  std::vector<std::int64_t> before_;  ///< Products of blocks before a block row.
  std::int64_t matrices_bytes_ = 0;   ///< Bytes of A and B.
  std::optional<WorkerTeam> team_;
  std::vector<RowMarker> markers_;  ///< One a worker, if there are no places.
  Buffer<std::int64_t> block_offsets_;
  Buffer<std::int32_t> block_index_;
  Buffer<unsigned char> places_;
  int place_bytes_ = 0;  ///< Bytes of a place; 0: none are stored.
  Buffer<std::int64_t> offsets_;
  Buffer<std::int32_t> index_;
  const std::int64_t* c_offsets_ = nullptr;
  const std::int32_t* c_index_ = nullptr;
  Buffer<S> values_;
  Buffer<S> a_copy_;
  Buffer<S> b_copy_;
  const S* left_ = nullptr;
  const S* right_ = nullptr;
};

}  // namespace

template <class S>
std::unique_ptr<ProductEngine<S>> make_host_product(ProductInput input, const ProductEngineOptions& options) {
  return std::make_unique<HostProduct<S>>(std::move(input), options);
}

#define GPUSUPERNODAL_INSTANTIATE(T) \
  template std::unique_ptr<ProductEngine<T>> make_host_product(ProductInput, const ProductEngineOptions&);
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
