/// \file
/// Times A² on a CUDA device, beside all of cuSPARSE's algorithms, and on the host. The pattern and the values are in device
/// memory; memory comes from a pool that is warm, so no time is that of cudaMalloc. Prints a line of JSON for each
/// measurement and then a Markdown table.

#include <cuda_runtime_api.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/fmt.hpp"
#include "bench/cusparse_spgemm.hpp"
#include "bench/device_array.hpp"
#include "gpusupernodal/sparse_product.hpp"
#include "io/general_matrix.hpp"
#include "io/symmetric_matrix.hpp"
#include "solver/sparse/row_pattern.hpp"

namespace {

using namespace gpusupernodal;

/// Keeps what was given back for requests of the same size.
class Pool final : public Allocator {
 public:
  void* allocate(std::size_t bytes, std::size_t) override {
    auto& free = free_[bytes];
    if (!free.empty()) {
      void* const memory = free.back();
      free.pop_back();
      return memory;
    }
    void* memory = nullptr;
    if (cudaMalloc(&memory, bytes) == cudaSuccess) return memory;
    static_cast<void>(cudaGetLastError());
    return nullptr;
  }
  void deallocate(void* pointer, std::size_t bytes, std::size_t) noexcept override { free_[bytes].push_back(pointer); }
  ~Pool() override {
    for (auto& [bytes, free] : free_) {
      for (void* const memory : free) cudaFree(memory);
    }
  }

 private:
  std::map<std::size_t, std::vector<void*>> free_;
};

struct Problem {
  std::string name;
  RowPattern pattern;
  std::vector<double> values;  ///< By rows.
};

Problem load_problem(const std::string& name, bool general) {
  Problem problem;
  std::vector<double> values;
  const auto take = [&](const auto& a) {
    const MatrixView<double> v = a.view();
    problem.name = a.name;
    problem.pattern = make_row_pattern({v.n, v.n, v.offsets, v.indices, v.part, v.compression});
    values = a.values;
  };
  general ? take(io::load_general(name)) : take(io::load(name));
  for (std::int64_t e = 0; e < problem.pattern.entries(); ++e)
    problem.values.push_back(values[static_cast<std::size_t>(problem.pattern.source_of(e))]);
  return problem;
}

/// A copy on the device.
template <class T>
class Copy {
 public:
  template <class Array>
  explicit Copy(const Array& host) {
    const std::size_t bytes = host.size() * sizeof(T);
    if (cudaMalloc(&data_, bytes + 16) != cudaSuccess) throw std::runtime_error("no device memory for a matrix");
    cudaMemcpy(data_, host.data(), bytes, cudaMemcpyHostToDevice);
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  ~Copy() { cudaFree(data_); }
  T* get() const { return static_cast<T*>(data_); }

 private:
  void* data_ = nullptr;
};

struct Times {
  double total = 0.0;
  double repeat = 0.0;
  ProductReport report;
};

template <class T>
Times measure(SparseProduct<T>& product, const SparseView<T>& a, std::size_t count, int rounds) {
  const Span<const T> values(a.values, count);
  const auto all = [&] {
    product.analyze(a, a);
    product.compute(values, values, a.value_space);
    cudaDeviceSynchronize();
  };
  all();
  std::vector<double> totals, repeats;
  for (int r = 0; r < rounds; ++r) {
    totals.push_back(bench::seconds_of(all));
    repeats.push_back(bench::median_seconds(5, [&] { product.compute(values, values, a.value_space); }));
  }
  return {bench::median(totals), bench::median(repeats), product.report()};
}

struct Settings {
  int rounds = 5;
  bool general = false;
  bool host = false;
  bool no_peer = false;
};

template <class T>
void print_times(std::FILE* json, const std::string& name, const char* where, const Times& t) {
  ::fmt::print(json,
               "{{\"matrix\": \"{}\", \"kernel\": \"{}\", \"scalar\": \"{}\", \"total\": {:.4e}, \"repeat\": {:.4e}, "
               "\"entries\": {}, \"products\": {}, \"block\": {}, \"places\": {}, \"peak_bytes\": {}, \"memory_bytes\": {}, "
               "\"reference_bytes\": {}}}\n",
               name, where, sizeof(T) == 4 ? "float" : "double", t.total, t.repeat, t.report.entries, t.report.products,
               t.report.block, t.report.has_places, t.report.peak_bytes, t.report.memory_bytes, t.report.reference_bytes);
}

void run(const Problem& problem, const Settings& settings, std::FILE* json) {
  const RowPattern& pattern = problem.pattern;
  const Copy<std::int32_t> offsets(pattern.offsets), index(pattern.index);
  const Copy<double> values(problem.values);
  SparseView<double> a;
  a.rows = pattern.rows;
  a.columns = pattern.columns;
  a.offsets = offsets.get();
  a.indices = index.get();
  a.values = values.get();
  a.value_space = a.pattern_space = MemorySpace::device;
  ProductOptions options;
  options.backend = Backend::cuda;
  Times ours;
  {
    options.device_allocator = std::make_shared<Pool>();
    SparseProduct<double> product(options);
    ours = measure(product, a, problem.values.size(), settings.rounds);
  }
  print_times<double>(json, problem.name, "cuda", ours);
  std::string cells;
  double best_total = 0.0, best_repeat = 0.0;
  if (!settings.no_peer) {
    for (const bench::SpgemmPeer& peer : bench::time_cusparse_spgemm(
             {pattern.rows, pattern.entries(), offsets.get(), index.get(), values.get(), settings.rounds})) {
      ::fmt::print(json,
                   "{{\"matrix\": \"{}\", \"kernel\": \"{}\", \"failure\": \"{}\", \"total\": {:.4e}, \"repeat\": {:.4e}, "
                   "\"buffer_bytes\": {:.4e}, \"entries\": {}}}\n",
                   problem.name, peer.kernel, peer.failure, peer.total_seconds, peer.repeat_seconds, peer.buffer_bytes,
                   peer.entries);
      if (!peer.failure.empty()) continue;
      if (best_total == 0.0 || peer.total_seconds < best_total) best_total = peer.total_seconds;
      if (peer.repeat_seconds > 0.0) best_repeat = peer.repeat_seconds;
    }
  }
  ::fmt::print("| {} | {:.3g} | {:.3g} | {} | {:.3f} | {:.3f} | {:.2f} | {:.3f} | {:.3f} |\n", problem.name,
               static_cast<double>(ours.report.entries), static_cast<double>(ours.report.products), ours.report.block,
               ours.total * 1e3, ours.repeat * 1e3,
               static_cast<double>(ours.report.peak_bytes + 16 * pattern.entries()) /
                   static_cast<double>(ours.report.reference_bytes),
               best_total * 1e3, best_repeat * 1e3);
  std::fflush(stdout);
  if (!settings.host) return;
  SparseView<double> near = a;
  near.offsets = pattern.offsets.data();
  near.indices = pattern.index.data();
  near.values = problem.values.data();
  near.value_space = near.pattern_space = MemorySpace::host;
  options.backend = Backend::host;
  SparseProduct<double> product(options);
  const Times host = measure(product, near, problem.values.size(), 1);
  print_times<double>(json, problem.name, "host", host);
  ::fmt::print("| {} on the host | | | | {:.1f} | {:.1f} | | | |\n", problem.name, host.total * 1e3, host.repeat * 1e3);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Products of sparse matrices on a device");
  std::vector<std::string> matrices;
  Settings settings;
  std::string file;
  app.add_option("matrices", matrices, "Matrix Market files or generators")->required();
  app.add_option("--rounds", settings.rounds, "Rounds; the median counts")->check(CLI::PositiveNumber);
  app.add_flag("--general", settings.general, "Take matrices as general ones");
  app.add_flag("--host", settings.host, "Measure the host, too");
  app.add_flag("--no-peer", settings.no_peer, "Leave cuSPARSE out");
  app.add_option("--json", file, "File for a line of JSON for each measurement")->required();
  CLI11_PARSE(app, argc, argv);
  std::FILE* const json = std::fopen(file.c_str(), "a");
  if (json == nullptr) return 2;
  ::fmt::print(
      "| A² of | entries | products | block | total, ms | repeat, ms | memory / (A + B + C) | cuSPARSE total | repeat |\n");
  ::fmt::print("|---|---|---|---|---|---|---|---|---|\n");
  for (const std::string& name : matrices) run(load_problem(name, settings.general), settings, json);
  std::fclose(json);
  return 0;
}
