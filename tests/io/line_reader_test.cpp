#include "io/line_reader.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>

#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::io {
namespace {

using test::TemporaryFile;

void write_gzip(const std::string& path, const std::string& content) {
  gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_EQ(gzwrite(file, content.data(), static_cast<unsigned>(content.size())), static_cast<int>(content.size()));
  ASSERT_EQ(gzclose(file), Z_OK);
}

std::string sentence_of_reading(const std::string& path) {
  try {
    LineReader reader(path);
    std::string_view line;
    while (reader.next(line)) {
    }
  } catch (const FileError& e) {
    return e.what();
  }
  return "";
}

/// Lines that do not repeat, so that the compressed file is long enough to truncate.
std::string many_lines(int count) {
  std::string text;
  for (int k = 0; k < count; ++k) text += std::to_string(k * 7919 % 100003) + "\n";
  return text;
}

TEST(LineReader, LinesEndWithOrWithoutCarriageReturnAndTheLastOneNeedsNoEnd) {
  const TemporaryFile file("one\r\n\ntwo\nthree");
  LineReader reader(file.path());
  std::string_view line;
  for (const char* expected : {"one", "", "two", "three"}) {
    ASSERT_TRUE(reader.next(line));
    EXPECT_EQ(line, expected);
  }
  EXPECT_EQ(reader.number(), 4);
  EXPECT_FALSE(reader.next(line));
  EXPECT_FALSE(reader.next(line));
}

TEST(LineReader, GzipIsReadAsText) {
  const TemporaryFile file;
  const std::string text = many_lines(200000);
  write_gzip(file.path(), text);
  LineReader reader(file.path());
  std::string read;
  std::string_view line;
  while (reader.next(line)) read.append(line).push_back('\n');
  EXPECT_EQ(read, text);
  EXPECT_EQ(reader.number(), 200000);
}

TEST(LineReader, TruncatedGzipIsAnErrorAtEveryLength) {
  const TemporaryFile file;
  write_gzip(file.path(), many_lines(20000));
  const auto full = std::filesystem::file_size(file.path());
  // The last 8 bytes are checksum and length: without them all text is present, but the file is truncated.
  for (const std::uintmax_t size : {full - 1, full - 8, full - 100, full / 2}) {
    std::filesystem::resize_file(file.path(), size);
    EXPECT_NE(sentence_of_reading(file.path()).find("unexpected end of gzip data"), std::string::npos) << size;
  }
}

/// A damaged byte that does not change the text (the name of the system in the header) is ignored; all others are
/// detected.
TEST(LineReader, CorruptGzipIsAnErrorAtEveryByte) {
  const TemporaryFile file;
  write_gzip(file.path(), many_lines(2000));
  const std::string packed = file.read();
  for (std::size_t place = 10; place < packed.size(); place += 7) {
    std::string spoilt = packed;
    spoilt[place] = static_cast<char>(spoilt[place] ^ 0x21);
    const TemporaryFile copy(spoilt);
    const std::string sentence = sentence_of_reading(copy.path());
    EXPECT_EQ(sentence.rfind(copy.path() + ":", 0), 0U) << place;
    EXPECT_NE(sentence.find("reading failed: "), std::string::npos) << place << ": " << sentence;
  }
}

TEST(LineReader, MissingFileIsAnError) {
  EXPECT_NE(sentence_of_reading("/nonexistent/a.mtx").find("/nonexistent/a.mtx: cannot be opened: No such file"),
            std::string::npos);
  EXPECT_NE(sentence_of_reading(std::filesystem::temp_directory_path().string()).find("is a folder"), std::string::npos);
  EXPECT_EQ(sentence_of_reading(""), "'': the name of the file is empty.");
  const TemporaryFile empty;
  EXPECT_EQ(sentence_of_reading(empty.path()), empty.path() + ":1: the file is empty.");
}

TEST(LineReader, StopsEarlyInAFileWithoutLines) {
  const TemporaryFile file(std::string(4 << 20, 'x'));
  EXPECT_NE(sentence_of_reading(file.path()).find("not a text file"), std::string::npos);
}

}  // namespace
}  // namespace gpusupernodal::io
