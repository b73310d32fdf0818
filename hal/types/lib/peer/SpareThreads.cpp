//===- SpareThreads.cpp - Threads that may block for ever -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "peer/SpareThreads.h"

#include <new>
#include <system_error>
#include <thread>

namespace avocet::hal {

SpareThreads &SpareThreads::instance() {
  static auto *threads = new SpareThreads;
  return *threads;
}

bool SpareThreads::hasRoom(uint64_t fileSystem) const {
  auto found = busy_.find(fileSystem);
  return numBusy_ < kMaxThreads && (found == busy_.end() || found->second < kMaxPerFileSystem);
}

void SpareThreads::finish(uint64_t fileSystem) {
  --numBusy_;
  if (--busy_[fileSystem] == 0)
    busy_.erase(fileSystem);
  changed_.notify_all();
}

bool SpareThreads::start(uint64_t fileSystem, const std::shared_ptr<std::function<void()>> &work,
                         const std::shared_ptr<bool> &isDone) {
  ++numBusy_;
  ++busy_[fileSystem];
  try {
    std::thread([this, fileSystem, work, isDone] {
      try {
        (*work)();
      } catch (const std::bad_alloc &) { // the caller finds no result
      }
      *work = nullptr; // its captures are destroyed before the caller continues
      Lock lock(mutex_);
      *isDone = true;
      finish(fileSystem);
    }).detach();
  } catch (const std::system_error &) {
    finish(fileSystem);
    return false;
  }
  return true;
}

SpareThreads::End SpareThreads::run(uint64_t fileSystem, std::function<void()> work, std::chrono::milliseconds limit) {
  const auto end = Clock::now() + limit;
  auto shared = std::make_shared<std::function<void()>>(std::move(work));
  auto isDone = std::make_shared<bool>(false);
  Lock lock(mutex_);
  const bool hasPlace = changed_.wait_until(lock, end, [&] { return endings_ > 0 || hasRoom(fileSystem); });
  if (endings_ > 0)
    return End::Ending;
  if (!hasPlace || !start(fileSystem, shared, isDone))
    return End::NoThread;
  shared.reset();
  changed_.wait_until(lock, end, [&] { return *isDone || endings_ > 0; });
  if (*isDone)
    return End::Done;
  return endings_ > 0 ? End::Ending : End::TooLate;
}

void SpareThreads::close(uint64_t fileSystem, FileDescriptor file, std::shared_ptr<const void> kept) {
  Lock lock(mutex_);
  const bool hasThread = closing_.contains(fileSystem);
  closing_[fileSystem].push_back({std::move(kept), std::move(file)});
  if (hasThread)
    return;
  try {
    std::thread([this, fileSystem] { closeAll(fileSystem); }).detach();
  } catch (const std::system_error &) {
    // Forget the entry, so that the next descriptor of this file system tries to start a thread again.
    std::deque<Closing> left = std::move(closing_[fileSystem]);
    closing_.erase(fileSystem);
    lock.unlock(); // without a thread, the caller closes and may wait for the file system
  }
}

void SpareThreads::closeAll(uint64_t fileSystem) {
  Lock lock(mutex_);
  while (!closing_[fileSystem].empty()) {
    Closing next = std::move(closing_[fileSystem].front());
    closing_[fileSystem].pop_front();
    lock.unlock();
    next.file.reset();
    next.kept.reset();
    lock.lock();
  }
  closing_.erase(fileSystem);
}

void SpareThreads::beginEnding() {
  Lock lock(mutex_);
  ++endings_;
  changed_.notify_all();
}

void SpareThreads::finishEnding() {
  Lock lock(mutex_);
  --endings_;
}

} // namespace avocet::hal
