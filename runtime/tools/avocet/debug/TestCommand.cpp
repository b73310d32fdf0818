//===- TestCommand.cpp - The command that judges a candidate -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestCommand.h"

#include "avocet/base/File.h"
#include "avocet/base/ParseNumber.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ;

namespace avocet::tool {
namespace {

constexpr std::string_view kPlace = "{}";
constexpr std::array<int, 3> kEndingSignals = {SIGINT, SIGTERM, SIGHUP};
/// A blocked poll() of another thread than the signal's one sees the interruption after this time.
constexpr std::chrono::milliseconds kPollInterval{50};
/// Time between the request to end and the end.
constexpr std::chrono::milliseconds kGrace{300};

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set by a signal handler");

void noteSignal(int /*signal*/) { interrupted = true; }

class SpawnSettings {
public:
  explicit SpawnSettings(const std::string &log) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    const std::string &output = log.empty() ? null_ : log;
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, null_.c_str(), O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t signals; // this process ignores SIGPIPE, which a shell pipeline needs
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings &) = delete;
  SpawnSettings &operator=(const SpawnSettings &) = delete;

  int spawnShell(pid_t &pid, std::string line) const {
    std::string shell = "sh", option = "-c";
    std::array<char *, 4> arguments = {shell.data(), option.data(), line.data(), nullptr};
    return ::posix_spawn(&pid, "/bin/sh", &actions_, &attributes_, arguments.data(), environ);
  }

private:
  const std::string null_ = "/dev/null";
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

CommandEnd endOf(int status) {
  if (WIFSIGNALED(status))
    return {CommandEnd::How::Signal, WTERMSIG(status)};
  return {CommandEnd::How::Exit, WEXITSTATUS(status)};
}

/// Waits until the process has ended, the time is over, or a signal has come.
CommandEnd::How waitFor(int process, std::chrono::steady_clock::time_point deadline,
                        const std::function<void()> &whileWaiting) {
  pollfd end{process, POLLIN, 0};
  for (;;) {
    if (whileWaiting)
      whileWaiting();
    if (::poll(&end, 1, static_cast<int>(kPollInterval.count())) > 0)
      return CommandEnd::How::Exit;
    if (InterruptScope::isInterrupted())
      return CommandEnd::How::Interrupted;
    if (std::chrono::steady_clock::now() >= deadline)
      return CommandEnd::How::TimeLimit;
  }
}

/// Ends the processes of a group. A command that runs others in groups of their own, as this program does, can end them
/// before.
void endGroup(pid_t group, CommandEnd::How how) {
  if (how != CommandEnd::How::Exit) {
    ::kill(-group, SIGTERM);
    std::this_thread::sleep_for(kGrace);
  }
  ::kill(-group, SIGKILL);
}

} // namespace

Result<InterestingExit> parseInterestingExit(std::string_view text) {
  if (text == "failure")
    return InterestingExit{std::nullopt};
  if (auto code = parseUnsigned(text, 0, 255))
    return InterestingExit{static_cast<int>(*code)};
  return invalidArgument(
      fmt::format("--exit {}: must be an exit code from 0 to 255, or 'failure' for every code but 0", text));
}

std::string CommandEnd::text() const {
  switch (how) {
  case How::Exit:
    return fmt::format("ended with exit code {}", number);
  case How::Signal:
    return fmt::format("ended by signal {} ({})", number, ::strsignal(number));
  case How::TimeLimit:
    return "did not end within the time limit";
  case How::Interrupted:
    return "was interrupted";
  }
  return {};
}

Result<TestCommand> TestCommand::create(std::string text, InterestingExit exit, double seconds) {
  if (text.find(kPlace) == std::string::npos)
    return invalidArgument(fmt::format(
        "--test '{}': has no {{}}, which stands for the path of the candidate; write for example 'check.sh {{}}'",
        text));
  return TestCommand(std::move(text), exit, seconds);
}

/// Plain words stay as they are, so that {} also works within quotes of the user.
std::string TestCommand::quoted(const std::string &text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos)
    return text;
  std::string word = "'";
  for (char letter : text)
    word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return word + "'";
}

std::string TestCommand::lineFor(const std::string &path) const {
  const std::string word = quoted(path);
  std::string line = text_;
  for (size_t at = 0; (at = line.find(kPlace, at)) != std::string::npos; at += word.size())
    line.replace(at, kPlace.size(), word);
  return line;
}

Result<CommandEnd> TestCommand::run(const std::string &path, const std::string &log,
                                    const std::function<void()> &whileWaiting) const {
  const auto deadline = std::chrono::steady_clock::now() +
                        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds_));
  pid_t pid = -1;
  if (int error = SpawnSettings(log).spawnShell(pid, lineFor(path)); error != 0)
    return errnoStatus(error, "cannot start /bin/sh for the command of --test");
  const FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  const CommandEnd::How how = waitFor(process.get(), deadline, whileWaiting);
  endGroup(pid, how); // before the shell is reaped: no other process can have its number
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR)
    continue;
  return how == CommandEnd::How::Exit ? endOf(status) : CommandEnd{how, 0};
}

bool TestCommand::isInteresting(const CommandEnd &end) const {
  switch (end.how) {
  case CommandEnd::How::Exit:
    return exit_.code ? end.number == *exit_.code : end.number != 0;
  case CommandEnd::How::Signal:
    return !exit_.code;
  case CommandEnd::How::TimeLimit:
  case CommandEnd::How::Interrupted:
    return false;
  }
  return false;
}

std::string TestCommand::wanted() const {
  return exit_.code ? fmt::format("exit code {}", *exit_.code) : std::string("an exit code other than 0");
}

InterruptScope::InterruptScope() {
  interrupted = false;
  for (int signal : kEndingSignals)
    std::signal(signal, noteSignal);
}

InterruptScope::~InterruptScope() {
  for (int signal : kEndingSignals)
    std::signal(signal, SIG_DFL);
}

bool InterruptScope::isInterrupted() { return interrupted; }

} // namespace avocet::tool
