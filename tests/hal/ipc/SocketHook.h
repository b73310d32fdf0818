//===- SocketHook.h - The moment after a socket was found dead --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces connect() and flock() of the test program, so that a second service can start at the one moment that
// matters: after the first one found the socket dead and before it removes it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_IPC_SOCKETHOOK_H
#define AVOCET_TESTS_HAL_IPC_SOCKETHOOK_H

#include <cstddef>
#include <functional>

namespace avocet::hal::testing {

/// While it lives, `action` runs once: after the first connect() that is refused, on the thread that made the call. One
/// at a time.
class RefusedConnectHook {
public:
  explicit RefusedConnectHook(std::function<void()> action);
  ~RefusedConnectHook();
  RefusedConnectHook(const RefusedConnectHook &) = delete;
  RefusedConnectHook &operator=(const RefusedConnectHook &) = delete;
};

/// How many calls of flock() have found a lock taken.
size_t numRefusedLocks();

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_IPC_SOCKETHOOK_H
