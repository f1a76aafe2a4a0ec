#include "io/line_reader.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/fmt.hpp"

namespace gpusupernodal::io {
namespace {

constexpr std::size_t min_chunk = std::size_t{1} << 12;
constexpr std::size_t largest_chunk = std::size_t{1} << 18;
/// Matrix Market limits lines to 1024 characters. A file with far longer lines is not text.
constexpr std::size_t longest_line = std::size_t{1} << 20;

/// Bytes per read, reduced to the size of a small file.
std::size_t chunk_for(const std::string& path) {
  std::error_code unknown;
  const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
  if (unknown) return largest_chunk;
  return static_cast<std::size_t>(std::clamp<std::uintmax_t>(bytes, min_chunk, largest_chunk));
}

}  // namespace

LineReader::LineReader(std::string path) : path_(std::move(path)) {
  if (path_.empty()) throw FileError("'': the name of the file is empty.", __FILE__, __LINE__);
  std::error_code ignored;
  if (std::filesystem::is_directory(path_, ignored)) {
    throw FileError(fmt::format("{}: is a folder, not a file.", path_), __FILE__, __LINE__);
  }
  errno = 0;
  file_ = gzopen(path_.c_str(), "rb");
  if (file_ == nullptr) {
    const char* why = errno != 0 ? std::strerror(errno) : "not enough memory";
    throw FileError(fmt::format("{}: cannot be opened: {}.", path_, why), __FILE__, __LINE__);
  }
  try {
    chunk_ = chunk_for(path_);
    gzbuffer(file_, static_cast<unsigned>(chunk_));
    buffer_.resize(chunk_);
    if (!fill()) fail_at(1, "the file is empty.");
  } catch (...) {
    gzclose_r(file_);
    throw;
  }
}

LineReader::~LineReader() { gzclose_r(file_); }

void LineReader::fail_at(std::int64_t line, const std::string& sentence) const {
  throw FileError(fmt::format("{}:{}: {}", path_, line, sentence), __FILE__, __LINE__);
}

std::int64_t LineReader::bytes_read() const { return gzoffset(file_); }

bool LineReader::fill() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.begin() + static_cast<std::ptrdiff_t>(end_),
            buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  if (buffer_.size() - end_ < chunk_) {
    if (end_ > longest_line) fail_at(number_ + 1, "the line has over a million characters; this is not a text file.");
    buffer_.resize(buffer_.size() + chunk_);
  }
  const int got = gzread(file_, buffer_.data() + end_, static_cast<unsigned>(buffer_.size() - end_));
  int code = Z_OK;
  const char* message = gzerror(file_, &code);
  if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) {
    const char* why = code == Z_ERRNO ? std::strerror(errno) : code == Z_BUF_ERROR ? "unexpected end of gzip data" : message;
    fail_at(number_ + 1, fmt::format("reading failed: {}.", why));
  }
  end_ += static_cast<std::size_t>(got);
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = begin_;
  while (true) {
    const auto* newline = static_cast<const char*>(std::memchr(buffer_.data() + searched, '\n', end_ - searched));
    if (newline != nullptr) {
      line = std::string_view(buffer_.data() + begin_, static_cast<std::size_t>(newline - buffer_.data()) - begin_);
      begin_ += line.size() + 1;
      break;
    }
    const std::size_t unread = end_ - begin_;
    if (!fill()) {
      if (unread == 0) return false;
      line = std::string_view(buffer_.data(), unread);
      begin_ = end_;
      break;
    }
    searched = begin_ + unread;
  }
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  ++number_;
  return true;
}

}  // namespace gpusupernodal::io
