#pragma once

/// \file
/// Files that store the parts of a plan that take long to compute: order and supernodes. Everything else is recomputed
/// from them and the pattern. That is faster than reading it would be, and no file, whatever its contents, can put a
/// wrong index into a plan.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "solver/plan/factor_plan.hpp"
#include "solver/symbolic/restore_factor.hpp"

namespace gpusupernodal {

/// Contents of a file.
struct StoredPlan {
  std::string path;  ///< For error messages; not in the file.
  std::int64_t n = 0;
  std::int64_t entries = 0;        ///< Stored entries of A.
  std::uint64_t pattern_hash = 0;  ///< FactorStructure::pattern_hash of the plan.
  Ordering ordering = Ordering::automatic;
  std::string reason;  ///< Why this ordering was chosen.
  std::int32_t block_width = 0;
  OrderAndSupernodes structure;
};

/// Writes a file of 64-bit little-endian words through OutputFile: a regular file is replaced atomically or unchanged;
/// a device or a FIFO is written directly. In order: magic, format, library version (2 words), n, entries, hash,
/// ordering, block width, supernodes, bytes of the reason; reason; first columns and order, two numbers per word;
/// checksum of all preceding words. Throws InvalidInput if the file cannot be written. Cost: O(n).
void write_plan_file(const FactorPlan& plan, const std::string& path);

/// Reads a plan file. Throws InvalidInput, with the file's name, if it cannot be read, is not a plan file, has another
/// format, or is damaged. Allocates memory only after the sizes agree with the file's length. Cost: O(n).
StoredPlan read_plan_file(const std::string& path);

struct RestoreOptions {
  int threads = 1;
  std::optional<CudaPlanOptions> cuda;  ///< As in PlanOptions.
};

/// Rebuilds the stored plan. Throws InvalidInput if it was stored for another pattern, and as make_plan.
std::shared_ptr<const FactorPlan> restore_plan(const PatternView& pattern, StoredPlan stored, const RestoreOptions& wanted,
                                               const std::function<bool(const Progress&)>& progress = {});

}  // namespace gpusupernodal
