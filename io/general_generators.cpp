#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fmt.hpp"
#include "io/compressed_columns.hpp"
#include "io/general_matrix.hpp"
#include "io/generators.hpp"
#include "io/matrix_market_entries.hpp"

namespace gpusupernodal::io {
namespace {

constexpr std::string_view convection_name = "convdiff";
constexpr std::string_view circuit_name = "circuit";

/// The square grid of N² nodes. Calls `body(node, x, y)` for each.
template <class Body>
void for_each_node(std::int64_t size, Body&& body) {
  for (std::int64_t y = 0; y < size; ++y) {
    for (std::int64_t x = 0; x < size; ++x) body(y * size + x, x, y);
  }
}

/// Entries to be summed up where row and column are equal.
class Stamps {
 public:
  void add(std::int64_t row, std::int64_t column, double value) {
    entries_.push_back({static_cast<std::int32_t>(row), static_cast<std::int32_t>(column), value});
  }

  /// A conductance between two nodes.
  void add_resistor(std::int64_t p, std::int64_t q, double conductance) {
    add(p, p, conductance);
    add(q, q, conductance);
    add(p, q, -conductance);
    add(q, p, -conductance);
  }

  GeneralMatrix summed(const std::string& name, std::int64_t n) const {
    const CompressedEntries columns = compress(n, entries_);
    CompressedEntries sums;
    sums.offsets.reserve(columns.offsets.size());
    sums.entries.reserve(columns.entries.size());
    for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
      const std::size_t first = sums.entries.size();
      sums.offsets.push_back(static_cast<std::int64_t>(first));
      for (auto k = static_cast<std::size_t>(columns.offsets[j]); k < static_cast<std::size_t>(columns.offsets[j + 1]);
           ++k) {
        const Entry& e = columns.entries[k];
        if (sums.entries.size() > first && sums.entries.back().row == e.row)
          sums.entries.back().value += e.value;
        else
          sums.entries.push_back(e);
      }
    }
    sums.offsets.push_back(static_cast<std::int64_t>(sums.entries.size()));
    GeneralMatrix matrix;
    matrix.name = name;
    store(std::move(sums), matrix);
    return matrix;
  }

 private:
  std::vector<Entry> entries_;
};

GeneralMatrix convection_diffusion(const std::string& spec) {
  constexpr double peclet_x = 100.0;
  constexpr double peclet_y = 30.0;
  const std::int64_t size = generator_size(spec, [](double s) { return s * s; });
  Stamps stamps;
  for_each_node(size, [&](std::int64_t node, std::int64_t x, std::int64_t y) {
    stamps.add(node, node, 4.0 + peclet_x + peclet_y);
    if (x > 0) stamps.add(node, node - 1, -1.0 - peclet_x);
    if (x < size - 1) stamps.add(node, node + 1, -1.0);
    if (y > 0) stamps.add(node, node - size, -1.0 - peclet_y);
    if (y < size - 1) stamps.add(node, node + size, -1.0);
  });
  return stamps.summed(spec, size * size);
}

GeneralMatrix circuit(const std::string& spec) {
  constexpr std::array<double, 4> conductances{1.0, 1e-1, 1e-2, 1e-3};
  constexpr double to_ground = 1.0;
  constexpr double transconductance = 0.5;
  constexpr std::int64_t control_every = 5;
  const std::int64_t size = generator_size(spec, [](double s) { return s * s + s; });
  const std::int64_t nodes = size * size;
  Stamps stamps;
  std::size_t resistors = 0;
  const auto next_conductance = [&] { return conductances[resistors++ % conductances.size()]; };
  for_each_node(size, [&](std::int64_t node, std::int64_t x, std::int64_t y) {
    stamps.add(node, node, to_ground);
    if (x < size - 1) stamps.add_resistor(node, node + 1, next_conductance());
    if (y < size - 1) stamps.add_resistor(node, node + size, next_conductance());
    const std::int64_t controlled = node + size / 2 + 1;
    if (node % control_every == 0 && controlled < nodes) stamps.add(controlled, node, -transconductance);
  });
  for (std::int64_t s = 0; s < size; ++s) {
    const auto connect = [&](std::int64_t node, double sign) {
      stamps.add(node, nodes + s, sign);
      stamps.add(nodes + s, node, sign);
    };
    connect(s * size, 1.0);
    if (s % 2 != 0) connect(s * size + size - 1, -1.0);
  }
  return stamps.summed(spec, nodes + size);
}

std::string_view name_before_colon(const std::string& spec) {
  const std::size_t colon = spec.find(':');
  return colon == std::string::npos ? std::string_view() : std::string_view(spec).substr(0, colon);
}

}  // namespace

std::vector<std::string> general_generator_names() { return {std::string(convection_name), std::string(circuit_name)}; }

bool is_general_generator(const std::string& spec) {
  const std::string_view name = name_before_colon(spec);
  return name == convection_name || name == circuit_name;
}

GeneralMatrix generate_general(const std::string& spec) {
  const std::string_view name = name_before_colon(spec);
  if (name == convection_name) return convection_diffusion(spec);
  if (name == circuit_name) return circuit(spec);
  throw InvalidInput(fmt::format("'{}' is not a generated general matrix: convdiff:N or circuit:N.", spec), __FILE__,
                     __LINE__);
}

}  // namespace gpusupernodal::io
