#include "cli/device_memory.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>

#include "base/fmt.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/names.hpp"

namespace gpusupernodal::cli {
namespace {

struct Unit {
  std::string_view name;
  double bytes;
};
constexpr std::array<Unit, 10> units{{{"", 1.0},
                                      {"b", 1.0},
                                      {"kb", 1e3},
                                      {"mb", 1e6},
                                      {"gb", 1e9},
                                      {"tb", 1e12},
                                      {"kib", 1024.0},
                                      {"mib", 1024.0 * 1024.0},
                                      {"gib", 1024.0 * 1024.0 * 1024.0},
                                      {"tib", 1024.0 * 1024.0 * 1024.0 * 1024.0}}};

/// More than any machine has, and exact in int64_t.
constexpr double most_bytes = 1e18;

}  // namespace

void add_device_memory(CLI::App& app, CommonOptions& common) {
  const std::string group = "Solver";
  add_choice(app, "--memory", common.memory, factor_memory_names,
             "where CUDA keeps the factor: on the device, or what does\nnot fit there in host memory (hybrid); auto is "
             "hybrid\nwhere it must be (default auto); with --form llt")
      ->group(group);
  app.add_option("--device-memory-limit", common.device_memory_limit,
                 "most memory to take on the CUDA device, in bytes or as\nin 500MB, 2.5GB, 2GiB (default: what is free)")
      ->option_text("SIZE")
      ->group(group);
}

std::int64_t named_bytes(const std::string& typed) {
  double amount = 0.0;
  const char* const last = typed.data() + typed.size();
  const auto [end, error] = std::from_chars(typed.data(), last, amount);
  std::string unit;
  if (error == std::errc()) unit.assign(*end == ' ' ? end + 1 : end, last);
  std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto* const known = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == unit; });
  const bool is_amount =
      error == std::errc() && known != units.end() && amount >= 0.0 && amount * known->bytes <= most_bytes;
  if (!is_amount) {
    throw InvalidInput(
        fmt::format("--device-memory-limit takes a number of bytes, or one with a unit, as in 500MB, 2.5GB or "
                    "2GiB; not '{}'.",
                    typed),
        __FILE__, __LINE__);
  }
  return static_cast<std::int64_t>(amount * known->bytes);
}

}  // namespace gpusupernodal::cli
