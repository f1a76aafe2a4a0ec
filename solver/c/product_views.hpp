#pragma once

/// \file
/// What the C functions of products and of normal equations share: operands and reports.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/names.hpp"
#include "gpusupernodal/sparse_product.hpp"
#include "solver/c/handle.hpp"
#include "solver/c/views.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal::c {

inline double product_report_number(const ProductReport& report, std::string_view name) {
  const std::array<std::pair<std::string_view, double>, 10> numbers{
      {{"rows", static_cast<double>(report.rows)},
       {"columns", static_cast<double>(report.columns)},
       {"entries", static_cast<double>(report.entries)},
       {"products", static_cast<double>(report.products)},
       {"block", report.block},
       {"has_places", report.has_places ? 1.0 : 0.0},
       {"memory_bytes", static_cast<double>(report.memory_bytes)},
       {"peak_bytes", static_cast<double>(report.peak_bytes)},
       {"reference_bytes", static_cast<double>(report.reference_bytes)},
       {"analyze_seconds", report.analyze_seconds}}};
  for (const auto& [known, number] : numbers) {
    if (known == name) return number;
  }
  fail<InvalidInput>("the report of a product has no {} '{}'", "number", name);
}

inline std::string product_report_text(const ProductReport& report, std::string_view name) {
  if (name == "backend") return name_of(report.backend);
  if (name == "backend_reason") return report.backend_reason;
  fail<InvalidInput>("the report of a product has no {} '{}'", "text", name);
}

template <class T>
SparseView<T> operand_view(const gpusupernodal_sparse* a, const char* what) {
  require(a, what);
  SparseView<T> view;
  view.rows = a->rows;
  view.columns = a->columns;
  take_arrays<T>(*a, view);
  return view;
}

template <class T>
Span<const T> values_of(const void* values, std::int64_t count, const char* what) {
  if (count != 0) require(values, what);
  return {static_cast<const T*>(values), static_cast<std::size_t>(std::max<std::int64_t>(count, 0))};
}

}  // namespace gpusupernodal::c
