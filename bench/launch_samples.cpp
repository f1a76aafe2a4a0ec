#include "bench/launch_samples.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "base/descent.hpp"
#include "bench/timing.hpp"
#include "kernels/common/tile_shapes.hpp"
#include "solver/backend/executor.hpp"
#include "solver/backend/trace.hpp"

namespace gpusupernodal::bench {
namespace {

template <class Work, class Visit>
void for_each_number(Work& work, const Visit& visit) {
  visit("tiny_fronts", work.tiny_fronts);
  visit("small_fronts", work.small_fronts);
  visit("small_strips", work.small_strips);
  visit("diagonal_blocks", work.diagonal_blocks);
  visit("diagonal_strips", work.diagonal_strips);
  visit("ahead_blocks", work.ahead_blocks);
  visit("ahead_strips", work.ahead_strips);
  visit("scale_tiles", work.scale_tiles);
  visit("product_tiles", work.product_tiles);
  visit("product_depth", work.product_depth);
  visit("product_columns", work.product_columns);
}

/// A launch with the name of its trace mark.
struct NamedLaunch {
  const char* name;
  CudaLevelWork work;
};

/// The launches of a level except its products, in launch order. The launch for the rows below includes the strips of the
/// diagonal blocks. `ahead`: the products of the previous level also factorize some of this level's blocks.
std::vector<NamedLaunch> launches_of(const CudaLevelWork& level, bool ahead) {
  std::vector<NamedLaunch> launches;
  if (level.tiny_fronts + level.small_fronts > 0) {
    CudaLevelWork fronts;
    fronts.tiny_fronts = level.tiny_fronts;
    fronts.small_fronts = level.small_fronts;
    fronts.small_strips = level.small_strips;
    launches.push_back({"front", fronts});
  }
  CudaLevelWork diagonal;
  diagonal.diagonal_blocks = level.diagonal_blocks;
  diagonal.diagonal_strips = level.diagonal_strips;
  CudaLevelWork scale;
  scale.diagonal_strips = level.diagonal_strips;
  scale.scale_tiles = level.scale_tiles;
  if (!ahead && cuda::is_one_launch(level.diagonal_blocks, level.scale_tiles)) {
    diagonal.scale_tiles = level.scale_tiles;
    launches.push_back({"column", diagonal});
  } else {
    if (level.diagonal_blocks > 0) launches.push_back({"diagonal", diagonal});
    if (level.scale_tiles > 0) launches.push_back({"scale", scale});
  }
  return launches;
}

/// The launch of a level's products, including the blocks of the next level that it factorizes.
CudaLevelWork products_of(const CudaLevelWork& level) {
  CudaLevelWork product;
  product.product_tiles = level.product_tiles;
  product.product_depth = level.product_depth;
  product.product_columns = level.product_columns;
  product.ahead_blocks = level.ahead_blocks;
  product.ahead_strips = level.ahead_strips;
  return product;
}

bool is_launch(const TraceSlice& slice) {
  const auto is = [&](const char* name) { return std::strcmp(slice.name, name) == 0; };
  return slice.group == TraceGroup::streams &&
         (is("front") || is("diagonal") || is("scale") || is("column") || is("product"));
}

std::vector<TraceSlice> launches_in(const Trace& trace) {
  std::vector<TraceSlice> slices;
  for (const TraceSlice& slice : trace.slices()) {
    if (is_launch(slice)) slices.push_back(slice);
  }
  std::stable_sort(slices.begin(), slices.end(), [](const TraceSlice& a, const TraceSlice& b) { return a.begin < b.begin; });
  return slices;
}

/// Returns the work of each launch in a trace. A level may have no launch of products, because products may be launched with
/// those of earlier levels.
std::vector<LaunchSample> samples_of(const std::string& matrix, const std::vector<CudaLevelWork>& levels,
                                     const std::vector<TraceSlice>& slices) {
  std::vector<LaunchSample> samples;
  const auto next_is = [&](const char* name) {
    return samples.size() < slices.size() && std::strcmp(slices[samples.size()].name, name) == 0;
  };
  bool ahead = false;
  for (const CudaLevelWork& level : levels) {
    for (const NamedLaunch& launch : launches_of(level, ahead)) {
      if (!next_is(launch.name)) throw std::runtime_error("a trace has other launches than the plan");
      samples.push_back({matrix, launch.work, 0.0});
    }
    if (next_is("product")) samples.push_back({matrix, products_of(level), 0.0});
    ahead = level.ahead_blocks > 0;
  }
  if (samples.size() != slices.size()) throw std::runtime_error("a trace has more launches than the plan");
  return samples;
}

/// Uses one stream, so that launches are sequential, as the model assumes.
std::unique_ptr<Executor<double>> executor_for(const std::shared_ptr<const FactorPlan>& plan, bool trace) {
  CudaPlanOptions cuda = plan->cuda().options;
  cuda.streams = 1;
  ExecutorOptions options;
  options.trace = trace;
  return make_cuda_executor<double>(with_cuda(plan, cuda, 1)->cuda_plan(), options);
}

FactorInput<double> input_of(const MatrixView<double>& a) {
  FactorInput<double> input;
  input.values = a.values;
  return input;
}

double untraced_seconds(const MatrixView<double>& a, const std::shared_ptr<const FactorPlan>& plan, int repeat) {
  const auto executor = executor_for(plan, false);
  std::vector<double> seconds;
  for (int r = 0; r < repeat + 2; ++r) {
    const double taken = seconds_of([&] {
      executor->factorization().factorize(input_of(a));
      executor->factorization().outcome();
    });
    if (r >= 2) seconds.push_back(taken);
  }
  return median(seconds);
}

}  // namespace

std::vector<LaunchSample> measure_launches(const std::string& matrix, const MatrixView<double>& a,
                                           const std::shared_ptr<const FactorPlan>& plan, int repeat) {
  const auto executor = executor_for(plan, true);
  std::vector<LaunchSample> samples;
  std::vector<std::vector<double>> times;
  std::vector<double> whole;
  for (int r = 0; r < repeat; ++r) {
    whole.push_back(seconds_of([&] {
      executor->factorization().factorize(input_of(a));
      executor->factorization().outcome();
    }));
    const std::vector<TraceSlice> slices = launches_in(*executor->context().trace());
    if (r == 0) samples = samples_of(matrix, plan->cuda().fronts.levels, slices);
    if (slices.size() != samples.size()) throw std::runtime_error("two traces have different launches");
    times.resize(samples.size());
    for (std::size_t i = 0; i < slices.size(); ++i)
      times[i].push_back(static_cast<double>(slices[i].end - slices[i].begin) * 1e-9);
  }
  double least = 1.0;
  for (std::size_t i = 0; i < samples.size(); ++i) least = std::min(least, samples[i].seconds = median(times[i]));
  const double marks = (median(whole) - untraced_seconds(a, plan, repeat)) / static_cast<double>(samples.size());
  const double taken_off = std::clamp(marks, 0.0, 0.6 * least);
  for (LaunchSample& sample : samples) sample.seconds -= taken_off;
  return samples;
}

nlohmann::json to_json(const LaunchSample& sample) {
  nlohmann::json json{{"matrix", sample.matrix}, {"seconds", sample.seconds}};
  for_each_number(sample.work, [&](const char* name, double value) {
    if (value > 0) json["work"][name] = value;
  });
  return json;
}

LaunchSample launch_sample_of(const nlohmann::json& json) {
  LaunchSample sample{json.at("matrix"), {}, json.at("seconds")};
  for_each_number(sample.work, [&](const char* name, double& value) { value = json.at("work").value(name, 0.0); });
  return sample;
}

double launch_loss(const std::vector<LaunchSample>& samples, const LaunchFigures& figures) {
  double sum = 0.0;
  for (const LaunchSample& sample : samples) {
    const double error = std::log(cuda_level_seconds(sample.work, figures) / sample.seconds);
    sum += error * error;
  }
  return samples.empty() ? 0.0 : sum / static_cast<double>(samples.size());
}

void fit_launches(const std::vector<LaunchSample>& samples, LaunchFigures& figures) {
  // The excluded figures are properties of the device or not determined by launch times of levels.
  const auto is_fitted = [](std::string_view name) {
    return name != "tasks_at_once" && name != "bytes_per_second" && name != "solve_bytes_per_second" &&
           !name.starts_with("run_");
  };
  const auto for_each_fitted = [&](LaunchFigures& f, const auto& visit) {
    for_each_launch_figure(f, [&](const char* name, double& value) {
      if (is_fitted(name)) visit(name, value);
    });
  };
  fit_figures(figures, for_each_fitted, [&] { return launch_loss(samples, figures); });
}

}  // namespace gpusupernodal::bench
