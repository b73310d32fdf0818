//===- SpareThreads.h - Threads that may block for ever ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_LIB_PEER_SPARETHREADS_H
#define AVOCET_HAL_TYPES_LIB_PEER_SPARETHREADS_H

#include "avocet/base/File.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace avocet::hal {

/// Starts a thread for each work item, and one for each file system that closes descriptors. Threads are detached.
/// Thread-safe.
class SpareThreads {
public:
  /// Most threads for one file system, so that one that blocks leaves threads for others.
  static constexpr uint32_t kMaxPerFileSystem = 4;
  static constexpr uint32_t kMaxThreads = 32;

  /// The instance of the process. Never destroyed, since abandoned threads use it.
  static SpareThreads &instance();

  enum class End { Done, TooLate, NoThread, Ending };
  /// Runs `work` and waits for its end. `fileSystem`: the device number of the file that it uses.
  End run(uint64_t fileSystem, std::function<void()> work, std::chrono::milliseconds limit);

  /// Closes the descriptor later, then releases `kept`. Does not wait.
  void close(uint64_t fileSystem, FileDescriptor file, std::shared_ptr<const void> kept);

  /// Between these two calls run() does not wait.
  void beginEnding();
  void finishEnding();

private:
  struct Closing {
    std::shared_ptr<const void> kept;
    FileDescriptor file; ///< closed before `kept` is released
  };
  using Clock = std::chrono::steady_clock;
  using Lock = std::unique_lock<std::mutex>;

  bool hasRoom(uint64_t fileSystem) const;
  bool start(uint64_t fileSystem, const std::shared_ptr<std::function<void()>> &work,
             const std::shared_ptr<bool> &isDone);
  void finish(uint64_t fileSystem);
  void closeAll(uint64_t fileSystem);

  std::mutex mutex_; ///< guards the members below; not held while work runs or a descriptor is closed
  std::condition_variable changed_;
  std::map<uint64_t, uint32_t> busy_; ///< threads by file system
  uint32_t numBusy_ = 0;
  uint32_t endings_ = 0;
  std::map<uint64_t, std::deque<Closing>> closing_; ///< each entry has a thread
};

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_LIB_PEER_SPARETHREADS_H
