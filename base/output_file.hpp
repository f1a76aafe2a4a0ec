#pragma once

/// \file
/// Files that appear under their name only when they are complete.

#include <sys/stat.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

namespace gpusupernodal {

/// Writes a file. A regular file is written beside its final name and takes that name in commit(), in one step: whoever
/// opens the name finds the old file or the complete new one, which keeps the old one's mode. A symbolic link is followed,
/// and its target is replaced. A device or a FIFO is written directly, and so is the file behind standard output or standard
/// error, at the place where that stream is, and a regular file in a folder that takes no new files.
///
/// The first error is kept: later calls do nothing, and commit() returns it. An object that is destroyed without commit()
/// leaves a regular file as it was.
class OutputFile {
 public:
  /// Opens the file. Blocks for a FIFO until somebody reads it.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* bytes, std::size_t count);
  void write(std::string_view text) { write(text.data(), text.size()); }

  /// The first error so far, none where all went well.
  std::error_code error() const { return error_; }
  /// Closes the file and gives it its name. Returns the first error of all calls. To be called once.
  std::error_code commit();

 private:
  void open_regular(const std::string& path, bool exists);
  void open_beside();
  std::string unused_name() const;
  void take_old_mode();
  void give_name();
  void keep_error();

  std::error_code error_;
  int descriptor_ = -1;
  bool has_no_name_ = false;  ///< A file of O_TMPFILE: it is gone if the process ends before commit().
  std::string target_;        ///< Final name, links resolved; unused where the file is written directly.
  std::string part_;          ///< Temporary name; empty where there is none.
  struct stat old_ {};        ///< Of the file that has the name already.
  bool replaces_ = false;     ///< A regular file will be replaced.
};

}  // namespace gpusupernodal
