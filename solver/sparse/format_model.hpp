#pragma once

/// \file
/// What is known about each format: whether a matrix fits it, what a product moves, how long it takes. A format joins by a
/// file with a function of this header's type and a line in format_models.cpp.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "solver/sparse/sparse_layout.hpp"

namespace gpusupernodal {

/// A matrix, as the models see it. Cost O(rows), and O(entries) for the diagonals.
struct SparseFeatures {
  explicit SparseFeatures(const RowPattern& p);

  const RowPattern& pattern;
  double rows = 0.0;
  double columns = 0.0;
  double entries = 0.0;
  double mean_length = 0.0;  ///< Of the rows.
  double max_length = 0.0;
  double gather_sectors = 0.0;  ///< Sectors of 32 bytes that 32 neighbouring rows touch in x for each entry; sampled.
};

/// Figures of a machine.
struct MachineFigures {
  double memory_rate = 0.0;  ///< Bytes a second from memory.
  double cache_rate = 0.0;   ///< Bytes a second from the last cache.
  double cache_bytes = 0.0;  ///< Bytes of matrix and vectors that stay in it from product to product.
};

/// Figures of a kernel on a machine.
struct KernelFigures {
  double start = 0.0;       ///< Seconds of an empty product.
  double step = 0.0;        ///< Seconds of each step of the longest row, while a few warps wait for it.
  double efficiency = 1.0;  ///< Part of the machine's rates that the kernel reaches.
  double warp = 0.0;        ///< Seconds of a warp (host: of a row), shared by all that run at once.
  double warp_step = 0.0;   ///< Seconds of a step of a warp (host: of a stored value).
};

/// What a format would store, and how its kernel would run.
struct StoredShape {
  double stored_values = 0.0;
  double bytes = 0.0;         ///< Of matrix, x and y that a product moves at least.
  double cached_bytes = 0.0;  ///< Further bytes from the last cache: gathers of x, second reads.
  double steps = 0.0;         ///< Of the longest row.
  double warps = 0.0;
  double warp_steps = 0.0;  ///< Of all warps together.
};

/// T = start + max(bytes / rate, warp·warps + warp_step·warp_steps, step·steps), a smooth maximum. Bytes in the cache move
/// at its rate.
double predicted_seconds(const StoredShape& shape, const KernelFigures& kernel, const MachineFigures& machine);

/// One way to store a matrix.
struct LayoutCandidate {
  Format format = Format::csr;
  std::string kernel;
  std::string refusal;  ///< Why the matrix cannot be stored so; empty if it can.
  StoredShape shape;
  double seconds = 0.0;
  std::function<SparseLayout()> make;  ///< Makes the layout while the pattern lives.
};

/// The ways of one format that are worth a comparison; a single one with a refusal if the matrix does not fit it.
using FormatModel = std::vector<LayoutCandidate> (*)(const SparseFeatures& features, const LayoutWish& wish);

std::vector<LayoutCandidate> coo_candidates(const SparseFeatures& features, const LayoutWish& wish);
std::vector<LayoutCandidate> csr_candidates(const SparseFeatures& features, const LayoutWish& wish);
std::vector<LayoutCandidate> dia_candidates(const SparseFeatures& features, const LayoutWish& wish);
std::vector<LayoutCandidate> ell_candidates(const SparseFeatures& features, const LayoutWish& wish);
std::vector<LayoutCandidate> hyb_candidates(const SparseFeatures& features, const LayoutWish& wish);
std::vector<LayoutCandidate> sell_candidates(const SparseFeatures& features, const LayoutWish& wish);
std::vector<LayoutCandidate> block_candidates(const SparseFeatures& features, const LayoutWish& wish);

/// Figures of the machine for a backend.
MachineFigures machine_figures(Backend backend);

/// All candidates, or those of the wished format, the fastest first; refused ones last.
std::vector<LayoutCandidate> layout_candidates(const RowPattern& pattern, const LayoutWish& wish);

/// Stored values that a format may have at most, so that padding stays bounded: three times the entries, and always 4096.
double most_stored_values(const SparseFeatures& features);

/// A candidate that cannot be made.
LayoutCandidate refused(Format format, std::string reason);

/// A candidate that make() makes.
LayoutCandidate candidate(Format format, std::string kernel, const StoredShape& shape, const KernelFigures& figures,
                          const LayoutWish& wish, std::function<SparseLayout()> make);

/// Bytes that gathers of x take from the cache for this many entries.
double gathered_bytes(const SparseFeatures& features, double entries);

/// Bytes of x and y in a product with beta = 0.
double vector_bytes(const SparseFeatures& features, const LayoutWish& wish);

}  // namespace gpusupernodal
