//===- Launch.cpp - Starts the program of the compile workers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include "avocet/base/Log.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ;

namespace avocet::hal {
namespace {

constexpr const char *kProgramName = "avocetCompileWorker";

avocet::Result<std::string> programPath(const WorkerOptions &options) {
  if (!options.program.empty())
    return options.program;
  std::error_code error;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    return notFound("the compile worker cannot be found: /proc/self/exe: " + error.message());
  return (own.parent_path() / kProgramName).string();
}

std::vector<std::string> argumentsOf(const WorkerOptions &options, const std::string &program) {
  const uint32_t idle =
      options.idleWorkers != 0 ? options.idleWorkers : std::max(std::thread::hardware_concurrency(), 1u);
  std::vector<std::string> arguments = {program, "--idle=" + std::to_string(idle),
                                        "--memory=" + std::to_string(options.memoryBytes),
                                        "--seconds=" + std::to_string(options.timeLimit.count())};
  if (!options.compilerLibrary.empty())
    arguments.push_back("--library=" + options.compilerLibrary);
  for (const std::string &target : options.targets)
    arguments.push_back("--target=" + target);
  return arguments;
}

/// A worker starts with fresh memory, so each page that it touches costs a fault. Large pages, and no memory returned
/// before its end, halve the extra time of large models compared with a process that has compiled before.
constexpr const char *kAllocatorSettings =
    "GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.trim_threshold=1073741824:"
    "glibc.malloc.mmap_threshold=33554432:glibc.malloc.top_pad=16777216";

std::vector<std::string> environmentOf() {
  std::vector<std::string> variables;
  for (char **variable = environ; *variable != nullptr; ++variable)
    if (!std::string_view(*variable).starts_with("GLIBC_TUNABLES="))
      variables.emplace_back(*variable);
  variables.emplace_back(kAllocatorSettings);
  // Otherwise each worker would resolve the symbols of the functions that it calls.
  variables.emplace_back("LD_BIND_NOW=1");
  return variables;
}

std::vector<char *> pointersTo(const std::vector<std::string> &texts) {
  std::vector<char *> pointers;
  for (const std::string &text : texts)
    pointers.push_back(const_cast<char *>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// Settings of a process to be started: resets inherited blocked and ignored signals, and passes one descriptor.
class SpawnSettings {
public:
  explicit SpawnSettings(int control) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, control, kWorkerControl);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings &) = delete;
  SpawnSettings &operator=(const SpawnSettings &) = delete;

  int spawn(pid_t &process, const std::vector<std::string> &arguments) const {
    const std::vector<std::string> environment = environmentOf();
    return posix_spawn(&process, arguments[0].c_str(), &actions_, &attributes_, pointersTo(arguments).data(),
                       pointersTo(environment).data());
  }

private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

} // namespace

avocet::Result<Launcher> Launcher::start(const WorkerOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(const std::string program, programPath(options));
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return errnoStatus(errno, "cannot make a socket for the compile workers");
  FileDescriptor own(ends[0]), theirs(ends[1]);
  // dup2() of a descriptor onto itself would leave it close-on-exec.
  if (theirs.get() == kWorkerControl) {
    AVOCET_ASSIGN_OR_RETURN(theirs, theirs.duplicate());
  }
  pid_t process = -1;
  if (int error = SpawnSettings(theirs.get()).spawn(process, argumentsOf(options, program)); error != 0)
    return errnoStatus(error, "cannot start the compile worker " + program);
  logMessage(LogLevel::Debug, "worker", "started {} as process {}", program, process);
  return Launcher(process, std::move(own));
}

Launcher::Launcher(Launcher &&other) noexcept
    : process_(std::exchange(other.process_, -1)), control_(std::move(other.control_)) {}

/// Kills the launcher rather than waiting for it, since its zygote may still be loading the compiler. The zygote and
/// idle workers detect that `control_` is closed.
Launcher::~Launcher() {
  if (process_ < 0)
    return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

} // namespace avocet::hal
