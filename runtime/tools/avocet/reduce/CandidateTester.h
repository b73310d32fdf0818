//===- CandidateTester.h - Candidates of a reduction -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_REDUCE_CANDIDATETESTER_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_REDUCE_CANDIDATETESTER_H

#include "avocet/base/ScratchDirectory.h"
#include "debug/TestCommand.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace avocet::tool {

using Bytes = std::vector<uint8_t>;

/// Runs the command on candidates, each a file in a private temporary directory. No candidate that was
/// rejected is run again.
class CandidateTester {
public:
  /// `extension` of the files, with its dot. `jobs`: commands at the same time.
  static Result<std::unique_ptr<CandidateTester>> create(TestCommand command, std::string extension, uint32_t jobs);

  /// FailedPrecondition, with the command's last lines of output: the command does not end as wanted. `what` names the
  /// bytes in the message.
  Status requireInteresting(std::span<const uint8_t> bytes, const std::string &what);

  /// Candidate `index`, or none if there is no valid one. Called from any thread, at the same time for several.
  using Make = std::function<std::optional<Bytes>(size_t index)>;

  /// The first interesting one of `count` candidates: the result does not depend on `jobs`. Aborted: interrupted.
  Result<std::optional<size_t>> firstInteresting(size_t count, const Make &make);

  /// The private directory, for further files. It is removed with this object.
  const std::string &directory() const { return directory_.path(); }

  /// Commands that were run, without those of requireInteresting(). Not while firstInteresting() runs.
  size_t tried() const { return tried_; }
  /// Called after each command with tried(), by one thread at a time.
  std::function<void(size_t tried)> afterEach;

private:
  CandidateTester(TestCommand command, std::string extension, uint32_t jobs, ScratchDirectory directory)
      : command_(std::move(command)), extension_(std::move(extension)), jobs_(jobs), directory_(std::move(directory)) {}

  struct Search;
  void work(Search &search);
  Result<bool> judge(const Bytes &bytes);
  Result<CommandEnd> runOn(std::span<const uint8_t> bytes, const std::string &log);
  bool isKnown(const Bytes &bytes);

  const TestCommand command_;
  const std::string extension_;
  const uint32_t jobs_;
  ScratchDirectory directory_;
  std::mutex mutex_; ///< guards what follows
  /// Hash and size of candidates that are not interesting. Others may come again: which of them a search has run
  /// depends on the number of jobs.
  std::set<std::pair<uint64_t, size_t>> rejected_;
  size_t tried_ = 0, files_ = 0;
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_REDUCE_CANDIDATETESTER_H
