#pragma once

/// \file
/// Helpers for reading a cost model file.

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {

inline constexpr const char* cost_format_name = "gpusupernodal cost model 1";

/// The bytes of a file. Throws InvalidInput, naming it, if it cannot be read, such as a folder.
inline std::string read_cost_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail<InvalidInput>("the cost model {} cannot be opened", path);
  std::string text;
  char part[4096];
  while (file.read(part, sizeof part), file.gcount() > 0) text.append(part, static_cast<std::size_t>(file.gcount()));
  if (file.bad()) fail<InvalidInput>("the cost model {} cannot be read; it may be a folder", path);
  return text;
}

/// Throws InvalidInput, naming the file, if it is no cost model.
inline nlohmann::json parse_cost_file(const std::string& path) {
  nlohmann::json json = nlohmann::json::parse(read_cost_text(path), nullptr, false);
  if (!json.is_object()) fail<InvalidInput>("the cost model {} is not a JSON object", path);
  if (json.value("format", nlohmann::json()) != cost_format_name)
    fail<InvalidInput>("the cost model {} does not have the format '{}'", path, cost_format_name);
  return json;
}

/// Reads one object's figures by `visit_all`, and refuses what is left over.
template <class VisitAll>
void read_figures(const std::string& path, const nlohmann::json& json, const std::string& group, const VisitAll& visit_all) {
  if (!json.contains(group)) return;
  const nlohmann::json& figures = json[group];
  if (!figures.is_object()) fail<InvalidInput>("the cost model {}: '{}' is not an object", path, group);
  std::set<std::string> known;
  visit_all([&](const std::string& name, double& value) {
    known.insert(name);
    if (!figures.contains(name)) return;
    const nlohmann::json& found = figures[name];
    if (!found.is_number() || !(found.get<double>() > 0.0) || found.get<double>() > 1e300)
      fail<InvalidInput>("the cost model {}: '{}' of '{}' is not a positive number", path, name, group);
    value = found.get<double>();
  });
  for (const auto& item : figures.items()) {
    if (known.count(item.key()) == 0)
      fail<InvalidInput>("the cost model {}: '{}' has no figure '{}'", path, group, item.key());
  }
}

}  // namespace gpusupernodal
