#pragma once

/// \file
/// Loads the matrix that the command line names.

#include <string>

#include "io/complex_matrix.hpp"
#include "io/general_matrix.hpp"
#include "io/rectangular_matrix.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::cli {

/// Throws InvalidInput with the nearest generator if `spec` is no file and no generator, but looks like a misspelt
/// generator.
void refuse_misspelt_generator(const std::string& spec);

/// Loads a file or generates a matrix as io::load does. Throws InvalidInput with the nearest generator if `spec` looks like
/// a misspelt one and there is no such file. Throws FileError or InvalidInput with a sentence that names --form lu if the
/// matrix is not symmetric. Otherwise throws what io::load throws.
io::SymmetricMatrix load_matrix(const std::string& spec);

/// As load_matrix, for matrices of any symmetry; calls io::load_general.
io::GeneralMatrix load_general_matrix(const std::string& spec);

/// As load_general_matrix, for matrices of any shape.
io::RectangularMatrix load_rectangular_matrix(const std::string& spec);

/// Reads a file of complex numbers: the lower triangle of a Hermitian one for Cholesky, of a Hermitian or symmetric one for
/// LDLᵀ, all entries for LU. Throws FileError; its sentence names the form that takes the matrix.
io::ComplexMatrix load_complex_matrix(const std::string& path, Form form);

}  // namespace gpusupernodal::cli
