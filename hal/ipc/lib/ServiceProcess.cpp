//===- ServiceProcess.cpp - A driver service for one run ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/ipc/ServiceProcess.h"

#include "avocet/base/File.h"
#include "avocet/hal/ipc/Client.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace avocet::hal {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kStartLimit = std::chrono::minutes(1);
constexpr auto kStopLimit = std::chrono::seconds(30);
constexpr auto kPause = std::chrono::milliseconds(2);

/// Runs between fork and exec: must not take a lock.
[[noreturn]] void becomeService(char *const *arguments, int log) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::execv(arguments[0], arguments);
  ::_exit(127);
}

std::string describeEnd(int status) {
  return WIFSIGNALED(status) ? fmt::format("ended by signal {}", WTERMSIG(status))
                             : fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

} // namespace

avocet::Result<ServiceProcess> ServiceProcess::start(const std::string &program, const std::string &socket,
                                                     const std::vector<std::string> &arguments,
                                                     const std::string &log) {
  return startAt({program, "--socket", socket}, socket, arguments, log);
}

avocet::Result<ServiceProcess> ServiceProcess::startInRegistry(const std::string &program, const std::string &registry,
                                                               const std::string &name,
                                                               const std::vector<std::string> &arguments,
                                                               const std::string &log) {
  return startAt({program, "--registry", registry, "--name", name}, registry + "/" + name, arguments, log);
}

avocet::Result<ServiceProcess> ServiceProcess::startAt(std::vector<std::string> line, const std::string &socket,
                                                       const std::vector<std::string> &arguments,
                                                       const std::string &log) {
  line.insert(line.end(), arguments.begin(), arguments.end());
  std::vector<char *> pointers;
  for (std::string &argument : line)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  FileDescriptor output(
      ::open(log.empty() ? "/dev/null" : log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const pid_t pid = ::fork();
  if (pid < 0)
    return errnoStatus(errno, "cannot start " + line.front());
  if (pid == 0)
    becomeService(pointers.data(), output.get());
  ServiceProcess service(pid, socket);
  AVOCET_RETURN_IF_ERROR(service.waitUntilServing().withContext(line.front()));
  return service;
}

Status ServiceProcess::waitUntilServing() {
  const Clock::time_point end = Clock::now() + kStartLimit;
  while (!listDevices(socket_).isOk()) {
    if (std::optional<std::string> how = death())
      return Status(StatusCode::Aborted, *how);
    if (Clock::now() > end)
      return Status(StatusCode::DeadlineExceeded, "does not serve after a minute");
    std::this_thread::sleep_for(kPause);
  }
  return Status::ok();
}

ServiceProcess::ServiceProcess(ServiceProcess &&other) noexcept
    : pid_(std::exchange(other.pid_, -1)), socket_(std::move(other.socket_)) {}

ServiceProcess &ServiceProcess::operator=(ServiceProcess &&other) noexcept {
  if (this != &other) {
    kill();
    pid_ = std::exchange(other.pid_, -1);
    socket_ = std::move(other.socket_);
  }
  return *this;
}

std::optional<std::string> ServiceProcess::death() {
  int status = 0;
  if (pid_ < 0)
    return "has ended";
  if (::waitpid(pid_, &status, WNOHANG) != pid_)
    return std::nullopt;
  pid_ = -1;
  return describeEnd(status);
}

void ServiceProcess::kill() {
  if (pid_ < 0)
    return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

avocet::Result<std::string> ServiceProcess::stop() {
  if (pid_ >= 0)
    ::kill(pid_, SIGTERM);
  for (const Clock::time_point end = Clock::now() + kStopLimit; Clock::now() < end;) {
    if (std::optional<std::string> how = death())
      return *how;
    std::this_thread::sleep_for(kPause);
  }
  kill();
  return Status(StatusCode::DeadlineExceeded, "the service does not end by SIGTERM");
}

} // namespace avocet::hal
