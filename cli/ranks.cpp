#include "cli/ranks.hpp"

#include <string>

#include "cli/print.hpp"

namespace gpusupernodal::cli {
namespace {

/// 0 if there is no work at all.
double share(double part, double whole) { return whole > 0.0 ? part / whole : 0.0; }

std::string percent(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

}  // namespace

void print_ranks(const DistributionReport& r) {
  print_line("ranks", fmt::format("{}: at least {} a factorization with one thread each, {} on one rank", r.parts.size(),
                                  seconds_text(r.seconds), seconds_text(r.seconds_of_one)));
  print_line("  shared top", fmt::format("{} of the work", percent(share(r.top_flops, r.flops))));
  print_to(stdout, "  {:>5}  {:>8}  {:>13}  {:>8}  {:>9}  {:>13}\n", "part", "subtrees", "block columns", "GB of L",
           "GB in all", "share of work");
  for (std::size_t p = 0; p < r.parts.size(); ++p) {
    const PartReport& part = r.parts[p];
    print_to(stdout, "  {:>5}  {:>8}  {:>13}  {:>8.3g}  {:>9.3g}  {:>13}\n", p, grouped(part.subtrees),
             grouped(part.top_columns), static_cast<double>(part.bytes) * 1e-9,
             static_cast<double>(part.bytes_in_all) * 1e-9, percent(share(part.flops, r.flops)));
  }
}

Json to_json(const DistributionReport& r) {
  Json parts = Json::array();
  for (const PartReport& part : r.parts) {
    parts.push_back({{"subtrees", part.subtrees},
                     {"block_columns", part.top_columns},
                     {"bytes", part.bytes},
                     {"contribution_bytes", part.contribution_bytes},
                     {"buffer_bytes", part.buffer_bytes},
                     {"bytes_in_all", part.bytes_in_all},
                     {"flops", part.flops},
                     {"share", share(part.flops, r.flops)},
                     {"seconds", part.seconds}});
  }
  return {{"parts", std::move(parts)},
          {"top_share", share(r.top_flops, r.flops)},
          {"bytes", r.bytes},
          {"seconds", r.seconds},
          {"seconds_one_rank", r.seconds_of_one}};
}

}  // namespace gpusupernodal::cli
