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
  double step = 0.0;        ///< Seconds of each step of the longest row.
  double efficiency = 1.0;  ///< Part of the rates of the machine that the kernel reaches.
  double entry = 0.0;       ///< Seconds of a stored value, for its instructions, if the memory were infinitely fast.
};

/// What a format would store.
struct StoredShape {
  double stored_values = 0.0;
  double bytes = 0.0;  ///< Of matrix, x and y that a product moves at least.
  double steps = 0.0;  ///< Of the longest row of a lane.
};

/// T = start + step·steps + max(bytes / rate, entry·stored). Bytes in the cache move at its rate.
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

/// Bytes of x and y in a product with beta = 0.
double vector_bytes(const SparseFeatures& features, const LayoutWish& wish);

}  // namespace gpusupernodal
