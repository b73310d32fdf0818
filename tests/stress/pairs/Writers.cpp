//===- Writers.cpp - Writers of pairs of artefacts -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Writers.h"

#include "SmallModel.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/cache/ModelCacheWriter.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace avocet::cache::test {
namespace {

constexpr size_t kDataBytes = size_t{64} << 10;

int exitCodeOf(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Without output.
int runProgram(std::vector<std::string> arguments) {
  std::vector<char *> words;
  for (std::string &argument : arguments)
    words.push_back(argument.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = -1;
  const int error = posix_spawn(&process, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error != 0 ? -1 : exitCodeOf(process);
}

} // namespace

Status Network::write(const std::string &folder) const {
  const int code = run(folder);
  return code == 0 ? Status::ok() : internalError("a writer ended with code " + std::to_string(code));
}

Status Network::learn(const std::string &folder) {
  AVOCET_RETURN_IF_ERROR(write(folder));
  AVOCET_ASSIGN_OR_RETURN(const Artefacts pair, readArtefacts(folder));
  name = std::string(pair.model->modelName());
  data = checksumOf({pair.data->bytes()});
  return Status::ok();
}

Network libraryNetwork(uint8_t fill) {
  ModelDescription model = smallModel();
  model.modelName = "network " + std::to_string(fill);
  model.regions[2].bytes = model.dataBytes = kDataBytes;
  const std::vector<uint8_t> bytes = *writeModelCache(model), data(kDataBytes, fill);
  return {[bytes, data](const std::string &folder) {
            const Status status = writeArtefacts(folder, bytes, data);
            if (!status.isOk())
              printErr("{}\n", status.message());
            return status.isOk() ? 0 : 1;
          },
          {}};
}

Network compiledNetwork(const std::string &avocet, const std::string &model) {
  return {[=](const std::string &folder) { return runProgram({avocet, "compile", model, "-o", folder}); }, {}};
}

bool isPairOf(const std::vector<Network> &networks, const Artefacts &pair) {
  const Checksum data = checksumOf({pair.data->bytes()});
  return std::ranges::any_of(networks, [&](const Network &network) {
    return network.name == pair.model->modelName() && network.data == data;
  });
}

size_t filesIn(const std::string &folder) {
  using Iterator = std::filesystem::directory_iterator;
  return static_cast<size_t>(std::distance(Iterator(folder), Iterator()));
}

bool isBetweenRenames(const std::string &folder) {
  Result<std::vector<uint8_t>> bytes = readFile(folder + "/model.avom");
  const Result<std::vector<uint8_t>> data = readFile(folder + "/data.avod");
  if (!bytes)
    return false;
  const auto model = ModelCache::adopt(*std::move(bytes), "model.avom");
  const auto identity = model ? (*model)->dataIdentity() : std::nullopt;
  return identity && data && data->size() >= identity->size() &&
         !std::ranges::equal(*identity, std::span(*data).last(identity->size()));
}

std::chrono::nanoseconds durationOfWrite(const Network &network, const std::string &folder) {
  const auto start = std::chrono::steady_clock::now();
  (void)network.run(folder);
  return std::chrono::steady_clock::now() - start;
}

Victim::Victim(const std::vector<Network> &networks, const std::string &folder) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  process_ = ::fork();
  if (process_ != 0)
    return;
  ::setpgid(0, 0);
  for (size_t i = 0; networks[i % networks.size()].run(folder) == 0; ++i) {
  }
  ::_exit(0);
}

void Victim::kill() {
  if (process_ <= 0)
    return;
  ::setpgid(process_, process_); // the child may not have done it yet
  ::kill(-process_, SIGKILL);
  // Also those that the child started, which this process inherits: their locks end with them.
  while (::waitpid(-process_, nullptr, 0) > 0 || errno == EINTR) {
  }
  process_ = -1;
}

Result<TemporaryFolder> TemporaryFolder::make() {
  std::string pattern = (std::filesystem::temp_directory_path() / "avocet-pairs-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    return errnoStatus(errno, "cannot make a folder");
  return TemporaryFolder(pattern);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty())
    std::filesystem::remove_all(path_, ignored);
}

} // namespace avocet::cache::test
