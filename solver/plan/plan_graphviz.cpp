#include "solver/common/fail.hpp"
#include "solver/factor/task_flops.hpp"
#include "solver/plan/plan_json.hpp"

namespace gpusupernodal {

std::string describe_graphviz(const FactorPlan& plan, std::int64_t max_supernodes) {
  const SymbolicFactor& factor = plan.symbolic;
  if (factor.supernodes() > max_supernodes) {
    fail<InvalidInput>("the assembly tree has {} supernodes, more than the {} that a drawing may have", factor.supernodes(),
                       max_supernodes);
  }
  std::string dot = "digraph assembly_tree {\n  rankdir=BT;\n  node [shape=box, style=filled];\n";
  for (SupernodeId s : factor.supernode_ids()) {
    const char* const colour = plan.host().schedule.in_leaf_subtree(s) ? "white" : "lightblue";
    dot += fmt::format("  s{} [label=\"{}\\nwidth {}\\nrows below {}\\n{:.2g} flops\", fillcolor={}];\n", s.value, s.value,
                       factor.width(s), factor.rows_below(s), supernode_flops(factor, s), colour);
  }
  for (SupernodeId s : factor.supernode_ids()) {
    if (factor.parent[s].valid()) dot += fmt::format("  s{} -> s{};\n", s.value, factor.parent[s].value);
  }
  return dot + "}\n";
}

}  // namespace gpusupernodal
