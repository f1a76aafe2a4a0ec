/// Plans written to files and restored from them; files that are damaged, foreign or for other matrices.

#include "solver/plan/plan_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/hash.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/info.hpp"
#include "io/generators.hpp"
#include "tests/solver/plan/plans.hpp"
#include "tests/support/random_matrices.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

std::string sentence_of(const std::string& path) {
  try {
    read_plan_file(path);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

std::string refusal(const std::string& contents) {
  const TemporaryFile file(contents, ".plan");
  return sentence_of(file.path());
}

void expect_same_factor(const SymbolicFactor& a, const SymbolicFactor& b) {
  EXPECT_EQ(a.permutation.old_of_new, b.permutation.old_of_new);
  EXPECT_EQ(a.permutation.new_of_old, b.permutation.new_of_old);
  EXPECT_EQ(a.first_column, b.first_column);
  EXPECT_EQ(a.parent, b.parent);
  EXPECT_EQ(a.subtree_first, b.subtree_first);
  EXPECT_EQ(a.row_offset, b.row_offset);
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.supernode_of, b.supernode_of);
  EXPECT_EQ(a.nonzeros, b.nonzeros);
  EXPECT_EQ(a.flops, b.flops);
}

void expect_same_plan(const FactorPlan& a, const FactorPlan& b) {
  expect_same_factor(a.symbolic, b.symbolic);
  EXPECT_EQ(a.structure().symbolic_report.ordering, b.structure().symbolic_report.ordering);
  EXPECT_EQ(a.structure().symbolic_report.reason, b.structure().symbolic_report.reason);
  EXPECT_EQ(a.structure().pattern_hash, b.structure().pattern_hash);
  EXPECT_EQ(a.structure().block_width, b.structure().block_width);
  EXPECT_EQ(a.panels.value_offset, b.panels.value_offset);
  EXPECT_EQ(a.assembly.target, b.assembly.target);
  EXPECT_EQ(a.updates.relative_rows, b.updates.relative_rows);
  EXPECT_EQ(a.structure().stored_flops, b.structure().stored_flops);
  EXPECT_EQ(a.host().schedule.graph.tasks.size(), b.host().schedule.graph.tasks.size());
  EXPECT_EQ(a.cuda().schedule.graph.tasks.size(), b.cuda().schedule.graph.tasks.size());
  EXPECT_EQ(a.bytes(), b.bytes());
}

std::vector<io::SymmetricMatrix> matrices() {
  std::vector<io::SymmetricMatrix> result = small_matrices();
  for (const char* name : {"lap3d:9", "elas:5", "shell:9"}) result.push_back(io::load(name));
  return result;
}

TEST(PlanFile, RestoresThePlan) {
  const TemporaryFile file({}, ".plan");
  for (const io::SymmetricMatrix& a : matrices()) {
    for (const Ordering ordering : {Ordering::automatic, Ordering::nested_dissection, Ordering::amd, Ordering::natural}) {
      for (const Merging merging : {Merging::none, Merging::narrow, Merging::bounded}) {
        SCOPED_TRACE(a.name + " of order " + std::to_string(a.n));
        PlanOptions options = plan_options(ordering, merging);
        options.block_width = merging == Merging::none ? 8 : 0;
        const auto plan = plan_of(a, options);
        write_plan_file(*plan, file.path());
        expect_same_plan(*plan, *with_cuda(restore_plan(pattern_of(a), read_plan_file(file.path()), {2, {}}), {}, 1));
      }
    }
  }
}

/// Contents of a plan file of a small matrix.
std::string small_file() {
  const TemporaryFile file({}, ".plan");
  write_plan_file(*plan_of(random_spd(23, 60, 4)), file.path());
  return file.read();
}

TEST(PlanFile, EveryFlippedByteIsRefused) {
  const std::string good = small_file();
  ASSERT_EQ(refusal(good), "");
  for (std::size_t place = 0; place < good.size(); ++place) {
    for (const int bits : {1, 0x80, 0xff}) {
      std::string bad = good;
      bad[place] = static_cast<char>(bad[place] ^ bits);
      EXPECT_NE(refusal(bad), "") << "byte " << place;
    }
  }
}

TEST(PlanFile, EveryTruncationAndEveryAdditionIsRefused) {
  const std::string good = small_file();
  for (std::size_t length = 0; length < good.size(); ++length) {
    const std::string sentence = refusal(good.substr(0, length));
    EXPECT_NE(sentence.find(length < 8 ? "is not a plan file" : "is damaged"), std::string::npos) << length << sentence;
  }
  EXPECT_NE(refusal(good + '\0').find("is damaged"), std::string::npos);
  EXPECT_NE(refusal(good + good).find("is damaged"), std::string::npos);
}

/// Replaces a word of the file and, if `check`, updates the checksum.
std::string with_word(std::string file, std::size_t word, std::uint64_t value, bool check = true) {
  const auto put = [&file](std::size_t w, std::uint64_t v) {
    for (std::size_t k = 0; k < 8; ++k) file[8 * w + k] = static_cast<char>(v >> (8 * k));
  };
  put(word, value);
  if (!check) return file;
  std::uint64_t hash = 0;
  for (std::size_t w = 0; w + 1 < file.size() / 8; ++w) {
    std::uint64_t v = 0;
    for (std::size_t k = 0; k < 8; ++k) v |= std::uint64_t{static_cast<unsigned char>(file[8 * w + k])} << (8 * k);
    mix(hash, v);
  }
  put(file.size() / 8 - 1, hash);
  return file;
}

TEST(PlanFile, ErrorsNameTheFault) {
  const std::string good = small_file();
  EXPECT_NE(refusal("%%MatrixMarket matrix coordinate real symmetric\n").find("is not a plan file"), std::string::npos);
  const std::string newer = refusal(with_word(good, 1, 3));
  EXPECT_NE(newer.find("format 3"), std::string::npos) << newer;
  EXPECT_NE(newer.find(version()), std::string::npos) << newer;
  EXPECT_NE(refusal(with_word(good, 6, 1, false)).find("checksum"), std::string::npos);
  EXPECT_NE(sentence_of("/nowhere/a.plan").find("/nowhere/a.plan cannot be read"), std::string::npos);
  EXPECT_NE(sentence_of("/tmp").find("cannot be read"), std::string::npos);
}

/// If memory were allocated before the length is checked, these sizes would exceed the available memory.
TEST(PlanFile, TooLargeSizesAreRefusedBeforeAllocating) {
  const std::string good = small_file();
  for (const std::size_t word : {4U, 9U, 10U}) {
    for (const std::uint64_t size : {std::uint64_t{27}, std::uint64_t{1} << 31U, (std::uint64_t{1} << 31U) - 1,
                                     std::uint64_t{1} << 62U, ~std::uint64_t{0}}) {
      EXPECT_NE(refusal(with_word(good, word, size)).find("bytes are not as many"), std::string::npos)
          << word << ' ' << size;
    }
  }
  EXPECT_NE(refusal(with_word(good, 7, 77)), "");
  EXPECT_NE(refusal(with_word(good, 8, 1U << 20U)), "");
}

template <class Change>
void expect_refused(const io::SymmetricMatrix& a, const std::string& part, Change change) {
  const TemporaryFile file({}, ".plan");
  write_plan_file(*plan_of(a, plan_options(Ordering::amd, Merging::bounded)), file.path());
  StoredPlan stored = read_plan_file(file.path());
  change(stored);
  try {
    restore_plan(pattern_of(a), stored, {});
    ADD_FAILURE() << "not refused";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

/// Errors that no checksum detects: files made by other programs.
TEST(PlanFile, RefusesAnInvalidOrderOrSupernodes) {
  const io::SymmetricMatrix a = io::load("lap2d:9");
  const std::string damaged = "its order or its supernodes";
  expect_refused(a, damaged,
                 [](StoredPlan& s) { s.structure.old_of_new[NewIndex(3)] = s.structure.old_of_new[NewIndex(4)]; });
  expect_refused(a, damaged, [](StoredPlan& s) { s.structure.old_of_new[NewIndex(3)] = OldIndex(81); });
  expect_refused(a, damaged, [](StoredPlan& s) { s.structure.old_of_new[NewIndex(3)] = OldIndex(-1); });
  expect_refused(a, damaged, [](StoredPlan& s) { s.structure.first_column[SupernodeId(0)] = NewIndex(1); });
  expect_refused(a, damaged, [](StoredPlan& s) { s.structure.first_column[SupernodeId(1)] = NewIndex(0); });
  expect_refused(a, damaged, [](StoredPlan& s) { s.structure.first_column.back() = NewIndex(80); });
  // One supernode of columns that are not a path in the tree.
  const io::SymmetricMatrix diagonal = diagonal_spd(6);
  expect_refused(diagonal, damaged, [](StoredPlan& s) {
    s.structure.first_column = IdVector<SupernodeId, NewIndex>(2, NewIndex(0));
    s.structure.first_column.back() = NewIndex(6);
  });
  // A supernode of two columns, neither of which is a descendant of the other: 0 → 2, 1 → 3.
  io::SymmetricMatrix pairs = blocks_spd(2, 2, 1);
  expect_refused(pairs, damaged, [](StoredPlan& s) {
    const int order[] = {0, 2, 1, 3};
    for (int k = 0; k < 4; ++k) s.structure.old_of_new[NewIndex(k)] = OldIndex(order[k]);
  });
}

/// Groups of last rows give an order that is not a postorder of the tree.
TEST(PlanFile, KeepsLastRows) {
  const TemporaryFile file({}, ".plan");
  const io::SymmetricMatrix a = io::load("lap2d:15");
  std::vector<std::vector<std::int64_t>> last_rows(2);
  for (std::int64_t row = 0; row < a.n; row += 7) last_rows[0].push_back(row);
  for (std::int64_t row = 3; row < a.n; row += 21) last_rows[1].push_back(row);
  for (const Merging merging : {Merging::none, Merging::bounded}) {
    PlanOptions options;
    options.symbolic.last_rows = last_rows;
    options.symbolic.merging = merging;
    const auto made = plan_of(a, options);
    write_plan_file(*made, file.path());
    const auto restored = with_cuda(restore_plan(pattern_of(a), read_plan_file(file.path()), {}), {}, 1);
    expect_same_plan(*made, *restored);
    EXPECT_NE(std::find(made->symbolic.subtree_first.begin(), made->symbolic.subtree_first.end(), SupernodeId()),
              made->symbolic.subtree_first.end())
        << "no subtree is cut by a group: the case tests nothing";
  }
}

TEST(PlanFile, RefusesAPlanOfAnotherPattern) {
  const io::SymmetricMatrix a = io::load("lap2d:9");
  expect_refused(a, "another pattern", [](StoredPlan& s) { ++s.pattern_hash; });
  expect_refused(a, "of order 82 with", [](StoredPlan& s) { ++s.n; });
  expect_refused(a, "stored for a matrix", [](StoredPlan& s) { ++s.entries; });
}

TEST(PlanFile, FailedWriteLeavesTheOldFile) {
  const auto plan = plan_of(diagonal_spd(3));
  const auto folder = std::filesystem::temp_directory_path() / "gpusupernodal-plan-file-test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "taken");
  std::ofstream(folder / "taken" / "inside") << "x";
  try {
    write_plan_file(*plan, (folder / "taken").string());
    ADD_FAILURE() << "not refused";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("taken cannot be written: "), std::string::npos) << error.what();
  }
  EXPECT_THROW(write_plan_file(*plan, "/nowhere/a.plan"), InvalidInput);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++files;
  EXPECT_EQ(files, 1U);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace gpusupernodal::test
