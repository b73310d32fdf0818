//===- Writers.h - Writers of pairs of artefacts -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_CACHE_PAIRS_WRITERS_H
#define AVOCET_TESTS_CACHE_PAIRS_WRITERS_H

#include "avocet/base/Checksum.h"
#include "avocet/base/Status.h"
#include "avocet/cache/ArtefactDir.h"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace avocet::cache::test {

/// A network that is written into a folder of artefacts, and how its pair is recognized.
struct Network {
  std::function<int(const std::string &folder)> run; ///< the exit code of a process that writes; any thread
  std::string name;                                  ///< of the model; from learn()
  Checksum data = {};                                ///< of the constants; from learn()

  Status write(const std::string &folder) const;

  /// Writes alone, and notes name and data.
  Status learn(const std::string &folder);
};

/// Constants of `fill`, by the library.
Network libraryNetwork(uint8_t fill);

/// By a process of 'avocet compile'.
Network compiledNetwork(const std::string &avocet, const std::string &model);

/// Whether model and constants are both of one network.
bool isPairOf(const std::vector<Network> &networks, const Artefacts &pair);

/// Number of files in the folder.
size_t filesIn(const std::string &folder);

/// Whether the data cache is not that of the model cache yet.
bool isBetweenRenames(const std::string &folder);

std::chrono::nanoseconds durationOfWrite(const Network &network, const std::string &folder);

/// A process that writes the networks in turns, in a process group of its own.
class Victim {
public:
  Victim(const std::vector<Network> &networks, const std::string &folder);
  Victim(const Victim &) = delete;
  Victim &operator=(const Victim &) = delete;
  ~Victim() { kill(); }

  /// With all processes that it started. Waits for its end.
  void kill();

private:
  pid_t process_ = -1;
};

class TemporaryFolder {
public:
  static Result<TemporaryFolder> make();
  TemporaryFolder(TemporaryFolder &&other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  TemporaryFolder &operator=(TemporaryFolder &&) = delete;
  ~TemporaryFolder();
  const std::string &path() const { return path_; }

private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

} // namespace avocet::cache::test

#endif // AVOCET_TESTS_CACHE_PAIRS_WRITERS_H
