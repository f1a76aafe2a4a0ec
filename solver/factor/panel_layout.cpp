#include "solver/factor/panel_layout.hpp"

#include "kernels/common/tile_shapes.hpp"

namespace gpusupernodal {
namespace {

constexpr std::int32_t alignment = 4;
static_assert(panel_block % alignment == 0);  // So every block column starts at a multiple of `alignment`.

template <class I>
I round_up(I value) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

PanelLayout build_panel_layout(const SymbolicFactor& factor, bool with_partners) {
  const auto count = static_cast<std::size_t>(factor.supernodes());
  PanelLayout layout;
  layout.value_offset.reserve(count + 1);
  layout.ld.reserve(count);
  std::int64_t next = 0;
  for (SupernodeId s : factor.supernode_ids()) {
    const std::int32_t front = factor.front(s);
    const bool padded = cuda::is_padded(front);
    const std::int32_t ld = padded ? round_up(front) : front;
    if (padded) next = round_up(next);
    layout.value_offset.push_back(next);
    layout.ld.push_back(ld);
    next = end_of_panel(next, ld, factor.width(s));
  }
  layout.value_offset.push_back(with_partners ? round_up(next) : next);
  return layout;
}

}  // namespace gpusupernodal
