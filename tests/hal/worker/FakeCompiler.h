//===- FakeCompiler.h - What the fake compiler does with which model -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_WORKER_FAKECOMPILER_H
#define AVOCET_TESTS_HAL_WORKER_FAKECOMPILER_H

#include <cstdint>

namespace avocet::hal::testing {

/// Extents of tensors that no other test has. A model that has one makes the fake compiler do this.
enum class Mischief : uint32_t {
  Crash = 57001,       ///< reads through a null pointer
  Abort = 57002,       ///< calls abort()
  Hang = 57003,        ///< computes for ever
  UseMemory = 57004,   ///< allocates until there is no more
  Overflow = 57005,    ///< calls itself until the stack ends
  Execute = 57006,     ///< execve()
  Connect = 57007,     ///< socket(AF_INET)
  Trace = 57008,       ///< ptrace()
  Signal = 57009,      ///< kill()
  NewCode = 57010,     ///< mmap() of executable memory
  ReadFile = 57011,    ///< open() of /etc/passwd; succeeds if that does
  Descriptors = 57012, ///< says how many descriptors are open
  LongAnswer = 57013,  ///< sends an answer of more bytes than the lent file has, on all descriptors
  EmptyAnswer = 57014, ///< sends an answer that was not written, on all descriptors
};

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_WORKER_FAKECOMPILER_H
