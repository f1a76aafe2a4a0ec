#pragma once

/// \file
/// Figures of products in a cost model file, as `gpusupernodal tune` stores them beside the figures of factorizations.

#include <memory>
#include <string>

#include "gpusupernodal/options.hpp"
#include "solver/sparse/product_figures.hpp"

namespace gpusupernodal {

/// Figures of a machine, which carries its name: a processor's, or a line of BackendInfo::devices.
struct NamedProductFigures {
  std::string machine;
  ProductFigures figures;
};

/// Figures, and where they come from.
struct FoundProductFigures {
  std::shared_ptr<const ProductFigures> figures;  ///< nullptr: the built-in ones.
  std::string source;                             ///< For readers; names a file that was ignored, and why.
};

/// The name that files carry for the host, or for a CUDA device; −1: the calling thread's current device. Empty if there is
/// no such device, or the system does not name its processor.
std::string product_machine(Backend backend, int device);

/// Reads the figures of a backend. Throws InvalidInput, naming the file, if it is corrupt, lacks a figure, is of another
/// version or of another machine than `machine`, or if `machine` is empty, which no file fits.
ProductFigures read_product_figures(const std::string& path, Backend backend, const std::string& machine);

/// Throws InvalidInput if a file of this name exists and is no cost model, or cannot be written. Writes nothing.
void check_product_figures_file(const std::string& path);

/// Puts figures into a file, and keeps what else a cost model has there. The file is read, changed and replaced without a
/// lock: of two writers at once one loses its figures. Throws as check_product_figures_file. Precondition: the machine has a
/// name.
void write_product_figures(const std::string& path, Backend backend, const NamedProductFigures& figures);

/// Figures of the file that the environment variable GPUSUPERNODAL_COST_MODEL names, for the host or a device as in
/// product_machine; the built-in ones if none is named or it cannot be used, which `source` says. Never throws for a file.
FoundProductFigures found_product_figures(Backend backend, int device);
/// As above, but `device` is a line of BackendInfo::devices. The host backend ignores it.
FoundProductFigures found_product_figures(Backend backend, const std::string& device);

}  // namespace gpusupernodal
