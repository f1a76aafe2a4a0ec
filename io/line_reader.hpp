#pragma once

/// \file
/// Lines of a text file, plain or gzip, with the place for messages.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/symmetric_matrix.hpp"

struct gzFile_s;

namespace gpusupernodal::io {

/// Reads a file line by line in constant memory; gzip is recognised by its first bytes, not by the name.
class LineReader {
 public:
  /// Throws FileError if the file cannot be opened, is a folder or is empty.
  explicit LineReader(std::string path);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// Makes `line` the next line without its end, valid until the next call; false at the end of the file.
  /// Throws FileError where reading fails (a truncated gzip file) or a line is longer than a text's line can be.
  bool next(std::string_view& line);
  /// Number of the line last returned, from 1.
  std::int64_t number() const { return number_; }
  const std::string& path() const { return path_; }
  /// Bytes taken from the file so far, compressed where it is gzip; those read ahead count.
  std::int64_t bytes_read() const;

  /// Throws FileError "path:line: sentence" for the line last returned, or the given one.
  [[noreturn]] void fail(const std::string& sentence) const { fail_at(number_, sentence); }
  [[noreturn]] void fail_at(std::int64_t line, const std::string& sentence) const;

 private:
  bool fill();

  std::string path_;
  gzFile_s* file_ = nullptr;
  std::size_t chunk_ = 0;  ///< Bytes read at once.
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< The unread characters are buffer_[begin_, end_).
  std::size_t end_ = 0;
  std::int64_t number_ = 0;
};

}  // namespace gpusupernodal::io
