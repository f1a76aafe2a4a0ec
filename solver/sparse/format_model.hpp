#pragma once

/// \file
/// What is known about each format: whether a matrix fits it, what a product moves, how long it takes. A format joins by a
/// file with a function of this header's type and a line in format_models.cpp.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "solver/sparse/product_figures.hpp"
#include "solver/sparse/sparse_layout.hpp"

namespace gpusupernodal {

/// A matrix, as the models see it. Cost O(rows), and O(entries) for the diagonals.
struct SparseFeatures {
  explicit SparseFeatures(const RowPattern& p);

  const RowPattern& pattern;
  double rows = 0.0;
  double columns = 0.0;
  double entries = 0.0;
  double mean_length = 0.0;  ///< Mean length of the rows.
  double max_length = 0.0;
  double gather_sectors = 0.0;  ///< Sectors of 32 bytes that 32 neighbouring rows touch in x for each entry; sampled.
};

/// What a format would store, and how its kernel would run.
struct StoredShape {
  double stored_values = 0.0;
  double bytes = 0.0;         ///< Bytes of matrix, x and y that a product moves at least.
  double cached_bytes = 0.0;  ///< Further bytes from the last cache: gathers of x, second reads.
  double steps = 0.0;         ///< Steps of the longest row.
  double warps = 0.0;         ///< Host: rows (csr, sell, ell, hyb, coo), blocks (block), runs along a diagonal (dia).
  double warp_steps = 0.0;    ///< Steps of all warps together; host: multiplications.
  int workers = 1;            ///< Threads of the host that share the product; 1 on a device.
  double pieces = 512.0;      ///< Host: pieces that workers can share; further ones find no work.
};

/// T = start + max(bytes / rate, (warp·warps + warp_step·warp_steps) / workers, step·steps), a smooth maximum. Bytes in the
/// cache move at its rate. Each worker beyond the first takes time to wake.
double predicted_seconds(const StoredShape& shape, const KernelFigures& kernel, const MachineFigures& machine);

/// Predicted time with one worker. Formats are chosen by it, so that the choice, and with it the bits of products, does not
/// depend on the number of threads.
double one_worker_seconds(const StoredShape& shape, const KernelFigures& kernel, const MachineFigures& machine);

/// A member of ProductFigures.
using KernelOfFigures = KernelFigures ProductFigures::*;

/// One way to store a matrix.
struct LayoutCandidate {
  Format format = Format::csr;
  std::string kernel;
  std::string refusal;  ///< Why the matrix cannot be stored so; empty if it can.
  StoredShape shape;
  KernelOfFigures figures = &ProductFigures::csr;
  double seconds = 0.0;                ///< Predicted time of a product.
  double one_worker_seconds = 0.0;     ///< Predicted time of a product with one worker.
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

/// Built-in figures of the machine for a backend.
MachineFigures machine_figures(Backend backend);

/// Pieces of DIA on the host have this many rows, or more: each costs a run of a short loop for every diagonal.
inline constexpr std::int64_t least_diagonal_rows = 256;

/// Threads of the host that multiply by a matrix with this many stored values, in all its parts, and this many pieces.
int product_workers(double stored_values, double pieces, int threads);

/// All candidates, or those of the requested format, the fastest with one worker first; refused ones last.
std::vector<LayoutCandidate> layout_candidates(const RowPattern& pattern, const LayoutWish& wish);

/// Stored values that a format may have at most, so that padding stays bounded: three times the entries, and always 4096.
double most_stored_values(const SparseFeatures& features);

/// A candidate that cannot be made.
LayoutCandidate refused(Format format, std::string reason);

/// A candidate that make() makes. `figures` are the kernel's.
LayoutCandidate candidate(Format format, std::string kernel, const StoredShape& shape, KernelOfFigures figures,
                          const LayoutWish& wish, std::function<SparseLayout()> make);

/// Bytes that gathers of x take from the cache for this many entries.
double gathered_bytes(const SparseFeatures& features, double entries);

/// Bytes of x and y in a product with beta = 0.
double vector_bytes(const SparseFeatures& features, const LayoutWish& wish);

}  // namespace gpusupernodal
