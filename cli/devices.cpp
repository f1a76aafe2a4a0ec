#include "cli/devices.hpp"

#include <charconv>
#include <numeric>
#include <string_view>

#include "base/fmt.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/info.hpp"

namespace gpusupernodal::cli {
namespace {

[[noreturn]] void refuse(const std::string& typed) {
  throw InvalidInput(
      fmt::format("--devices takes the numbers of CUDA devices, separated by commas, as in 0,1, or all; not '{}'.", typed),
      __FILE__, __LINE__);
}

std::vector<int> all_devices() {
  for (const BackendInfo& backend : backends()) {
    if (backend.name != "cuda") continue;
    if (backend.devices.empty())
      throw BackendUnavailable(fmt::format("--devices all needs a CUDA device: {}.", backend.reason), __FILE__, __LINE__);
    std::vector<int> numbers(backend.devices.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }
  return {};
}

}  // namespace

void add_devices(CLI::App& app, CommonOptions& common) {
  app.add_option("--devices", common.devices,
                 "CUDA devices that factorize together: their numbers,\nsuch as 0,1, or all; with --form llt")
      ->option_text("LIST")
      ->excludes("--device")
      ->group("Solver");
}

std::vector<int> named_devices(const std::string& typed) {
  if (typed == "all") return all_devices();
  std::vector<int> numbers;
  for (std::string_view left = typed;;) {
    const std::string_view text = left.substr(0, left.find(','));
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 0) refuse(typed);
    numbers.push_back(number);
    if (text.size() == left.size()) return numbers;
    left.remove_prefix(text.size() + 1);
  }
}

}  // namespace gpusupernodal::cli
