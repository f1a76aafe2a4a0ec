// Several ranks of MPI factorize a matrix together and solve with it: mpiexec -n 4 ./distributed [M]
//
// Each rank computes the entries of A that belong to it, because the matrix is a formula here. A program that assembles its
// matrix in another distribution sends each entry to the rank that part_of_entry names.

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <gpusupernodal/distributed_solver.hpp>
#include <vector>

#include "../grid.hpp"
#include "mpi_fabric.hpp"

namespace {

/// Adds each rank's entries of a vector into the whole vector on all ranks, to check the residual.
std::vector<double> whole(const std::vector<std::int64_t>& rows, const std::vector<double>& own, std::int64_t n) {
  std::vector<double> all(static_cast<std::size_t>(n), 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) all[static_cast<std::size_t>(rows[i])] = own[i];
  MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(n), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/// Factorizes and solves with two reactions, and once with a matrix that is not positive definite. Returns whether all is
/// as it should be.
bool run(int m) {
  example::MpiFabric fabric(MPI_COMM_WORLD);
  example::Grid a(m);
  gpusupernodal::Options options;
  options.threads = 1;
  const auto plan = fabric.part() == 0 ? gpusupernodal::Solver<double>::preview(a.view(), options).plan : nullptr;
  gpusupernodal::DistributedSolver<double> solver(fabric);
  solver.analyze(plan, options);

  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> columns;
  std::vector<std::size_t> places;
  for (std::int64_t j = 0; j < a.n(); ++j) {
    for (auto p = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j)]);
         p < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j) + 1]); ++p) {
      if (solver.part_of_entry(a.rows[p], j) != fabric.part()) continue;
      rows.push_back(a.rows[p]);
      columns.push_back(j);
      places.push_back(p);
    }
  }
  solver.set_entries(rows, columns, gpusupernodal::StoredPart::lower);
  const auto own_values = [&] {
    std::vector<double> values;
    for (const std::size_t p : places) values.push_back(a.values[p]);
    return values;
  };

  bool right = true;
  const std::vector<double> b(solver.rows().size(), 1.0);
  for (const double reaction : {0.0, 1.0}) {
    a.set_reaction(reaction);
    std::vector<double> x(b.size());
    const auto count = static_cast<std::int64_t>(b.size());
    right = solver.factorize(own_values()) == gpusupernodal::Status::success && right;
    solver.solve({b.data(), count}, {x.data(), count});
    const std::vector<double> all = whole(solver.rows(), x, a.n());
    const std::vector<double> ones(all.size(), 1.0);
    right = example::backward_error(a, all.data(), ones.data()) <= example::rounding_bound(a.n()) && right;
  }
  a.diagonal(a.n() / 2) = -1.0;
  right = solver.factorize(own_values()) == gpusupernodal::Status::not_positive_definite && right;
  right = solver.factor_report().failed_column == a.n() / 2 && right;
  if (fabric.part() == 0) {
    for (const gpusupernodal::PartReport& part : solver.distribution().parts)
      std::printf("%lld subtrees, %lld block columns, %lld bytes\n", static_cast<long long>(part.subtrees),
                  static_cast<long long>(part.top_columns), static_cast<long long>(part.bytes));
  }
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 1;
  try {
    code = run(argc > 1 ? std::atoi(argv[1]) : 60) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  if (code != 0) MPI_Abort(MPI_COMM_WORLD, code);  // The other ranks may be waiting for messages.
  MPI_Finalize();
  return code;
}
