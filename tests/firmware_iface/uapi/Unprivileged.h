//===- Unprivileged.h - Calls of a user without privileges --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FIRMWARE_IFACE_UAPI_UNPRIVILEGED_H
#define AVOCET_TESTS_FIRMWARE_IFACE_UAPI_UNPRIVILEGED_H

#include <cstdint>
#include <functional>

namespace avocet::uapi {

/// The result of `work` in a child process with the user ID of "nobody"; -1 if it was ended by a signal.
int unprivileged(const std::function<int()> &work);

/// Of this process.
void limitLockedMemory(uint64_t bytes);

} // namespace avocet::uapi

#endif // AVOCET_TESTS_FIRMWARE_IFACE_UAPI_UNPRIVILEGED_H
