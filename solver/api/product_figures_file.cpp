#include "solver/api/product_figures_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/output_file.hpp"
#include "gpusupernodal/names.hpp"
#include "solver/api/cost_json.hpp"

namespace gpusupernodal {
namespace {

using Json = nlohmann::json;

/// Changes whenever figures get another meaning.
constexpr int current_version = 1;

Json group_of(const std::string& path, Backend backend) {
  const Json json = parse_cost_file(path);
  if (!json.contains("products"))
    fail<InvalidInput>("the cost model {} has no figures of products; 'gpusupernodal tune' adds them", path);
  const Json& products = json["products"];
  if (!products.is_object() || products.value("version", Json()) != current_version) {
    fail<InvalidInput>(
        "the figures of products in {} are of another version of gpusupernodal; type 'gpusupernodal tune -o {}' to renew "
        "them",
        path, path);
  }
  if (!products.contains(name_of(backend)) || !products[name_of(backend)].is_object()) {
    fail<InvalidInput>("the cost model {} has no figures of products for {}; 'gpusupernodal tune --backend {}' adds them",
                       path, name_of(backend), name_of(backend));
  }
  return products[name_of(backend)];
}

}  // namespace

ProductFigures read_product_figures(const std::string& path, Backend backend, const std::string& machine) {
  const Json group = group_of(path, backend);
  if (machine.empty())
    fail<InvalidInput>("the figures of products in {} cannot be used, because this machine has no name to compare", path);
  const Json found = group.value("machine", Json());
  if (found != machine) {
    fail<InvalidInput>(
        "the figures of products in {} were measured on '{}', but this machine has '{}'; type 'gpusupernodal tune -o {}' to "
        "renew them",
        path, found.is_string() ? found.get<std::string>() : "an unnamed machine", machine, path);
  }
  ProductFigures figures = built_in_figures(backend);
  const Json numbers = group.value("figures", Json());
  for_each_product_figure(figures, backend, [&](const std::string& name, const double&) {
    if (numbers.is_object() && numbers.contains(name)) return;
    fail<InvalidInput>("the figures of products in {} lack '{}' for {}; type 'gpusupernodal tune -o {}' to renew them", path,
                       name, name_of(backend), path);
  });
  read_figures(path, group, "figures", [&](const auto& visit) { for_each_product_figure(figures, backend, visit); });
  return figures;
}

void check_product_figures_file(const std::string& path) {
  const bool exists = access(path.c_str(), F_OK) == 0;
  if (exists) static_cast<void>(parse_cost_file(path));
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  // A file in a folder that may be written is replaced, so its own mode does not matter.
  if (access(folder.c_str(), W_OK) == 0 || (exists && access(path.c_str(), W_OK) == 0)) return;
  fail<InvalidInput>("the cost model {} cannot be written: {}", path, std::generic_category().message(errno));
}

void write_product_figures(const std::string& path, Backend backend, const NamedProductFigures& figures) {
  Json json = access(path.c_str(), F_OK) == 0 ? parse_cost_file(path) : Json{{"format", cost_format_name}};
  Json& products = json["products"];
  if (!products.is_object() || products.value("version", Json()) != current_version) products = Json::object();
  products["version"] = current_version;
  Json numbers;
  for_each_product_figure(figures.figures, backend,
                          [&](const std::string& name, const double& value) { numbers[name] = value; });
  products[name_of(backend)] = {{"machine", figures.machine}, {"figures", numbers}};
  OutputFile file(path);
  file.write(json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  if (const std::error_code error = file.commit())
    fail<InvalidInput>("the cost model {} cannot be written: {}", path, error.message());
}

}  // namespace gpusupernodal
