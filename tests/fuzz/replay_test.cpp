/// Replays all saved inputs of the fuzzers, in every build.

#include <gtest/gtest.h>

#include <exception>
#include <random>

#include "tests/fuzz/corpus.hpp"
#include "tests/fuzz/targets.hpp"

namespace gpusupernodal::fuzz {
namespace {

using Target = void (*)(std::span<const std::uint8_t>);

void expect_no_finding(Target target, const std::vector<std::uint8_t>& input, std::size_t line) {
  try {
    target(input);
  } catch (const std::exception& error) {
    ADD_FAILURE() << "input in line " << line << ": " << error.what();
  }
}

void replay(Target target, const char* name, std::size_t at_least) {
  const auto inputs = read_corpus(std::string(GPUSUPERNODAL_CORPUS) + "/" + name);
  EXPECT_GE(inputs.size(), at_least);
  for (std::size_t i = 0; i < inputs.size(); ++i) expect_no_finding(target, inputs[i], i + 1);
}

/// Runs a short, deterministic series of mutations of the corpus: changed bytes, and the end of another input appended.
void walk(Target target, const char* name, int steps) {
  const auto inputs = read_corpus(std::string(GPUSUPERNODAL_CORPUS) + "/" + name);
  std::mt19937_64 random(5);
  for (int step = 0; step < steps; ++step) {
    const std::size_t i = random() % inputs.size();
    std::vector<std::uint8_t> input = inputs[i];
    const auto& other = inputs[random() % inputs.size()];
    if (random() % 2 == 0)
      input.insert(input.end(), other.begin() + static_cast<std::ptrdiff_t>(other.size() / 2), other.end());
    for (std::uint64_t change = random() % 3; change > 0 && !input.empty(); --change) {
      input[random() % input.size()] = static_cast<std::uint8_t>(random());
    }
    expect_no_finding(target, input, i + 1);
  }
}

TEST(FuzzCorpus, Reader) { replay(fuzz_reader, "reader.hex", 100); }
TEST(FuzzCorpus, Solver) { replay(fuzz_solver, "solver.hex", 200); }
TEST(FuzzWalk, Reader) { walk(fuzz_reader, "reader.hex", 1000); }
TEST(FuzzWalk, Solver) { walk(fuzz_solver, "solver.hex", 2000); }

}  // namespace
}  // namespace gpusupernodal::fuzz
