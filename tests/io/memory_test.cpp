/// Tests that the readers' memory depends on what files contain, not on the sizes they claim.

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <new>

#include "io/general_matrix.hpp"
#include "io/symmetric_matrix.hpp"
#include "tests/support/temporary_file.hpp"

namespace {

std::atomic<std::size_t> taken{0};
std::atomic<std::size_t> peak{0};

/// Space before each allocation for its size, as wide as the strictest alignment of operator new.
constexpr std::size_t room = alignof(std::max_align_t);

}  // namespace

// std::stable_sort calls this one. The sanitizers' own would not call the one below.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  auto* const piece = static_cast<unsigned char*>(std::malloc(bytes + room));
  if (piece == nullptr) return nullptr;
  *reinterpret_cast<std::size_t*>(piece) = bytes;
  peak = std::max(peak.load(), taken += bytes);
  return piece + room;
}
void* operator new(std::size_t bytes) {
  void* const pointer = operator new(bytes, std::nothrow);
  if (pointer == nullptr) throw std::bad_alloc();
  return pointer;
}
void operator delete(void* pointer) noexcept {
  if (pointer == nullptr) return;
  auto* const piece = static_cast<unsigned char*>(pointer) - room;
  taken -= *reinterpret_cast<std::size_t*>(piece);
  std::free(piece);
}
void operator delete(void* pointer, std::size_t) noexcept { operator delete(pointer); }

namespace gpusupernodal::io {
namespace {

using test::TemporaryFile;

const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string general = "%%MatrixMarket matrix coordinate real general\n";
const std::string array = "%%MatrixMarket matrix array real general\n";
constexpr std::size_t buffers = std::size_t{1} << 20;
constexpr std::size_t bytes_an_entry = 200;

/// Peak of allocated bytes while `read` runs on the file; its exceptions are ignored.
template <class Read>
std::size_t peak_of(const std::string& path, Read read, std::string& sentence) {
  const std::size_t before = taken;
  peak = before;
  try {
    read(path);
    sentence.clear();
  } catch (const FileError& error) {
    sentence = error.what();
  }
  return peak - before;
}

TEST(ReaderMemory, DoesNotTrustTheSizesInTheHeader) {
  std::string sentence;
  const auto matrix = [](const std::string& path) { read_matrix_market(path); };
  const auto dense = [](const std::string& path) { read_dense(path); };
  const TemporaryFile order(symmetric + "2147483646 2147483646 2147483646\n1 1 1\n");
  EXPECT_LE(peak_of(order.path(), matrix, sentence), buffers);
  EXPECT_NE(sentence.find("ends after 1 of the 2147483646"), std::string::npos) << sentence;
  const TemporaryFile count(symmetric + "2000000000 2000000000 2000000000000000000\n1 1 1\n");
  EXPECT_LE(peak_of(count.path(), matrix, sentence), buffers);
  const TemporaryFile few(symmetric + "2000000000 2000000000 1\n1 1 1\n");
  EXPECT_LE(peak_of(few.path(), matrix, sentence), buffers);
  EXPECT_NE(sentence.find("fewer than"), std::string::npos) << sentence;
  const auto general_matrix = [](const std::string& path) { read_general_matrix_market(path); };
  const TemporaryFile general_order(general + "2147483646 2147483646 2147483646\n1 1 1\n");
  EXPECT_LE(peak_of(general_order.path(), general_matrix, sentence), buffers);
  EXPECT_NE(sentence.find("ends after 1 of the 2147483646"), std::string::npos) << sentence;
  const TemporaryFile general_few(symmetric + "2000000000 2000000000 999999999\n1 1 1\n");
  EXPECT_LE(peak_of(general_few.path(), general_matrix, sentence), buffers);
  EXPECT_NE(sentence.find("too few"), std::string::npos) << sentence;
  const TemporaryFile values(array + "3000000000 3000000000\n1\n");
  EXPECT_LE(peak_of(values.path(), dense, sentence), buffers);
}

TEST(ReaderMemory, IsProportionalToTheEntries) {
  constexpr std::size_t n = 30000;
  std::string text = symmetric + "30000 30000 30000\n";
  for (std::size_t k = n; k > 0; --k) text += std::to_string(k) + " " + std::to_string(k) + " 1\n";
  const TemporaryFile file(text);
  std::string sentence;
  EXPECT_LE(peak_of(
                file.path(), [](const std::string& path) { read_matrix_market(path); }, sentence),
            buffers + bytes_an_entry * n);
  EXPECT_EQ(sentence, "");
}

/// The general reader adds an entry for each one below the diagonal.
TEST(ReaderMemory, IsProportionalToTheEntriesOfASymmetricFile) {
  constexpr std::size_t n = 30000;
  std::string text = symmetric + "30000 30000 29999\n";
  for (std::size_t k = n; k > 1; --k) text += std::to_string(k) + " " + std::to_string(k - 1) + " 1\n";
  const TemporaryFile file(text);
  std::string sentence;
  EXPECT_LE(peak_of(
                file.path(), [](const std::string& path) { read_general_matrix_market(path); }, sentence),
            buffers + bytes_an_entry * n);
  EXPECT_EQ(sentence, "");
}

/// A few kilobytes of gzip that expand to gigabytes of one repeated entry: the reader must stop early.
TEST(ReaderMemory, IsBoundedForRepetitiveText) {
  const TemporaryFile file({}, ".mtx.gz");
  gzFile out = gzopen(file.path().c_str(), "wb6");
  const std::string head = symmetric + "100000 100000 50000000\n";
  gzwrite(out, head.data(), static_cast<unsigned>(head.size()));
  std::string block;
  for (int k = 0; k < 100000; ++k) block += "1 1 1\n";
  for (int k = 0; k < 20; ++k) gzwrite(out, block.data(), static_cast<unsigned>(block.size()));
  gzclose(out);
  EXPECT_LE(std::filesystem::file_size(file.path()), 40000U);
  std::string sentence;
  EXPECT_LE(peak_of(
                file.path(), [](const std::string& path) { read_matrix_market(path); }, sentence),
            buffers + bytes_an_entry * 1048576);
  EXPECT_NE(sentence.find("no matrix compresses so well"), std::string::npos) << sentence;
}

}  // namespace
}  // namespace gpusupernodal::io
