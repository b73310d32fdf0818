//===- SocketHook.h - Hooks into connect() and flock() ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces connect() and flock() of the test program, so that a second service can start at the critical moment: after
// the first one has found the socket dead and before it removes the socket.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_WIRE_SOCKETHOOK_H
#define AVOCET_TESTS_HAL_WIRE_SOCKETHOOK_H

#include <cstddef>
#include <functional>

namespace avocet::hal::testing {

/// While it exists, `action` runs once: after the first connect() that is refused, on the calling thread. Only one may
/// exist at a time.
class RefusedConnectHook {
public:
  explicit RefusedConnectHook(std::function<void()> action);
  ~RefusedConnectHook();
  RefusedConnectHook(const RefusedConnectHook &) = delete;
  RefusedConnectHook &operator=(const RefusedConnectHook &) = delete;
};

/// Number of flock() calls that found the lock taken.
size_t numRefusedLocks();

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_WIRE_SOCKETHOOK_H
