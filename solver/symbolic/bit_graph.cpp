#include "solver/symbolic/bit_graph.hpp"

#include <algorithm>
#include <bit>

namespace gpusupernodal {

/// Counts by halves, quarters and so on, because not every target processor has an instruction that counts bits.
template <std::size_t words>
std::int32_t BitGraph<words>::Bits::count() const {
  std::uint64_t bytes = 0;  // In each byte, the number of bits set in that byte of all words.
  for (std::uint64_t w : word) {
    w -= (w >> 1U) & 0x5555555555555555U;
    w = (w & 0x3333333333333333U) + ((w >> 2U) & 0x3333333333333333U);
    bytes += (w + (w >> 4U)) & 0x0f0f0f0f0f0f0f0fU;
  }
  // The sum may be 256 and does not fit in one byte, so the last steps use 16-bit parts.
  bytes = (bytes & 0x00ff00ff00ff00ffU) + ((bytes >> 8U) & 0x00ff00ff00ff00ffU);
  return static_cast<std::int32_t>((bytes * 0x0001000100010001U) >> 48U);
}

template <std::size_t words>
std::int32_t BitGraph<words>::Bits::first() const {
  for (std::size_t k = 0; k < words; ++k) {
    if (word[k] != 0) return static_cast<std::int32_t>(64 * k) + std::countr_zero(word[k]);
  }
  return -1;
}

/// Makes the neighbours of v a clique without v. No degree falls by more than one.
template <std::size_t words>
void BitGraph<words>::eliminate(std::int32_t v) {
  const Bits front = neighbours_[static_cast<std::size_t>(v)];
  Bits rest = front;
  for (std::int32_t u = rest.first(); u >= 0; u = rest.first()) {
    rest.clear(u);
    Bits& mine = neighbours_[static_cast<std::size_t>(u)];
    std::int32_t& degree = degree_[static_cast<std::size_t>(u)];
    by_degree_[static_cast<std::size_t>(degree)].clear(u);
    for (std::size_t k = 0; k < words; ++k) mine.word[k] |= front.word[k];
    mine.clear(u);
    mine.clear(v);
    degree = mine.count();
    by_degree_[static_cast<std::size_t>(degree)].set(u);
  }
}

template <std::size_t words>
std::vector<std::int32_t> BitGraph<words>::minimum_degree_order() {
  const auto vertices = static_cast<std::int32_t>(neighbours_.size());
  std::vector<std::int32_t> order;
  order.reserve(neighbours_.size());
  for (std::int32_t v = 0; v < vertices; ++v) {
    const auto i = static_cast<std::size_t>(v);
    degree_[i] = neighbours_[i].count();
    by_degree_[static_cast<std::size_t>(degree_[i])].set(v);
  }
  std::int32_t degree = 0;
  for (std::int32_t left = vertices; left > 0; --left) {
    degree = std::max(degree - 1, 0);
    std::int32_t v = by_degree_[static_cast<std::size_t>(degree)].first();
    while (v < 0) v = by_degree_[static_cast<std::size_t>(++degree)].first();
    if (degree == left - 1) {  // The remaining vertices form a clique.
      for (Bits rest = by_degree_[static_cast<std::size_t>(degree)]; v >= 0; v = rest.first()) {
        order.push_back(v);
        rest.clear(v);
      }
      break;
    }
    order.push_back(v);
    by_degree_[static_cast<std::size_t>(degree)].clear(v);
    eliminate(v);
  }
  return order;
}

template class BitGraph<2>;
template class BitGraph<4>;

}  // namespace gpusupernodal
