#include "solver/common/format.hpp"
#include "solver/sparse/layouts.hpp"

namespace gpusupernodal {

std::string SparseLayout::kernel() const {
  const std::string lanes = fmt::format("{} {}", width, width == 1 ? "lane" : "lanes");
  switch (format) {
    case Format::csr:
      return "csr, " + lanes;
    case Format::sell:
      return fmt::format("sell, {}{}", lanes, order.empty() ? "" : ", sorted");
    case Format::block:
      return fmt::format("block, {} by {}, {}{}", block, block, lanes, order.empty() ? "" : ", sorted");
    case Format::dia:
      return fmt::format("dia, {} diagonals{}", width, symmetric ? " of a half" : "");
    case Format::hyb:
      return fmt::format("hyb, {} wide", units == 0 ? 0 : stored_values / (std::int64_t{units} * 32));
    default:
      return name_of(format);
  }
}

SparseLayout empty_layout(const RowPattern& pattern, Format format) {
  SparseLayout layout;
  layout.format = format;
  layout.rows = pattern.rows;
  layout.columns = pattern.columns;
  layout.input_values = pattern.input_values;
  layout.entries = pattern.entries();
  return layout;
}

SparseLayout make_csr_layout(const RowPattern& pattern, std::int32_t lanes) {
  SparseLayout layout = empty_layout(pattern, Format::csr);
  layout.stored_values = pattern.entries();
  layout.width = lanes;
  layout.offsets = pattern.offsets;
  layout.index = pattern.index;
  layout.source = pattern.source;
  return layout;
}

}  // namespace gpusupernodal
