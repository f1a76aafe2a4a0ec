#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/thread_team.hpp"
#include "gpusupernodal/info.hpp"
#include "solver/model/cost_figures.hpp"
#include "solver/sparse/format_model.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

TEST(MachineRates, AreThoseOfTheModels) {
  const MachineRates one = machine_rates(Backend::host, 1);
  EXPECT_EQ(one.flops_per_second, HostFigures().flops_per_second);
  EXPECT_EQ(one.solve_bytes_per_second, HostFigures().solve_bytes_per_second);
  EXPECT_EQ(one.product_bytes_per_second, machine_figures(Backend::host).thread_rate);
  EXPECT_LE(one.product_bytes_per_second, one.cache_bytes_per_second) << "a cache is faster than memory";
  EXPECT_EQ(one.cache_bytes_per_second, machine_figures(Backend::host).cache_rate);
  EXPECT_EQ(machine_rates(Backend::automatic, 1).flops_per_second, one.flops_per_second);
}

/// Products scale with the threads, reading L does not beyond the memory's rate.
TEST(MachineRates, OfSeveralThreads) {
  const MachineRates many = machine_rates(Backend::host, 8);
  const int threads = worker_count(8);  // Fewer than 8 where the process may not use so many.
  const HostFigures figures;
  EXPECT_DOUBLE_EQ(many.flops_per_second, threads * figures.flops_per_second);
  EXPECT_EQ(many.solve_bytes_per_second,
            threads == 1 ? figures.solve_bytes_per_second : figures.solve_shared_bytes_per_second);
}

/// The file is named for what comes from it, and only for that.
TEST(MachineRates, NameTheFileThatTheyComeFrom) {
  const std::string begin = R"({"format": "gpusupernodal cost model 1")";
  const TemporaryFile empty(begin + "}"), host(begin + R"(, "host": {"flops_per_second": 7}})");
  const std::string built_in = machine_rates(Backend::host, 1).source;
  for (const TemporaryFile* const file : {&empty, &host}) {
    setenv("GPUSUPERNODAL_COST_MODEL", file->path().c_str(), 1);
    const MachineRates rates = machine_rates(Backend::host, 1);
    unsetenv("GPUSUPERNODAL_COST_MODEL");
    const bool is_named = rates.source.rfind("the file " + file->path() + "; for products, ", 0) == 0;
    EXPECT_EQ(is_named, file == &host) << rates.source;
    EXPECT_EQ(rates.flops_per_second == 7.0, file == &host);
    EXPECT_NE(rates.source.find("has no figures of products"), std::string::npos) << rates.source;
  }
  EXPECT_EQ(machine_rates(Backend::host, 1).source, built_in);
}

TEST(MachineRates, OfDevices) {
  const MachineRates known = machine_rates(Backend::cuda, 0, "0: NVIDIA H200, compute capability 9.0, 139.7 GiB");
  EXPECT_EQ(known.flops_per_second, CudaFigures().flops_per_second);
  EXPECT_EQ(known.product_bytes_per_second, machine_figures(Backend::cuda).memory_rate);
  EXPECT_NE(known.source.find("H200"), std::string::npos);
  const MachineRates unknown = machine_rates(Backend::cuda, 0, "0: Some Device, compute capability 5.0, 1.0 GiB");
  EXPECT_LT(unknown.flops_per_second, known.flops_per_second);
  EXPECT_NE(unknown.source.find("not measured"), std::string::npos);
}

}  // namespace
}  // namespace gpusupernodal::test
