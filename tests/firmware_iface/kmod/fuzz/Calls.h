//===- Calls.h - The calls that the fuzzer makes ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_KMOD_FUZZ_CALLS_H
#define AVOCET_TESTS_KMOD_FUZZ_CALLS_H

#include "World.h"

#include <span>
#include <string_view>

namespace avocet::fuzz {

/// Calls ioctl(). In some cases the request states another size, the memory is not accessible, or bytes are changed
/// before the call. True if it succeeded with the caller's arguments.
bool callDevice(Random &random, int file, unsigned long request, void *argument);

template <typename T> bool callDevice(Random &random, int file, unsigned long request, T &argument) {
  return callDevice(random, file, request, static_cast<void *>(&argument));
}

/// One call with arguments from the tables or hostile ones.
struct Call {
  std::string_view name;
  uint32_t weight;
  bool (*make)(World &world, Random &random); ///< whether the kernel did it
  bool isOptional = false;                    ///< not in every kernel
};

std::span<const Call> driverCalls(); ///< all of avocet_accel.h
std::span<const Call> otherCalls();  ///< what DRM and other drivers offer for the same files, and of processes

/// A device with a context, mapped programs and buffers, so that later calls succeed.
void prepareWorld(World &world, Random &random);

/// `count` random calls.
void makeCalls(World &world, Random &random, uint32_t count);

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_KMOD_FUZZ_CALLS_H
