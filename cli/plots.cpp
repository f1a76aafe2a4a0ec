#include "cli/plots.hpp"

#include "cli/json.hpp"
#include "cli/options.hpp"
#include "cli/plot/pattern_plot.hpp"
#include "cli/plot/tree_plot.hpp"
#include "cli/print.hpp"
#include "gpusupernodal/error.hpp"

namespace gpusupernodal::cli {
namespace {

void add_file(CLI::App& app, const char* flag, std::string& file, const char* help) {
  app.add_option(flag, file, help)->check(is_named)->option_text("FILE");
}

void write_tree(const std::string& file, const FactorPlan& plan, const std::string& name) {
  if (file.empty()) return;
  require_tree(plan, "--plot-tree");
  write_text(file, tree_plot(assembly_tree(plan), name));
}

}  // namespace

void add_plots(CLI::App& app, PlotFiles& files) {
  add_file(app, "--plot-pattern", files.pattern, "draw where A has entries, as SVG; '-' writes it alone to\nstdout");
  add_file(app, "--plot-tree", files.tree, "draw the assembly tree, as SVG; '-' as above");
}

void add_trace_plot(CLI::App& app, PlotFiles& files) {
  add_file(app, "--plot-trace", files.trace,
           "draw what ran where and when, as SVG; '-' as above.\nA trace slows down small systems");
}

void check_plots(const PlotFiles& files, Form form) {
  if (form == Form::lu && !files.pattern.empty())
    throw InvalidInput("--plot-pattern draws symmetric matrices, not those of --form lu.", __FILE__, __LINE__);
}

void require_tree(const FactorPlan& plan, const std::string& flag) {
  if (!assembly_tree(plan).empty()) return;
  throw InvalidInput(flag + " has no assembly tree to draw: the matrix is empty, or LU works without supernodes. " +
                         "--lu-schedule supernodes has a tree.",
                     __FILE__, __LINE__);
}

void write_plots(const PlotFiles& files, const io::SymmetricMatrix& matrix, const FactorPlan& plan,
                 const std::vector<std::int64_t>& old_of_new) {
  if (!files.pattern.empty()) write_text(files.pattern, pattern_plot(matrix, old_of_new));
  write_tree(files.tree, plan, matrix.name);
}

void write_plots(const PlotFiles& files, const io::GeneralMatrix& matrix, const FactorPlan& plan,
                 const std::vector<std::int64_t>& /*old_of_new*/) {
  write_tree(files.tree, plan, matrix.name);
}

void write_plots(const PlotFiles& files, const io::ComplexMatrix& matrix, const FactorPlan& plan,
                 const std::vector<std::int64_t>& old_of_new) {
  io::SymmetricMatrix pattern;  // Its values are not drawn.
  pattern.name = matrix.name;
  pattern.n = matrix.n;
  pattern.offsets = matrix.offsets;
  pattern.indices = matrix.indices;
  write_plots(files, pattern, plan, old_of_new);
}

void print_plots(const PlotFiles& files) {
  print_line("pattern", files.pattern);
  print_line("tree", files.tree);
  print_line("time line", files.trace);
}

}  // namespace gpusupernodal::cli
