#pragma once

/// \file
/// Reads the lines of a text file, plain or gzip, and reports errors with file and line.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/symmetric_matrix.hpp"

struct gzFile_s;

namespace gpusupernodal::io {

/// Reads a file line by line in constant memory. Recognises gzip by the first bytes, not by the file name.
class LineReader {
 public:
  /// Throws FileError if the file cannot be opened, is a folder or is empty.
  explicit LineReader(std::string path);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// Sets `line` to the next line without its line end, valid until the next call; returns false at the end of the file.
  /// Throws FileError if reading fails (a truncated gzip file) or a line has over a million characters.
  bool next(std::string_view& line);
  /// Number of the line last returned, counted from 1.
  std::int64_t number() const { return number_; }
  const std::string& path() const { return path_; }
  /// Bytes read from the file so far, including read-ahead; compressed bytes if the file is gzip.
  std::int64_t bytes_read() const;

  /// Throw FileError "path:line: sentence" for the line last returned, or for the given line.
  [[noreturn]] void fail(const std::string& sentence) const { fail_at(number_, sentence); }
  [[noreturn]] void fail_at(std::int64_t line, const std::string& sentence) const;

 private:
  bool fill();

  std::string path_;
  gzFile_s* file_ = nullptr;
  std::size_t chunk_ = 0;  ///< Bytes per read.
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< The unread characters are buffer_[begin_, end_).
  std::size_t end_ = 0;
  std::int64_t number_ = 0;
};

}  // namespace gpusupernodal::io
