#pragma once

/// \file
/// Files and folders that a test writes; destructors delete them. Names are unique, so tests can run concurrently.

#include <string>
#include <string_view>
#include <vector>

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

/// A new, empty folder; the destructor deletes it with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  /// Names of all files in it, in alphabetical order.
  std::vector<std::string> names() const;

 private:
  std::string path_;
};

/// The contents of a file.
std::string content_of(const std::string& path);

}  // namespace gpusupernodal::test
