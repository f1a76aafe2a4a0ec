#include "cli/report/page.hpp"

#include <string_view>

#include "cli/plot/svg.hpp"
#include "cli/report/templates.hpp"

namespace gpusupernodal::cli {
namespace {

/// Replaces the mark, which occurs once.
void fill_in(std::string& page, std::string_view mark, std::string_view text) {
  page.replace(page.find(mark), mark.size(), text);
}

}  // namespace

std::string script_json(const Json& json) {
  std::string escaped;
  for (const char c : json.dump(-1, ' ', true, Json::error_handler_t::replace)) {
    switch (c) {
      case '<':
        escaped += "\\u003c";
        break;
      case '>':
        escaped += "\\u003e";
        break;
      case '&':
        escaped += "\\u0026";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string report_page(const Json& figures) {
  std::string page(templates::html);
  fill_in(page, "@STYLE@", templates::style);
  fill_in(page, "@CHARTS@", templates::charts);
  fill_in(page, "@SCRIPT@", templates::script);
  fill_in(page, "@CHOICE@", templates::choice);
  fill_in(page, "@FIGURES@", script_json(figures));
  // Last, because a name may look like a mark; its own is the first of the page.
  fill_in(page, "@TITLE@", xml_text(figures.at("matrix").at("name").get<std::string>()));
  return page;
}

}  // namespace gpusupernodal::cli
