#pragma once

/// \file
/// Output files that appear under their names only when complete.

#include <sys/stat.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

namespace gpusupernodal {

/// Writes a file. A regular file is written as a new file in the same folder, and commit() gives it the final name
/// atomically: readers find the old file or the complete new one, which has the old file's mode. The target of a symbolic
/// link is replaced, not the link. Written directly are devices, FIFOs, the file behind standard output or standard error
/// (at that stream's position), a regular file in a folder where no new file can be created, and one that cannot be replaced
/// (a mount point, or the file of another user in a folder with the sticky bit); the last is written by commit(), once the
/// content is complete.
///
/// The first error is kept: later calls do nothing, and commit() returns it. Destruction without commit() leaves a regular
/// file unchanged unless it is written directly.
class OutputFile {
 public:
  /// Opens the file. Blocks on a FIFO until it has a reader.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* bytes, std::size_t count);
  void write(std::string_view text) { write(text.data(), text.size()); }

  /// The first error so far; an empty code if none occurred.
  std::error_code error() const { return error_; }
  /// Closes the file and gives it its final name. Returns the first error of all calls. Precondition: not called before.
  std::error_code commit();

 private:
  void open_regular(const std::string& path, bool exists);
  void open_temporary();
  std::string unused_name() const;
  void overwrite(int content);
  void take_old_mode();
  void link_to_name();
  void keep_error();

  std::error_code error_;
  int descriptor_ = -1;
  bool has_no_name_ = false;  ///< Opened with O_TMPFILE: the file vanishes if the process ends before commit().
  std::string target_;        ///< Final name, links resolved; unused if the file is written directly.
  std::string part_;          ///< Temporary name, or empty.
  struct stat old_ {};        ///< Status of the existing file of that name.
  bool replaces_ = false;     ///< commit() replaces an existing regular file.
};

}  // namespace gpusupernodal
