//===- SocketHook.cpp - Hooks into connect() and flock() --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SocketHook.h"

#include <atomic>
#include <cerrno>
#include <mutex>
#include <utility>

#include <sys/file.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace avocet::hal::testing {
namespace {

std::mutex gMutex; ///< guards gAction
std::function<void()> gAction;
std::atomic<size_t> gRefusedLocks = 0;

std::function<void()> takeAction() {
  std::lock_guard lock(gMutex);
  return std::exchange(gAction, nullptr);
}

void afterConnect(int result) {
  const int error = errno;
  if (result != 0 && error == ECONNREFUSED)
    if (std::function<void()> action = takeAction())
      action();
  errno = error;
}

void afterLock(int result) {
  if (result != 0 && errno == EWOULDBLOCK)
    ++gRefusedLocks;
}

} // namespace

RefusedConnectHook::RefusedConnectHook(std::function<void()> action) {
  std::lock_guard lock(gMutex);
  gAction = std::move(action);
}

RefusedConnectHook::~RefusedConnectHook() { (void)takeAction(); }

size_t numRefusedLocks() { return gRefusedLocks; }

} // namespace avocet::hal::testing

// These replace the C library's functions in the whole program.
extern "C" int connect(int fd, const sockaddr *address, socklen_t size) {
  const auto result = static_cast<int>(::syscall(SYS_connect, fd, address, size));
  avocet::hal::testing::afterConnect(result);
  return result;
}

extern "C" int flock(int fd, int operation) noexcept {
  const auto result = static_cast<int>(::syscall(SYS_flock, fd, operation));
  avocet::hal::testing::afterLock(result);
  return result;
}
