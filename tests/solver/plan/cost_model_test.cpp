/// Compares the built-in cost figures with measured times of 67 matrices on a host and a device, by the features of their
/// plans.

#include "solver/model/cost_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "solver/model/cuda_fronts.hpp"

namespace gpusupernodal::test {
namespace {

constexpr int threads = 16;
constexpr ScalarType scalar = ScalarType::real_double;

struct Sample {
  std::string matrix;
  double host = 0.0;  ///< Seconds of a factorization and a solve.
  double cuda = 0.0;
  double host_model = 0.0;
  double cuda_model = 0.0;
};

CostFeatures features_of(const nlohmann::json& json) {
  CostFeatures f;
  f.flops = json.at("flops");
  f.critical_flops = json.at("critical_flops");
  f.values = json.at("values");
  f.entries = json.at("entries");
  f.order = json.at("order");
  f.updates = json.at("updates");
  f.supernodes = json.at("supernodes");
  f.levels = json.at("levels");
  f.path_columns = json.at("path_columns");
  f.solve_steps = json.at("solve_steps");
  return f;
}

std::vector<Sample> samples() {
  std::ifstream file(COST_SAMPLES);
  const nlohmann::json json = nlohmann::json::parse(file);
  const CostFigures figures;
  std::vector<Sample> all;
  for (const auto& entry : json.at("samples")) {
    const CostFeatures f = features_of(entry.at("features"));
    Sample s;
    s.matrix = entry.at("matrix");
    s.host = entry.at("host")[0].get<double>() + entry.at("host")[1].get<double>();
    s.cuda = entry.at("cuda")[0].get<double>() + entry.at("cuda")[1].get<double>();
    s.host_model =
        host_factor_seconds(f, figures.host, threads, scalar) + host_solve_seconds(f, figures.host, threads, scalar);
    s.cuda_model = cuda_factor_seconds(f, figures.cuda, scalar) + cuda_solve_seconds(f, figures.cuda, scalar);
    all.push_back(s);
  }
  return all;
}

/// If the backends differ by a third or more, the choice must be right. Below that, the errors of both estimates may add up.
TEST(CostModelMeasured, NamesTheFasterBackend) {
  double taken = 0.0;
  double best = 0.0;
  for (const Sample& s : samples()) {
    const bool cuda = s.cuda_model < s.host_model;
    taken += cuda ? s.cuda : s.host;
    best += std::min(s.cuda, s.host);
    if (std::max(s.cuda, s.host) > 4.0 / 3.0 * std::min(s.cuda, s.host)) {
      EXPECT_EQ(cuda, s.cuda < s.host) << s.matrix;
    }
  }
  EXPECT_GT(best, 0.0);
  EXPECT_LE(taken, 1.003 * best);
}

/// Each estimate is within a factor of the measured time. The host's factor is larger because its model ignores the sizes of
/// fronts.
TEST(CostModelMeasured, EstimatesAreWithinAFactorOfMeasuredTimes) {
  constexpr double of_host = 1.8;
  constexpr double of_cuda = 1.25;
  for (const Sample& s : samples()) {
    EXPECT_LT(s.host_model, of_host * s.host) << s.matrix;
    EXPECT_GT(s.host_model, s.host / of_host) << s.matrix;
    EXPECT_LT(s.cuda_model, of_cuda * s.cuda) << s.matrix;
    EXPECT_GT(s.cuda_model, s.cuda / of_cuda) << s.matrix;
  }
}

/// Measured launches of factorizations: tiny and small fronts, diagonal blocks, rows below, products.
TEST(CostModelMeasured, PredictsTheTimesOfLaunches) {
  std::ifstream file(COST_SAMPLES);
  const nlohmann::json json = nlohmann::json::parse(file);
  double sum = 0.0;
  int count = 0;
  for (const auto& entry : json.at("launches")) {
    const auto number = [&](const char* name) { return entry.at("work").value(name, 0.0); };
    CudaLevelWork work;
    work.tiny_fronts = number("tiny_fronts");
    work.small_fronts = number("small_fronts");
    work.small_strips = number("small_strips");
    work.diagonal_blocks = number("diagonal_blocks");
    work.diagonal_strips = number("diagonal_strips");
    work.scale_tiles = number("scale_tiles");
    work.product_tiles = number("product_tiles");
    work.product_depth = number("product_depth");
    work.product_columns = number("product_columns");
    const double error = std::log(cuda_level_seconds(work, LaunchFigures()) / entry.at("seconds").get<double>());
    EXPECT_LT(std::abs(error), std::log(3.0)) << entry;
    sum += error * error;
    ++count;
  }
  ASSERT_GT(count, 300);
  EXPECT_LT(std::exp(std::sqrt(sum / count)), 1.2) << "root mean square";
}

}  // namespace
}  // namespace gpusupernodal::test
