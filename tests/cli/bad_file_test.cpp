/// Tests of the command with bad files: exit code 2, and a sentence with file and line.

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <random>

#include "tests/cli/run_command.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string general = "%%MatrixMarket matrix coordinate real general\n";
const std::string array = "%%MatrixMarket matrix array real general\n";

struct BadFile {
  const char* name;
  std::string content;
  int line;  ///< 0: the sentence names only the file.
  const char* sentence;
};

void expect_code_two(const std::string& arguments, const std::string& path, const BadFile& file,
                     const std::string& before = "") {
  const CommandResult result = run_command(arguments, before);
  const std::string place = file.line > 0 ? path + ":" + std::to_string(file.line) + ": " : path + ": ";
  EXPECT_EQ(result.code, 2) << file.name << "\n" << result.errors;
  EXPECT_EQ(result.errors.rfind("gpusupernodal: " + place, 0), 0U) << file.name << "\n" << result.errors;
  EXPECT_TRUE(result.complains(file.sentence)) << file.name << "\n" << result.errors;
  EXPECT_EQ(result.errors.find('\n'), result.errors.size() - 1) << "one line: " << result.errors;
  EXPECT_EQ(result.output, "") << file.name;
}

std::string gzip(const std::string& text) {
  const TemporaryFile file({}, ".gz");
  gzFile out = gzopen(file.path().c_str(), "wb");
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  return file.read();
}

/// A diagonal matrix, long enough that gzip needs several blocks.
std::string diagonal(int n) {
  std::string text = symmetric + std::to_string(n) + " " + std::to_string(n) + " " + std::to_string(n) + "\n";
  for (int k = 1; k <= n; ++k) text += std::to_string(k) + " " + std::to_string(k) + " " + std::to_string(k % 97 + 1) + "\n";
  return text;
}

std::string rubbish(std::size_t bytes) {
  std::mt19937 random(3);
  std::string text;
  for (std::size_t k = 0; k < bytes; ++k) text.push_back(static_cast<char>(random()));
  return text;
}

std::vector<BadFile> headers() {
  return {{"empty", "", 1, "the file is empty"},
          {"one end of line", "\n", 1, "does not begin with %%MatrixMarket"},
          {"no header", "1 1 1\n1 1 2\n", 1, "does not begin with %%MatrixMarket"},
          {"binary rubbish", rubbish(4000), 1, "does not begin with %%MatrixMarket"},
          {"zeros", std::string(5000, '\0'), 1, "does not begin with %%MatrixMarket"},
          {"no line at all", std::string(3 << 20, 'x'), 1, "not a text file"},
          {"another object", "%%MatrixMarket vector coordinate real general\n", 1, "says 'vector'"},
          {"pattern", "%%MatrixMarket matrix coordinate pattern symmetric\n1 1 1\n1 1\n", 1, "values are needed"},
          {"complex", "%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 2 1\n", 3, "the imaginary part 1"},
          {"complex symmetric", "%%MatrixMarket matrix coordinate complex symmetric\n1 1 1\n1 1 2 0\n", 1, "Add --form lu"},
          {"no imaginary part", "%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 2\n", 3, "value is missing"},
          {"skew", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 1\n", 1, "skew-symmetric"},
          {"header cut off", "%%MatrixMarket matrix coord", 1, "says 'coord'"},
          {"header alone", symmetric, 1, "ends before the line of sizes"}};
}

std::vector<BadFile> sizes() {
  return {{"not square", symmetric + "2 3 1\n1 1 1\n", 2, "the matrix is 2 × 3; only square matrices are solved"},
          {"negative order", symmetric + "-2 -2 1\n", 2, "negative"},
          {"negative count", symmetric + "2 2 -1\n", 2, "negative"},
          {"order beyond 32 bits", symmetric + "3000000000 3000000000 3000000000\n", 2, "3000000000 rows are too many"},
          {"order beyond 64 bits", symmetric + "9223372036854775808 1 1\n", 2, "too large"},
          {"count beyond 64 bits", symmetric + "1 1 99999999999999999999\n", 2, "too large"},
          {"count beyond the matrix", symmetric + "2 2 4\n", 2, "4 entries do not fit in a symmetric matrix of order 2"},
          {"fewer entries than rows", symmetric + "2147483646 2147483646 5\n", 2, "fill fewer than the 2147483646 rows"},
          {"text for a size", symmetric + "two 2 3\n", 2, "'two' is not an integer"},
          {"fraction for a size", symmetric + "2.5 2 3\n", 2, "'2.5' is not an integer"}};
}

std::vector<BadFile> entries() {
  return {
      {"index 0", symmetric + "2 2 2\n0 1 4\n", 3, "the row 0 is not between 1 and 2"},
      {"negative index", symmetric + "2 2 2\n1 -1 4\n", 3, "the column -1 is not between 1 and 2"},
      {"index past the end", symmetric + "2 2 2\n1 1 4\n3 2 4\n", 4, "the row 3 is not between 1 and 2"},
      {"text for an index", symmetric + "2 2 2\none 1 4\n", 3, "'one' is not an integer"},
      {"text for a number", symmetric + "2 2 2\n1 1 four\n", 3, "'four' is not a number"},
      {"NaN", symmetric + "% a comment\n2 2 2\n1 1 4\n2 2 NaN\n", 5, "'NaN' is not finite"},
      {"Inf", symmetric + "2 2 2\n1 1 -inf\n", 3, "'-inf' is not finite"},
      {"1e400", symmetric + "2 2 2\n1 1 1e400\n", 3, "'1e400' is too large"},
      {"too few", symmetric + "2 2 2\n1 1 4\n", 3, "ends after 1 of the 2 entries announced in line 2"},
      {"cut off within an entry", symmetric + "2 2 2\n1 1 4\n2 2", 4, "the value is missing"},
      {"too many", symmetric + "2 2 2\n1 1 4\n2 2 4\n2 1 1\n", 5, "more entries than the 2 announced in line 2"},
      {"twice", symmetric + "2 2 3\n1 1 4\n2 1 1\n1 2 1\n", 5, "is given twice"},
      {"not symmetric in pattern", general + "2 2 3\n1 1 4\n2 1 1\n2 2 4\n", 4, "not symmetric"},
      {"not symmetric in values", general + "2 2 4\n1 1 4\n2 1 1\n1 2 2\n2 2 4\n", 5, "(1, 2) is 2 but (2, 1) is 1"},
      {"with carriage returns", "%%MatrixMarket matrix coordinate real symmetric\r\n1 1 1\r\n1 1 x\r\n", 3, "'x' is not"}};
}

TEST(BadMatrixFile, ExitsWithTwoAndNamesFileAndLine) {
  for (const auto& table : {headers(), sizes(), entries()}) {
    for (const BadFile& file : table) {
      const TemporaryFile written(file.content);
      expect_code_two("solve " + written.path(), written.path(), file);
    }
  }
}

TEST(BadMatrixFile, IsRefusedByOtherSubcommandsToo) {
  const BadFile file{"index 0", symmetric + "2 2 2\n0 1 4\n", 3, "the row 0 is not between 1 and 2"};
  const TemporaryFile written(file.content);
  expect_code_two("analyze " + written.path(), written.path(), file);
  expect_code_two("bench " + written.path(), written.path(), file);
}

TEST(BadMatrixFile, PathsThatAreNotReadableFilesAreRefused) {
  expect_code_two("solve /nonexistent/a.mtx", "/nonexistent/a.mtx", {"missing", "", 0, "No such file or directory"});
  expect_code_two("solve /", "/", {"folder", "", 0, "is a folder"});
  // Can be opened, but its first bytes cannot be read.
  expect_code_two("solve /proc/self/mem", "/proc/self/mem", {"unreadable", "", 1, "reading failed"});
  expect_code_two("solve /dev/null", "/dev/null", {"nothing", "", 1, "the file is empty"});
  expect_code_two("solve /dev/zero", "/dev/zero", {"no end", "", 1, "not a text file"});
  if (geteuid() == 0) return;  // Root can read everything.
  const TemporaryFile closed(symmetric);
  std::filesystem::permissions(closed.path(), std::filesystem::perms::none);
  expect_code_two("solve " + closed.path(), closed.path(), {"no permission", "", 0, "Permission denied"});
}

TEST(BadMatrixFile, TruncatedOrCorruptGzipIsRefused) {
  const std::string packed = gzip(diagonal(3000));
  for (const std::size_t left : {packed.size() - 1, packed.size() - 9, packed.size() / 2, std::size_t{40}}) {
    const TemporaryFile file(packed.substr(0, left), ".mtx.gz");
    const CommandResult result = run_command("solve " + file.path());
    EXPECT_EQ(result.code, 2) << left;
    EXPECT_TRUE(result.complains(file.path() + ":")) << result.errors;
    EXPECT_TRUE(result.complains("unexpected end of gzip data")) << result.errors;
  }
  for (const std::size_t place : {packed.size() - 6, packed.size() - 2, packed.size() / 2, packed.size() / 3}) {
    std::string spoilt = packed;
    spoilt[place] = static_cast<char>(spoilt[place] ^ 0x55);
    const TemporaryFile file(spoilt, ".mtx.gz");
    const CommandResult result = run_command("solve " + file.path());
    EXPECT_EQ(result.code, 2) << place;
    EXPECT_TRUE(result.complains(file.path() + ":")) << place << ": " << result.errors;
  }
}

TEST(BadMatrixFile, CarriageReturnsAreAccepted) {
  const TemporaryFile file("%%MatrixMarket matrix coordinate real symmetric\r\n2 2 2\r\n1 1 4\r\n2 2 5\r\n");
  EXPECT_EQ(run_command("solve " + file.path()).code, 0);
}

std::vector<BadFile> right_hand_sides() {
  return {{"empty", "", 1, "the file is empty"},
          {"rubbish", rubbish(500), 1, "does not begin with %%MatrixMarket"},
          {"a sparse matrix", symmetric + "4 4 4\n", 1, "'array real general'"},
          {"symmetric", "%%MatrixMarket matrix array real symmetric\n4 4\n", 1, "'array real general'"},
          {"complex", "%%MatrixMarket matrix array complex general\n4 1\n", 1, "where real ones are needed"},
          {"header alone", array, 1, "ends before the line of sizes"},
          {"another number of rows", array + "% b\n3 1\n1\n2\n3\n", 3, "has 3 rows, but the matrix has 4"},
          {"negative", array + "4 -1\n", 2, "negative"},
          {"beyond 64 bits", array + "4 99999999999999999999\n", 2, "too large"},
          {"more values than can be", array + "4 9000000000000000000\n1\n", 2, "too many"},
          {"too few", array + "4 1\n1\n2\n3\n", 5, "ends after 3 of 4 values"},
          {"too many", array + "4 1\n1\n2\n3\n4\n5\n", 7, "more values than the 4 × 1 announced"},
          {"text", array + "4 1\n1\ntwo\n", 4, "'two' is not a number"},
          {"NaN", array + "4 1\n1\nnan\n", 4, "'nan' is not finite"},
          {"1e400", array + "4 1\n1e400\n", 3, "'1e400' is too large"},
          {"two in a line", array + "4 1\n1 2\n", 3, "unexpected '2'"}};
}

TEST(BadRightHandSideFile, ExitsWithTwoAndNamesFileAndLine) {
  for (const BadFile& file : right_hand_sides()) {
    const TemporaryFile written(file.content);
    expect_code_two("solve lap2d:2 -b " + written.path(), written.path(), file);
  }
  expect_code_two("solve lap2d:2 -b /nonexistent/b.mtx", "/nonexistent/b.mtx", {"missing", "", 0, "No such file"});
  expect_code_two("solve lap2d:2 -b /", "/", {"folder", "", 0, "is a folder"});
  const std::string packed = gzip(array + "4 1\n1\n2\n3\n4\n");
  const TemporaryFile cut(packed.substr(0, packed.size() - 4), ".mtx.gz");
  const CommandResult result = run_command("solve lap2d:2 -b " + cut.path());
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(result.complains("unexpected end of gzip data")) << result.errors;
}

TEST(BadRightHandSideFile, NumbersOutsideTheRangeOfFloatAreRefused) {
  const TemporaryFile file(array + "4 2\n1\n2\n3\n4\n5\n6\n-1e300\n8\n");
  const CommandResult result = run_command("solve lap2d:2 --precision float -b " + file.path());
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(result.complains("right-hand side 2 has -1e+300 in row 3 (counted from 1)")) << result.errors;
  EXPECT_EQ(run_command("solve lap2d:2 -b " + file.path()).code, 0);
}

TEST(BadRightHandSideFile, FileWithoutColumnsIsRefused) {
  const TemporaryFile file(array + "4 0\n");
  const CommandResult result = run_command("solve lap2d:2 -b " + file.path());
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(result.complains(file.path() + " has no columns")) << result.errors;
}

/// A claimed size is trusted only once the entries have been read: a claim alone must not allocate 16 GB.
TEST(HugeClaims, HeaderSizesAloneAllocateNothing) {
#if GPUSUPERNODAL_TEST_SANITIZED
  GTEST_SKIP() << "A sanitizer needs address space without a limit.";
#endif
  const BadFile matrix{"order", symmetric + "2147483646 2147483646 2305843005992468481\n1 1 1\n", 3, "ends after 1 of the"};
  const TemporaryFile order(matrix.content);
  expect_code_two("solve " + order.path(), order.path(), matrix, "ulimit -v 4000000;");
  const BadFile values{"values", array + "4 2000000000000000000\n1\n", 3, "ends after 1 of"};
  const TemporaryFile columns(values.content);
  expect_code_two("solve lap2d:2 -b " + columns.path(), columns.path(), values, "ulimit -v 4000000;");
}

}  // namespace
}  // namespace gpusupernodal::test
