#pragma once

/// \file
/// Files that a test writes, gone with it; names are unique, so tests can run at the same time.

#include <string>
#include <string_view>

namespace gpusupernodal::test {

class TemporaryFile {
 public:
  /// Writes `content` to a new file whose name ends with `suffix`.
  explicit TemporaryFile(std::string_view content = {}, const std::string& suffix = ".mtx");
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }
  std::string read() const;

 private:
  std::string path_;
};

}  // namespace gpusupernodal::test
