#include "solver/common/format.hpp"
#include "solver/sparse/sparse_layout.hpp"

namespace gpusupernodal {
namespace {

/// Lanes of a row: enough that a row takes about two steps.
std::int32_t lanes_for(const RowPattern& pattern) {
  if (pattern.rows == 0) return 2;
  const double mean = static_cast<double>(pattern.entries()) / pattern.rows;
  std::int32_t lanes = 2;
  while (lanes < 32 && 2.0 * lanes < mean) lanes *= 2;
  return lanes;
}

}  // namespace

std::string SparseLayout::kernel() const {
  switch (format) {
    case Format::csr:
      return fmt::format("csr, {} lanes", width);
    default:
      return name_of(format);
  }
}

SparseLayout make_layout(const RowPattern& pattern, const LayoutWish&) { return make_csr_layout(pattern); }

SparseLayout make_csr_layout(const RowPattern& pattern) {
  SparseLayout layout;
  layout.format = Format::csr;
  layout.rows = pattern.rows;
  layout.columns = pattern.columns;
  layout.input_values = pattern.input_values;
  layout.entries = layout.stored_values = pattern.entries();
  layout.width = lanes_for(pattern);
  layout.offsets = pattern.offsets;
  layout.index = pattern.index;
  layout.source = pattern.source;
  return layout;
}

}  // namespace gpusupernodal
