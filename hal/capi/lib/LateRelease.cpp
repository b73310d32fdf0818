//===- LateRelease.cpp ----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LateRelease.h"

#include "avocet/base/Log.h"

#include <list>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace avocet::hal::capi {
namespace {

/// Between looks at the waiting objects if the process has no descriptor left for an event.
constexpr int kMillisecondsWithoutEvent = 100;

struct Waiting {
  std::vector<SyncFence> fences; ///< the last one is polled
  std::shared_ptr<void> object;

  bool isOver() {
    while (!fences.empty() && fences.back().state() != FenceState::Active)
      fences.pop_back();
    return fences.empty();
  }
};

/// The objects that wait, and a detached thread while there are any.
class LateRelease {
public:
  /// Never destroyed, since the thread may still wait when the process ends.
  static LateRelease &instance() {
    static auto *instance = new LateRelease;
    return *instance;
  }

  void add(Waiting waiting) {
    std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(waiting));
    const uint64_t one = 1;
    (void)!::write(wake_.get(), &one, sizeof(one));
    if (hasThread_)
      return;
    try {
      std::thread([this] { run(); }).detach();
      hasThread_ = true;
    } catch (const std::system_error &) { // the next object tries again
      logMessage(LogLevel::Warning, "nnapi", "no thread can be started that frees the objects of an execution");
    }
  }

private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!waiting_.empty()) {
      std::list<Waiting> over = takeOver();
      const std::vector<pollfd> polled = over.empty() ? descriptors() : std::vector<pollfd>();
      lock.unlock();
      if (over.empty())
        await(polled);
      over.clear(); // may wait for executions to end
      lock.lock();
    }
    hasThread_ = false;
  }

  std::list<Waiting> takeOver() {
    std::list<Waiting> over;
    for (auto entry = waiting_.begin(); entry != waiting_.end();) {
      auto next = std::next(entry);
      if (entry->isOver())
        over.splice(over.end(), waiting_, entry);
      entry = next;
    }
    return over;
  }

  std::vector<pollfd> descriptors() const {
    std::vector<pollfd> polled = {{wake_.get(), POLLIN, 0}};
    for (const Waiting &waiting : waiting_)
      polled.push_back({waiting.fences.back().handle()->get(), POLLIN | POLLRDHUP, 0});
    return polled;
  }

  /// The descriptors stay open: only this thread removes entries.
  void await(std::vector<pollfd> polled) const {
    (void)::poll(polled.data(), polled.size(), wake_.isValid() ? -1 : kMillisecondsWithoutEvent);
    uint64_t count = 0;
    (void)!::read(wake_.get(), &count, sizeof(count));
  }

  const FileDescriptor wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::mutex mutex_; ///< guards the members below
  std::list<Waiting> waiting_;
  bool hasThread_ = false;
};

} // namespace

void releaseAfter(std::vector<SyncFence> fences, std::shared_ptr<void> object) {
  Waiting waiting{std::move(fences), std::move(object)};
  if (!waiting.isOver())
    LateRelease::instance().add(std::move(waiting));
}

} // namespace avocet::hal::capi
