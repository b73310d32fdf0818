//===- Oracle.cpp - TensorFlow Lite in a process of its own ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>

namespace avocet::differential {
namespace {

constexpr int kAnswerMilliseconds = 30'000;

std::string programBeside() { return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "tfliteOracle"; }

/// Environment of the child. Without the setting the library chooses its matrix kernels by the host's processor.
std::vector<std::string> environmentOfOracle() {
  std::vector<std::string> variables = {"RUY_PATHS=0x2"};
  for (char **entry = environ; *entry; ++entry)
    variables.emplace_back(*entry);
  return variables;
}

} // namespace

Result<std::string> findOracle() {
#if defined(__aarch64__)
  const char *folder = "linux_arm64";
#else
  const char *folder = "linux_amd64";
#endif
  std::string path = fmt::format("{}/tfjs-tflite-node/cc_deps/{}/libtensorflowlite_c.so", AVOCET_CLIENTS, folder);
  if (std::filesystem::exists(path))
    return path;
  return notFound(path + ": TensorFlow Lite is not installed; install it with scripts/setup --clients");
}

Status Oracle::start() {
  int toChild[2], fromChild[2];
  if (::pipe2(toChild, O_CLOEXEC) != 0 || ::pipe2(fromChild, O_CLOEXEC) != 0)
    return errnoStatus(errno, "pipe");
  FileDescriptor childInput(toChild[0]), childOutput(fromChild[1]);
  requests_ = FileDescriptor(toChild[1]);
  answers_ = FileDescriptor(fromChild[0]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, childInput.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, childOutput.get(), STDOUT_FILENO);
  // The library logs there; what matters comes with the answer.
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string program = programBeside();
  std::vector<char *> arguments = {program.data(), library_.data()};
  for (std::string &argument : delegate_)
    arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  std::vector<std::string> variables = environmentOfOracle();
  std::vector<char *> environment;
  for (std::string &variable : variables)
    environment.push_back(variable.data());
  environment.push_back(nullptr);
  const int error = ::posix_spawn(&process_, program.c_str(), &actions, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0)
    return Status::ok();
  process_ = -1;
  return errnoStatus(error, "start " + program);
}

std::string Oracle::stop() {
  requests_.reset();
  answers_.reset();
  if (process_ < 0)
    return "did not start";
  int status = 0;
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
    return fmt::format("crashed with signal {}", WTERMSIG(status));
  return WIFEXITED(status) ? fmt::format("ended with exit code {}", WEXITSTATUS(status)) : "gave no answer";
}

std::optional<OracleAnswer> Oracle::awaitAnswer() {
  pollfd answer{answers_.get(), POLLIN, 0};
  int ready = 0;
  do
    ready = ::poll(&answer, 1, kAnswerMilliseconds);
  while (ready < 0 && errno == EINTR);
  if (ready <= 0)
    return std::nullopt;
  std::optional<OracleAnswer> message = readAnswer(answers_.get());
  // The pipe closes before the process has ended; wait for its own exit status.
  if (!message) {
    siginfo_t ended{};
    ::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOWAIT);
  }
  return message;
}

Result<std::vector<Bytes>> Oracle::run(const OracleRequest &request) {
  if (process_ < 0)
    AVOCET_RETURN_IF_ERROR(start());
  std::optional<OracleAnswer> answer;
  if (writeRequest(requests_.get(), request))
    answer = awaitAnswer();
  if (!answer)
    return internalError("TensorFlow Lite " + stop());
  if (!answer->isRun)
    return unsupported(answer->message);
  return std::move(answer->outputs);
}

} // namespace avocet::differential
