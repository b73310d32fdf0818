//===- ConnectionPoller.h - Polls connections of busy sessions --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SERVICE_LIB_CONNECTIONPOLLER_H
#define AVOCET_HAL_SERVICE_LIB_CONNECTIONPOLLER_H

#include "avocet/base/File.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace avocet::hal {

/// Notifications to a connection while the thread that listened to it performs a call. Neither may block.
class IWatched {
public:
  virtual ~IWatched() = default;
  virtual void somethingArrived() = 0;
  virtual void peerHasGone() = 0;
};

/// One thread for all connections. A thread arms the poller before it performs a call, and disarms it before it
/// listens again: two cheap system calls instead of a switch of threads for each call. Thread-safe.
class ConnectionPoller {
public:
  ConnectionPoller();
  ~ConnectionPoller();
  ConnectionPoller(const ConnectionPoller &) = delete;
  ConnectionPoller &operator=(const ConnectionPoller &) = delete;

  /// Returns the number for the other calls; 0: it cannot be watched. The descriptor must stay open until remove().
  uint64_t add(int descriptor, std::weak_ptr<IWatched> watched);
  void remove(uint64_t number, int descriptor);

  /// Watches for input and the peer's end, until disarm() or until one event was reported.
  void arm(uint64_t number, int descriptor);
  /// Watches for the peer's end only.
  void armForEnd(uint64_t number, int descriptor);
  void disarm(uint64_t number, int descriptor);

private:
  void change(uint64_t number, int descriptor, uint32_t events);
  void watch();
  std::shared_ptr<IWatched> find(uint64_t number);

  const FileDescriptor epoll_;
  const FileDescriptor wake_;
  std::mutex mutex_; ///< guards the members below
  std::map<uint64_t, std::weak_ptr<IWatched>> watched_;
  uint64_t nextNumber_ = 1;
  std::thread thread_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_SERVICE_LIB_CONNECTIONPOLLER_H
