#pragma once

/// \file
/// Files that keep of a plan what takes long to find: order and supernodes. All else is made again from them and the
/// pattern, which takes less time than reading it would, and lets no file, whatever is in it, put a wrong index into a plan.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "solver/plan/factor_plan.hpp"
#include "solver/symbolic/restore_factor.hpp"

namespace gpusupernodal {

/// What a file holds.
struct StoredPlan {
  std::string path;  ///< For sentences; not in the file.
  std::int64_t n = 0;
  std::int64_t entries = 0;        ///< Stored entries of A.
  std::uint64_t pattern_hash = 0;  ///< FactorPlan::pattern_hash.
  Ordering ordering = Ordering::automatic;
  std::string reason;  ///< Why this ordering.
  std::int32_t block_width = 0;
  OrderAndSupernodes structure;
};

/// Writes a file of 64-bit words, least byte first, as OutputFile does: a regular file is replaced at once or stays as it
/// was, a device or a FIFO is written directly. In order: magic, format, library version (2), n, entries, hash, ordering,
/// block width, supernodes, bytes of the reason; reason; first columns and order, two a word; checksum of all that precedes.
/// Throws InvalidInput where that is not possible. Cost O(n).
void write_plan_file(const FactorPlan& plan, const std::string& path);

/// Reads it back. Throws InvalidInput, with the name, for a file that cannot be read, is none of these, of another format,
/// or damaged; takes no memory before the sizes agree with the file's length. Cost O(n).
StoredPlan read_plan_file(const std::string& path);

struct RestoreOptions {
  int threads = 1;
  std::optional<CudaPlanOptions> cuda;  ///< As in PlanOptions.
};

/// The plan that was stored, for the pattern that it was made for. Throws InvalidInput for another pattern, and as make_plan
/// does.
std::shared_ptr<const FactorPlan> restore_plan(const PatternView& pattern, StoredPlan stored, const RestoreOptions& wanted,
                                               const std::function<bool(const Progress&)>& progress = {});

}  // namespace gpusupernodal
