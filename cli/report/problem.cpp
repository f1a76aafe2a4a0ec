#include "cli/report/problem.hpp"

#include <cstddef>
#include <random>
#include <utility>

#include "base/fmt.hpp"
#include "cli/load_matrix.hpp"
#include "cli/print.hpp"
#include "gpusupernodal/error.hpp"
#include "io/complex_matrix.hpp"
#include "io/generators.hpp"
#include "io/residual.hpp"

namespace gpusupernodal::cli {
namespace {

Problem load_any(const std::string& spec, bool lu, bool symmetric_only) {
  const bool general = lu || (io::is_general_generator(spec) && !symmetric_only);
  refuse_misspelt_generator(spec);
  if (general) return Problem(load_general_matrix(spec));
  if (symmetric_only || io::is_generator(spec)) return Problem(load_matrix(spec));
  try {
    return Problem(io::load(spec));
  } catch (const io::NotSymmetric&) {
    return Problem(load_general_matrix(spec));
  }
}

}  // namespace

Problem::Problem(io::SymmetricMatrix matrix)
    : symmetric_(std::make_shared<io::SymmetricMatrix>(std::move(matrix))),
      name_(symmetric_->name),
      view_(symmetric_->view()),
      entries_(full_nonzeros(*symmetric_)) {}

Problem::Problem(io::GeneralMatrix matrix)
    : general_(std::make_shared<io::GeneralMatrix>(std::move(matrix))),
      name_(general_->name),
      view_(general_->view()),
      entries_(full_nonzeros(*general_)) {}

Span<const double> Problem::values() const { return is_symmetric() ? symmetric_->values : general_->values; }

std::vector<double> Problem::diagonal() const {
  std::vector<double> diagonal(static_cast<std::size_t>(order()), 0.0);
  for (std::int64_t j = 0; j < view_.n; ++j) {
    for (std::int64_t e = view_.offsets[j]; e < view_.offsets[j + 1]; ++e) {
      if (view_.indices[e] == j) diagonal[static_cast<std::size_t>(j)] = view_.values[e];
    }
  }
  return diagonal;
}

double Problem::backward_error(const std::vector<double>& x, const std::vector<double>& b) const {
  return is_symmetric() ? io::backward_error(*symmetric_, x, b) : io::backward_error(*general_, x, b);
}

Problem load_problem(const std::string& spec, bool lu, bool symmetric_only) {
  try {
    return load_any(spec, lu, symmetric_only);
  } catch (const io::HoldsComplexNumbers&) {
    throw InvalidInput(fmt::format("{} has complex numbers; a report is about real matrices", spec), __FILE__, __LINE__);
  }
}

std::vector<double> right_hand_side(const std::string& file, std::int64_t n) {
  if (!file.empty()) {
    io::DenseMatrix b = io::read_dense(file, n);
    if (b.cols != 1)
      throw InvalidInput(fmt::format("{} has {} columns; a report takes one right-hand side", file, b.cols), __FILE__,
                         __LINE__);
    return std::move(b.values);
  }
  std::mt19937_64 random(25);
  std::vector<double> b(static_cast<std::size_t>(n));
  for (double& entry : b) entry = static_cast<double>(random() >> 11U) * 0x1p-52 - 1.0;
  return b;
}

}  // namespace gpusupernodal::cli
