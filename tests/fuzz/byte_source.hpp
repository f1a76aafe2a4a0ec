#pragma once

/// \file
/// Reads a fuzzer's bytes as the values that a target needs; past the end, all bytes are zero.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gpusupernodal::fuzz {

class ByteSource {
 public:
  explicit ByteSource(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  bool empty() const { return bytes_.empty(); }
  std::uint8_t take() {
    if (bytes_.empty()) return 0;
    const std::uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }
  /// True for one in `rarity` byte values, and false past the end.
  bool flag(int rarity = 2) { return take() % rarity == rarity - 1; }
  template <class Value, std::size_t Count>
  Value one_of(const std::array<Value, Count>& values) {
    return values[take() % Count];
  }
  std::span<const std::uint8_t> rest() const { return bytes_; }

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace gpusupernodal::fuzz
