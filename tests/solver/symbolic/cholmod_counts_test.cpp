#include <cholmod.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/symmetric_matrix.hpp"
#include "tests/solver/symbolic/graphs.hpp"
#include "tests/support/data.hpp"

namespace gpusupernodal::test {
namespace {

struct CholmodCounts {
  double nonzeros = -1.0;
  double flops = -1.0;
};

/// CHOLMOD's counts for exactly this elimination order, without its own ordering and postordering.
CholmodCounts cholmod_counts(io::SymmetricMatrix& a, const Permutation& permutation) {
  std::vector<SuiteSparse_long> indices(a.indices.begin(), a.indices.end());
  std::vector<SuiteSparse_long> offsets(a.offsets.begin(), a.offsets.end());
  std::vector<SuiteSparse_long> order;
  for (OldIndex i : permutation.old_of_new) order.push_back(i.value);

  cholmod_common common;
  cholmod_l_start(&common);
  common.nmethods = 1;
  common.method[0].ordering = CHOLMOD_GIVEN;
  common.postorder = 0;
  common.supernodal = CHOLMOD_SIMPLICIAL;
  cholmod_sparse matrix{};
  matrix.nrow = static_cast<std::size_t>(a.n);
  matrix.ncol = static_cast<std::size_t>(a.n);
  matrix.nzmax = indices.size();
  matrix.p = offsets.data();
  matrix.i = indices.data();
  matrix.stype = -1;
  matrix.itype = CHOLMOD_LONG;
  matrix.xtype = CHOLMOD_PATTERN;
  matrix.sorted = 1;
  matrix.packed = 1;
  cholmod_factor* factor = cholmod_l_analyze_p(&matrix, order.data(), nullptr, 0, &common);
  CholmodCounts counts;
  if (factor != nullptr) counts = {common.lnz, common.fl};
  cholmod_l_free_factor(&factor, &common);
  cholmod_l_finish(&common);
  return counts;
}

TEST(CholmodCounts, EqualOursForTheSamePermutation) {
  std::vector<std::string> paths = project_matrices();
  for (const auto& path : further_matrices()) paths.push_back(path);
  for (const auto& path : paths) {
    io::SymmetricMatrix a = io::read_matrix_market(path);
    const SymbolicFactor factor = analyze(graph_of(a), Ordering::automatic, Merging::bounded);
    const CholmodCounts cholmod = cholmod_counts(a, factor.permutation);
    EXPECT_EQ(static_cast<double>(factor.nonzeros), cholmod.nonzeros) << path;
    EXPECT_EQ(factor.flops, cholmod.flops) << path;
  }
}

}  // namespace
}  // namespace gpusupernodal::test
