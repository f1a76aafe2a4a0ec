#include "base/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

using Names = std::vector<std::string>;

std::error_code write_to(const std::string& path, const std::string& text) {
  OutputFile file(path);
  file.write(text);
  return file.commit();
}

mode_t mode_of(const std::string& path) {
  struct stat there {};
  EXPECT_EQ(::stat(path.c_str(), &there), 0) << path;
  return there.st_mode;
}

TEST(OutputFile, AppearsAtCommit) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x");
  {
    OutputFile file(path);
    file.write("new");
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_EQ(file.commit(), std::error_code());
  }
  EXPECT_EQ(content_of(path), "new");
  const mode_t mask = ::umask(0);
  ::umask(mask);
  EXPECT_EQ(mode_of(path), S_IFREG | (0666 & ~mask));
  EXPECT_EQ(folder.names(), Names{"x"});
}

TEST(OutputFile, ReplacesTheOldFileInOneStep) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x");
  std::ofstream(path) << "old and longer";
  ::chmod(path.c_str(), 0640);
  std::ifstream reader(path);
  {
    OutputFile file(path);
    file.write("new");
    EXPECT_EQ(content_of(path), "old and longer");
  }
  EXPECT_EQ(content_of(path), "old and longer") << "not committed";
  EXPECT_EQ(write_to(path, "new"), std::error_code());
  EXPECT_EQ(content_of(path), "new");
  EXPECT_EQ(mode_of(path), S_IFREG | 0640);
  std::string word;
  EXPECT_TRUE(reader >> word && word == "old") << "who reads the old file goes on";
  EXPECT_EQ(folder.names(), Names{"x"});
}

TEST(OutputFile, FollowsLinks) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("inner"));
  std::ofstream(folder.file("inner/target")) << "old";
  std::filesystem::create_symlink("inner/target", folder.file("link"));
  std::filesystem::create_symlink(folder.file("link"), folder.file("chain"));
  std::filesystem::create_symlink("inner/missing", folder.file("dangling"));
  EXPECT_EQ(write_to(folder.file("link"), "new"), std::error_code());
  EXPECT_EQ(content_of(folder.file("inner/target")), "new");
  EXPECT_EQ(write_to(folder.file("chain"), "newer"), std::error_code());
  EXPECT_EQ(content_of(folder.file("inner/target")), "newer");
  EXPECT_EQ(write_to(folder.file("dangling"), "first"), std::error_code());
  EXPECT_EQ(content_of(folder.file("inner/missing")), "first");
  for (const char* name : {"link", "chain", "dangling"}) EXPECT_TRUE(std::filesystem::is_symlink(folder.file(name))) << name;
  EXPECT_EQ(folder.names(), (Names{"chain", "dangling", "inner", "link"}));
  std::filesystem::create_symlink("circle", folder.file("circle"));
  EXPECT_EQ(write_to(folder.file("circle"), "none").value(), ELOOP);
}

TEST(OutputFile, WritesIntoAFifo) {
  const TemporaryFolder folder;
  const std::string path = folder.file("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = content_of(path); });
  EXPECT_EQ(write_to(path, "through"), std::error_code());
  reader.join();
  EXPECT_EQ(read, "through");
  EXPECT_TRUE(S_ISFIFO(mode_of(path)));
  EXPECT_EQ(folder.names(), Names{"fifo"});
  // A device node like /dev/full, created for this test because it may be lost.
  const std::string full = folder.file("full");
  if (::mknod(full.c_str(), S_IFCHR | 0600, makedev(1, 7)) != 0 || ::access(full.c_str(), W_OK) != 0) return;
  const std::error_code error = write_to(full, "lost");
  if (error.value() == EACCES) return;  // The file system does not allow device nodes.
  EXPECT_EQ(error.value(), ENOSPC);
  EXPECT_TRUE(S_ISCHR(mode_of(full)));
}

/// Redirects `stream` to the file during its lifetime.
class Redirected {
 public:
  Redirected(int stream, const std::string& path) : stream_(stream), before_(::dup(stream)) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, stream_);
    ::close(file);
  }
  ~Redirected() {
    ::dup2(before_, stream_);
    ::close(before_);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

 private:
  int stream_;
  int before_;
};

TEST(OutputFile, KeepsItsPlaceBetweenWritesToAStandardStream) {
  const TemporaryFolder folder;
  for (const auto& [stream, name] : {std::pair(STDOUT_FILENO, "/dev/stdout"), std::pair(STDERR_FILENO, "/dev/stderr")}) {
    const std::string path = folder.file("log");
    for (const std::string& by : {std::string(name), path}) {
      const Redirected redirected(stream, path);
      EXPECT_EQ(::write(stream, "before ", 7), 7);
      EXPECT_EQ(write_to(by, "file "), std::error_code());
      EXPECT_EQ(::write(stream, "after", 5), 5);
      EXPECT_EQ(content_of(path), "before file after") << by;
    }
  }
}

TEST(OutputFile, ReturnsTheErrorsOfTheSystem) {
  const TemporaryFolder folder;
  EXPECT_EQ(write_to(folder.path(), "x").value(), EISDIR);
  EXPECT_EQ(write_to(folder.file("missing/x"), "x").value(), ENOENT);
  EXPECT_EQ(write_to("", "x").value(), ENOENT);
  EXPECT_EQ(write_to(folder.file(std::string(300, 'x')), "x").value(), ENAMETOOLONG);
  EXPECT_EQ(folder.names(), Names{});
  const std::string longest = folder.file(std::string(255, 'x'));
  EXPECT_EQ(write_to(longest, "x"), std::error_code());
  EXPECT_EQ(write_to(longest, "y"), std::error_code());
  EXPECT_EQ(content_of(longest), "y");
  if (geteuid() == 0) return;  // Root ignores file permissions.
  std::ofstream(folder.file("fixed")) << "old";
  ::chmod(folder.file("fixed").c_str(), 0400);
  EXPECT_EQ(write_to(folder.file("fixed"), "new").value(), EACCES);
  EXPECT_EQ(content_of(folder.file("fixed")), "old");
  ::chmod(folder.path().c_str(), 0500);
  EXPECT_EQ(write_to(longest, "directly"), std::error_code());
  EXPECT_EQ(write_to(folder.file("new"), "x").value(), EACCES);
  ::chmod(folder.path().c_str(), 0700);
  EXPECT_EQ(content_of(longest), "directly");
}

/// A limit on the length of files stands in for a full disk.
TEST(OutputFile, KeepsTheOldFileIfTheDiskIsFull) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x");
  std::ofstream(path) << "old";
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  struct rlimit tight = before;
  tight.rlim_cur = 1000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  OutputFile file(path);
  for (int k = 0; k < 20; ++k) file.write(std::string(90, 'x'));
  const std::error_code early = file.error();
  const std::error_code error = file.commit();
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(error.value(), EFBIG);
  EXPECT_EQ(early, error);
  EXPECT_EQ(content_of(path), "old");
}

constexpr int not_permitted = 77;

/// Runs `work` in a child process and returns its result. A child may change its user and its mounts.
template <class Work>
int in_child(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// The outcome of replacing `old` by `new` in a file that cannot be renamed over: 0 if it is written in place.
int overwrite_outcome(const std::string& path) {
  if (write_to(path, "new") != std::error_code()) return 1;
  return content_of(path) == "new" ? 0 : 2;
}

TEST(OutputFile, OverwritesAMountPoint) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("source")) << "old and longer";
  std::ofstream(folder.file("x")) << "hidden";
  const int outcome = in_child([&] {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return not_permitted;
    if (::mount(folder.file("source").c_str(), folder.file("x").c_str(), nullptr, MS_BIND, nullptr) != 0)
      return not_permitted;
    return overwrite_outcome(folder.file("x"));
  });
  if (outcome == not_permitted) GTEST_SKIP() << "this process may not mount";
  EXPECT_EQ(outcome, 0);
  EXPECT_EQ(content_of(folder.file("source")), "new");
  EXPECT_EQ(content_of(folder.file("x")), "hidden");
  EXPECT_EQ(folder.names(), (Names{"source", "x"}));
}

TEST(OutputFile, OverwritesAFileOfAnotherUserInAStickyFolder) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file to another user";
  const TemporaryFolder folder;
  constexpr uid_t owner = 1, writer = 2;
  std::ofstream(folder.file("x")) << "old and longer";
  ASSERT_EQ(::chmod(folder.file("x").c_str(), 0666), 0);
  ASSERT_EQ(::chown(folder.file("x").c_str(), owner, owner), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 01777), 0);
  ASSERT_EQ(::chown(folder.path().c_str(), owner, owner), 0);
  const int outcome = in_child([&] { return ::setuid(writer) != 0 ? not_permitted : overwrite_outcome(folder.file("x")); });
  if (outcome == not_permitted) GTEST_SKIP() << "this process may not change its user";
  EXPECT_EQ(outcome, 0);
  EXPECT_EQ(content_of(folder.file("x")), "new");
  EXPECT_EQ(folder.names(), Names{"x"});
}

}  // namespace
}  // namespace gpusupernodal::test
