//===- ServiceProcess.cpp - A driver service for one test - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServiceProcess.h"

#include "avocet/hal/ipc/Client.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace avocet::delegate {

ServiceProcess::ServiceProcess() {
  std::string pattern = std::filesystem::temp_directory_path() / "avocet-delegate-service-XXXXXX";
  if (::mkdtemp(pattern.data()) != nullptr)
    folder_ = pattern;
}

ServiceProcess::~ServiceProcess() {
  kill();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

bool ServiceProcess::start(const std::vector<std::string> &options) {
  using namespace std::chrono_literals;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  std::vector<std::string> texts = {self.parent_path() / "avocetd", "--socket", socket(), "--target", "e256"};
  texts.insert(texts.end(), options.begin(), options.end());
  std::vector<char *> arguments;
  for (std::string &text : texts)
    arguments.push_back(text.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const int error = ::posix_spawn(&process_, texts[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return process_ = -1, false;
  for (auto end = std::chrono::steady_clock::now() + 20s; std::chrono::steady_clock::now() < end;) {
    if (hal::listDevices(socket(), 1s))
      return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

void ServiceProcess::kill() {
  if (process_ < 0)
    return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
}

} // namespace avocet::delegate
