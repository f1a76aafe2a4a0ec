/// \file
/// Our solver, on the host, or on a CUDA device with A, b and x in device memory.

#include "gpusupernodal/gpusupernodal.hpp"

#include "bench/peers/peer.hpp"
#include "bench/peers/permutation_file.hpp"
#include "gpusupernodal/names.hpp"

#ifdef GPUSUPERNODAL_BENCH_CUDA
#include "bench/peers/device.hpp"
#endif

namespace gpusupernodal::bench {

namespace {

/// Vectors and matrix values in the backend's memory space.
class Vectors {
 public:
  virtual ~Vectors() = default;
  virtual double* values() = 0;
  virtual double* b() = 0;
  virtual double* x() = 0;
  virtual std::vector<double> solution(std::size_t count) = 0;
  virtual void finish() {}
  virtual double memory(const Solver<double>& solver) = 0;
};

class HostVectors : public Vectors {
 public:
  explicit HostVectors(const Problem& problem) : values_(problem.a.values), b_(problem.b), x_(problem.b.size()) {}
  double* values() override { return values_.data(); }
  double* b() override { return b_.data(); }
  double* x() override { return x_.data(); }
  std::vector<double> solution(std::size_t count) override {
    return {x_.begin(), x_.begin() + static_cast<std::ptrdiff_t>(count)};
  }
  double memory(const Solver<double>& solver) override {
    return static_cast<double>(solver.analyze_report().memory.total());
  }

 private:
  std::vector<double> values_, b_, x_;
};

#ifdef GPUSUPERNODAL_BENCH_CUDA
class DeviceVectors : public Vectors {
 public:
  explicit DeviceVectors(const Problem& problem) : values_(problem.a.values), b_(problem.b), x_(problem.b.size()) {}
  double* values() override { return values_.data(); }
  double* b() override { return b_.data(); }
  double* x() override { return x_.data(); }
  std::vector<double> solution(std::size_t count) override { return x_.first(count); }
  void finish() override { finish_device(); }
  double memory(const Solver<double>&) override { return watch_.taken(); }

 private:
  DeviceArray<double> values_, b_, x_;
  DeviceMemoryWatch watch_;
};

#endif

Options options_of(const PeerSettings& settings) {
  Options options;
  options.backend = settings.mode == "host" ? Backend::host : Backend::cuda;
  if (settings.mode == "streams") options.cuda_schedule = CudaSchedule::streams;
  options.threads = settings.threads;
  return options;
}

std::unique_ptr<Vectors> make_vectors(const Problem& problem, Backend backend) {
#ifdef GPUSUPERNODAL_BENCH_CUDA
  if (backend == Backend::cuda) return std::make_unique<DeviceVectors>(problem);
#endif
  if (backend == Backend::cuda) throw std::runtime_error("this program was built without CUDA");
  return std::make_unique<HostVectors>(problem);
}

class OurPeer : public Peer {
 public:
  OurPeer(const Problem& problem, const PeerSettings& settings)
      : problem_(problem), settings_(settings), options_(options_of(settings)) {
    vectors_ = make_vectors(problem, options_.backend);
    stored_ = read_permutation(settings.permutation_file, problem.n());
    ordered_before_ = !stored_.old_of_new.empty();
    if (ordered_before_) {
      options_.ordering = Ordering::user;
      options_.permutation = stored_.old_of_new;
    }
    options_.plan_cache = false;  // So that every analysis is computed.
    solver_ = std::make_unique<Solver<double>>(options_);
    solver_->reserve_right_hand_sides(problem.columns);
  }

  void analyze() override { solver_->analyze(problem_.a.view()); }
  void factorize() override { refactorize(); }
  void refactorize() override {
    solver_->refactorize(Span<const double>(vectors_->values(), problem_.a.values.size()), space());
  }
  void solve(int columns) override {
    const std::int64_t n = problem_.n();
    solver_->solve({vectors_->b(), n, columns, n, space()}, {vectors_->x(), n, columns, n, space()});
  }
  void finish() override { vectors_->finish(); }
  std::vector<double> solution(int columns) override {
    if (solver_->status() != Status::success) throw std::runtime_error("the matrix is not positive definite");
    return vectors_->solution(static_cast<std::size_t>(problem_.n() * columns));
  }

  Fields fields() override {
    const AnalyzeReport& report = solver_->analyze_report();
    store_permutation(report);
    Fields fields = {{"nnz_l", report.nonzeros_l},
                     {"flops", report.flops},
                     {"stored_l", report.stored_l},
                     {"stored_flops", report.stored_flops},
                     {"device", report.device},
                     {"memory", vectors_->memory(*solver_)},
                     {"memory_said", report.memory.total()},
                     {"version", gpusupernodal::version()},
                     {"settings", "defaults, ordering " + std::string(name_of(report.ordering))}};
    fields["reorder"] = report.seconds_ordering;
    fields["symbolic"] = report.seconds_total - report.seconds_ordering;
    if (ordered_before_) {
      fields.update(stored_.cost);
      fields["analyze_with_ordering"] = fields["reorder"].get<double>() + fields["symbolic"].get<double>();
    }
    return fields;
  }

 private:
  MemorySpace space() const { return options_.backend == Backend::host ? MemorySpace::host : MemorySpace::device; }

  /// Stores the permutation of the last analysis in the file, unless no file is named or one is stored already.
  void store_permutation(const AnalyzeReport& report) {
    if (settings_.permutation_file.empty() || !stored_.old_of_new.empty()) return;
    stored_.old_of_new = solver_->old_of_new();
    stored_.cost = {{"reorder", report.seconds_ordering},
                    {"settings", "defaults, ordering " + std::string(name_of(report.ordering))}};
    write_permutation(settings_.permutation_file, stored_);
  }

  const Problem& problem_;
  PeerSettings settings_;
  Options options_;
  std::unique_ptr<Vectors> vectors_;
  std::unique_ptr<Solver<double>> solver_;
  StoredPermutation stored_;
  bool ordered_before_ = false;
};

}  // namespace

}  // namespace gpusupernodal::bench

int main(int argc, char** argv) {
  using namespace gpusupernodal::bench;
  return run_peer(argc, argv,
                  {"gpusupernodal", {"cuda", "streams", "host"}, [](const Problem& problem, const PeerSettings& settings) {
                     return std::unique_ptr<Peer>(std::make_unique<OurPeer>(problem, settings));
                   }});
}
