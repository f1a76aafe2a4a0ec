#include "base/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>

namespace gpusupernodal {
namespace {

constexpr mode_t new_file_mode = 0666;  // Reduced by the umask of the process.
constexpr mode_t permission_bits = 07777;
constexpr int max_links = 40;  // The limit of Linux.

bool same_file(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

/// The descriptor of standard output or standard error if that stream writes to this file, else −1.
int standard_stream_to(const struct stat& file) {
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat there {};
    const int flags = ::fcntl(stream, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || ::fstat(stream, &there) != 0) continue;
    if (same_file(there, file)) return stream;
  }
  return -1;
}

/// The name at the end of a chain of symbolic links; the file need not exist.
std::string follow_links(const std::string& path) {
  std::filesystem::path at = path;
  for (int k = 0; k < max_links; ++k) {
    std::error_code no_link;
    const std::filesystem::path next = std::filesystem::read_symlink(at, no_link);
    if (no_link) break;
    at = at.parent_path() / next;  // `next` alone if it is absolute.
  }
  return at.string();
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string name_by_descriptor(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

}  // namespace

OutputFile::OutputFile(const std::string& path) {
  const bool exists = ::stat(path.c_str(), &old_) == 0;
  if (!exists && errno != ENOENT) {
    keep_error();
    return;
  }
  const int stream = exists ? standard_stream_to(old_) : -1;
  if (stream >= 0) {
    descriptor_ = ::fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (descriptor_ < 0) keep_error();
  } else if (exists && !S_ISREG(old_.st_mode)) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor_ < 0) keep_error();
  } else {
    open_regular(path, exists);
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!part_.empty()) ::unlink(part_.c_str());
}

void OutputFile::open_regular(const std::string& path, bool exists) {
  // Renaming does not require write permission for the old file, but a write-protected file should be kept.
  if (exists && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) return keep_error();
  target_ = follow_links(path);
  struct stat there {};
  replaces_ = exists && ::stat(target_.c_str(), &there) == 0 && same_file(there, old_);
  if (!exists || replaces_) {
    open_temporary();
    if (descriptor_ >= 0) return;
    const bool folder_is_closed = errno == EACCES || errno == EPERM || errno == EROFS;
    if (!replaces_ || !folder_is_closed) return keep_error();
  }
  // Write directly: the folder permits no new file, or the path is a /proc name of a file without any other name.
  replaces_ = false;
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (descriptor_ < 0) keep_error();
}

/// Opens a new file in the target's folder: an unnamed file if the file system supports that, so that nothing remains if a
/// signal ends the process.
void OutputFile::open_temporary() {
#ifdef O_TMPFILE
  if (::access("/proc/self/fd", X_OK) == 0) {
    descriptor_ = ::open(folder_of(target_).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, new_file_mode);
    has_no_name_ = descriptor_ >= 0;
    if (has_no_name_) return;
  }
#endif
  do {
    part_ = unused_name();
    descriptor_ = ::open(part_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, new_file_mode);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) part_.clear();
}

/// A new temporary name in the target's folder. It does not contain the target's name, which may have the maximum length.
std::string OutputFile::unused_name() const {
  static std::atomic<unsigned> number{0};
  const std::string name = ".gpusupernodal." + std::to_string(::getpid()) + "." + std::to_string(number++) + ".part";
  return folder_of(target_) + "/" + name;
}

void OutputFile::write(const void* bytes, std::size_t count) {
  const char* next = static_cast<const char*>(bytes);
  while (!error_ && count > 0) {
    const ssize_t written = ::write(descriptor_, next, count);
    if (written < 0) {
      if (errno != EINTR) keep_error();
      continue;
    }
    if (written == 0) {  // Devices may return 0; retrying might never end.
      errno = EIO;
      keep_error();
    }
    next += written;
    count -= static_cast<std::size_t>(written);
  }
}

std::error_code OutputFile::commit() {
  if (!error_ && replaces_) take_old_mode();
  if (!error_ && has_no_name_) link_to_name();
  const int content = part_.empty() ? -1 : ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (descriptor_ >= 0 && ::close(descriptor_) != 0) keep_error();
  descriptor_ = -1;
  if (!error_ && !part_.empty()) {
    if (::rename(part_.c_str(), target_.c_str()) == 0) {
      part_.clear();
    } else if (replaces_ && content >= 0 && (errno == EBUSY || errno == EPERM || errno == EACCES)) {
      overwrite(content);
    } else {
      keep_error();
    }
  }
  if (content >= 0) ::close(content);
  return error_;
}

/// Copies the complete content into the old file, which cannot be replaced: it is a mount point, or belongs to another user
/// in a folder with the sticky bit. Its readers may see a part of it meanwhile.
void OutputFile::overwrite(int content) {
  descriptor_ = ::open(target_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (descriptor_ < 0) return keep_error();
  std::array<char, 65536> block;
  ssize_t count = 0;
  for (off_t at = 0; !error_ && (count = ::pread(content, block.data(), block.size(), at)) > 0; at += count) {
    write(block.data(), static_cast<std::size_t>(count));
  }
  if (count < 0) keep_error();
  if (::close(descriptor_) != 0) keep_error();
  descriptor_ = -1;
}

void OutputFile::take_old_mode() {
  // Only root can change the owner; for any other user the new file belongs to that user.
  [[maybe_unused]] const int not_root = ::fchown(descriptor_, old_.st_uid, old_.st_gid);
  if (::fchmod(descriptor_, old_.st_mode & permission_bits) == 0) return;
  const bool lacks_modes =
      errno == EPERM || errno == ENOTSUP || errno == EOPNOTSUPP;  // As on file systems of other systems.
  if (!lacks_modes) keep_error();
}

/// Links an O_TMPFILE file to its final name. If a file has that name, links to a temporary name, which commit() renames,
/// because linkat replaces no file.
void OutputFile::link_to_name() {
  const std::string source = name_by_descriptor(descriptor_);
  const auto linked = [&](const std::string& name) {
    return ::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (!replaces_ && linked(target_)) return;
  do {
    part_ = unused_name();
    if (linked(part_)) return;
  } while (errno == EEXIST);
  part_.clear();
  keep_error();
}

/// Records errno unless an earlier error is recorded.
void OutputFile::keep_error() {
  if (!error_) error_ = std::error_code(errno, std::generic_category());
}

}  // namespace gpusupernodal
