//===- SandboxTest.cpp - What the sandbox of the service forbids ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/sandbox/ServiceSandbox.h"
#include "avocet/hal/sandbox/SystemCallFilter.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace avocet::hal {
namespace {

using ::testing::HasSubstr;

/// Exit code of `work` in its own process, and what that process wrote to its standard error stream.
struct ProcessOutcome {
  int value = -1; ///< 0..255; -1: it did not exit by itself
  std::string errors;
};

ProcessOutcome inOwnProcess(const std::function<int()> &work) {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    ::_exit(work());
  }
  ::close(ends[1]);
  ProcessOutcome outcome;
  char text[4096];
  for (ssize_t size; (size = ::read(ends[0], text, sizeof(text))) > 0;)
    outcome.errors.append(text, static_cast<size_t>(size));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status))
    outcome.value = WEXITSTATUS(status);
  return outcome;
}

constexpr int kNoSandbox = 254;

/// Exit code: errno of a call inside the sandbox, 0 if it succeeds.
ProcessOutcome errorInside(const SandboxPaths &paths, const std::function<bool()> &succeeds,
                           NewCode newCode = NewCode::None) {
  return inOwnProcess([&] {
    const avocet::Status files = restrictFiles(paths);
    if ((!files.isOk() && files.code() != StatusCode::Unsupported) || !restrictSystemCalls(newCode).isOk())
      return kNoSandbox;
    errno = 0;
    return succeeds() ? 0 : errno;
  });
}

struct Probe {
  const char *call;
  std::function<bool()> succeeds;
};

std::vector<Probe> forbiddenProbes() {
  return {
      {"execve", [] { return ::execl("/bin/true", "true", nullptr) == 0; }},
      {"ptrace", [] { return ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0; }},
      {"socket", [] { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0; }},
      {"socket", [] { return ::socket(AF_NETLINK, SOCK_RAW, 0) >= 0; }},
      {"mount", [] { return ::mount("none", "/mnt", "tmpfs", 0, nullptr) == 0; }},
      {"unshare", [] { return ::unshare(CLONE_NEWNS) == 0; }},
      {"clone", [] { return ::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr) > 0; }},
      {"mmap",
       [] { return ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED; }},
      {"setuid", [] { return ::syscall(SYS_setuid, 0) == 0; }},
      {"init_module", [] { return ::syscall(SYS_init_module, nullptr, 0, "") == 0; }},
      {"bpf", [] { return ::syscall(SYS_bpf, 0, nullptr, 0) >= 0; }},
      {"process_vm_readv", [] { return ::syscall(SYS_process_vm_readv, ::getpid(), nullptr, 0, nullptr, 0, 0) >= 0; }},
      {"mknodat", [] { return ::mknodat(AT_FDCWD, "/tmp/avocet-node", S_IFIFO | 0600, 0) == 0; }},
      {"prctl", [] { return ::syscall(SYS_prctl, 4 /*PR_SET_DUMPABLE*/, 1, 0, 0, 0) == 0; }},
      {"io_uring_setup", [] { return ::syscall(SYS_io_uring_setup, 1, nullptr) >= 0; }},
      {"reboot", [] { return ::syscall(SYS_reboot, 0, 0, 0, nullptr) == 0; }},
  };
}

TEST(SandboxTest, ForbiddenCallsFailAndAreNamed) {
  if (isSanitizerBuild())
    GTEST_SKIP() << "sanitizers make some of these calls themselves";
  for (const Probe &probe : forbiddenProbes()) {
    const ProcessOutcome outcome = errorInside({}, probe.succeeds);
    EXPECT_EQ(outcome.value, EPERM) << probe.call << " " << outcome.errors;
    EXPECT_THAT(outcome.errors, HasSubstr(std::string("system call ") + probe.call + ","));
  }
}

TEST(SandboxTest, StoppedCallIsReportedOnce) {
  if (isSanitizerBuild())
    GTEST_SKIP() << "sanitizers make such calls themselves";
  const ProcessOutcome outcome = errorInside({}, [] {
    for (int i = 0; i < 100; ++i)
      (void)::unshare(CLONE_NEWNS);
    return true;
  });
  EXPECT_EQ(outcome.value, 0);
  EXPECT_EQ(outcome.errors.find("unshare"), outcome.errors.rfind("unshare"));
  EXPECT_THAT(outcome.errors, HasSubstr("--no-sandbox"));
}

TEST(SandboxTest, AllowsThreadsMemoryAndUnixSockets) {
  const ProcessOutcome outcome = errorInside({}, [] {
    bool isDone = false;
    std::thread([&] { isDone = true; }).join();
    std::vector<char> memory(64 << 20, 'x');
    int ends[2] = {-1, -1};
    return isDone && memory.back() == 'x' && ::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0 &&
           ::memfd_create("test", MFD_CLOEXEC) >= 0;
  });
  EXPECT_EQ(outcome.value, 0) << outcome.errors;
}

TEST(SandboxTest, ThreadsAreFilteredToo) {
  if (isSanitizerBuild())
    GTEST_SKIP() << "sanitizers need wider filters";
  const ProcessOutcome outcome = errorInside({}, [] {
    int error = 0;
    std::thread([&] { error = ::socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0; }).join();
    errno = error;
    return false;
  });
  EXPECT_EQ(outcome.value, EPERM);
}

TEST(SandboxTest, LoadingCodeMayBeAllowed) {
  const ProcessOutcome outcome = errorInside(
      {}, [] { return ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED; },
      NewCode::Loaded);
  EXPECT_EQ(outcome.value, 0) << outcome.errors;
}

class SandboxFiles : public ::testing::Test {
protected:
  void SetUp() override {
    if (isSanitizerBuild())
      GTEST_SKIP() << "files are not restricted in sanitizer builds, which write reports";
    if (::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1) < 1)
      GTEST_SKIP() << "the kernel has no Landlock";
    char name[] = "/tmp/avocet-sandbox-XXXXXX";
    folder_ = ::mkdtemp(name);
    for (const char *entry : {"cache", "socket", "other", "nodes"})
      std::filesystem::create_directory(folder_ / entry);
    write(folder_ / "socket/old");
    write(folder_ / "other/file");
    write(folder_ / "nodes/node");
    paths_ = {.readable = {folder_ / "other/file"},
              .writable = {folder_ / "cache"},
              .removable = {folder_ / "socket"},
              .devices = {folder_ / "nodes"}};
  }
  void TearDown() override {
    if (!folder_.empty())
      std::filesystem::remove_all(folder_);
  }
  static bool write(const std::filesystem::path &path) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const bool isWritten = fd >= 0 && ::write(fd, "x", 1) == 1;
    if (fd >= 0)
      ::close(fd);
    return isWritten;
  }
  int errorOf(const std::function<bool()> &succeeds) { return errorInside(paths_, succeeds).value; }

  std::filesystem::path folder_;
  SandboxPaths paths_;
};

TEST_F(SandboxFiles, OnlyTheCacheIsWritable) {
  EXPECT_EQ(errorOf([&] { return write(folder_ / "cache/new"); }), 0);
  EXPECT_EQ(errorOf([&] { return ::rename((folder_ / "cache/new").c_str(), (folder_ / "cache/b").c_str()) == 0; }), 0);
  EXPECT_EQ(errorOf([&] { return ::unlink((folder_ / "cache/b").c_str()) == 0; }), 0);
  for (const char *place : {"other/new", "other/file", "socket/new"})
    EXPECT_EQ(errorOf([&] { return write(folder_ / place); }), EACCES) << place;
  EXPECT_EQ(errorOf([&] { return write("/tmp/avocet-sandbox-outside"); }), EACCES);
}

TEST_F(SandboxFiles, OnlyNamedFilesAreReadable) {
  auto reads = [](const std::string &path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC) >= 0; };
  EXPECT_EQ(errorOf([&] { return reads(folder_ / "other/file"); }), 0);
  EXPECT_EQ(errorOf([&] { return reads("/proc/self/status"); }), 0);
  EXPECT_EQ(errorOf([&] { return reads(folder_ / "socket/old"); }), EACCES);
  EXPECT_EQ(errorOf([&] { return reads("/etc/passwd"); }), EACCES);
}

TEST_F(SandboxFiles, SocketCanBeRemoved) {
  EXPECT_EQ(errorOf([&] { return ::unlink((folder_ / "socket/old").c_str()) == 0; }), 0);
  EXPECT_EQ(errorOf([&] { return ::unlink((folder_ / "other/file").c_str()) == 0; }), EACCES);
}

TEST_F(SandboxFiles, DeviceNodesCanBeOpenedOnly) {
  EXPECT_EQ(errorOf([&] { return ::open((folder_ / "nodes/node").c_str(), O_RDWR | O_CLOEXEC) >= 0; }), 0);
  EXPECT_EQ(errorOf([&] { return write(folder_ / "nodes/new"); }), EACCES);
  EXPECT_EQ(errorOf([&] { return ::unlink((folder_ / "nodes/node").c_str()) == 0; }), EACCES);
}

TEST_F(SandboxFiles, OpenDescriptorsStayUsable) {
  const int fd = ::open((folder_ / "other/file").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(errorOf([&] { return ::pwrite(fd, "y", 1, 0) == 1; }), 0);
  ::close(fd);
}

TEST(PrivilegesTest, RootBecomesTheNamedUser) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can become another user";
  const ProcessOutcome outcome = inOwnProcess([] {
    const bool became = becomeUser("nobody").isOk();
    return became && ::geteuid() != 0 && ::getuid() != 0 && ::getegid() != 0 && ::getgroups(0, nullptr) <= 1 &&
                   ::setuid(0) != 0
               ? 0
               : 1;
  });
  EXPECT_EQ(outcome.value, 0);
}

TEST(PrivilegesTest, UnknownUserIsAnError) {
  const avocet::Status status = becomeUser("avocet-no-such-user");
  EXPECT_EQ(status.code(), StatusCode::NotFound);
  EXPECT_THAT(status.message(), HasSubstr("avocet-no-such-user"));
}

TEST(PrivilegesTest, CoreFilesAreOff) {
  const ProcessOutcome outcome = inOwnProcess([] {
    limitResources();
    rlimit limit = {};
    return ::getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == 0 && limit.rlim_max == 0 ? 0 : 1;
  });
  EXPECT_EQ(outcome.value, 0);
}

} // namespace
} // namespace avocet::hal
