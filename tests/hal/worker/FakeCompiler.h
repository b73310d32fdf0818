//===- FakeCompiler.h - Models that make the fake compiler fail -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_WORKER_FAKECOMPILER_H
#define AVOCET_TESTS_HAL_WORKER_FAKECOMPILER_H

#include <cstdint>

namespace avocet::hal::testing {

/// Extents of tensors that no other test uses. The fake compiler does this for a model that contains one.
enum class FakeBehavior : uint32_t {
  Crash = 57001,            ///< reads through a null pointer
  Abort = 57002,            ///< calls abort()
  Hang = 57003,             ///< computes without end
  UseMemory = 57004,        ///< allocates memory without end
  Overflow = 57005,         ///< recurses until the stack overflows
  Execute = 57006,          ///< execve()
  Connect = 57007,          ///< socket(AF_INET)
  Trace = 57008,            ///< ptrace()
  Signal = 57009,           ///< kill()
  NewCode = 57010,          ///< mmap() of executable memory
  ReadFile = 57011,         ///< open() of /etc/passwd; returns Internal if that succeeds, else Unsupported
  Descriptors = 57012,      ///< returns the number of open descriptors
  LongAnswer = 57013,       ///< sends an answer of more bytes than the lent file has, on all descriptors
  EmptyAnswer = 57014,      ///< sends the size of an answer that was not written, on all descriptors
  CrashAboveLevel0 = 57015, ///< as Crash; at level 0 of the compiler it compiles
  HangAboveLevel0 = 57016,  ///< as Hang; at level 0 of the compiler it compiles
  RefuseLevel0 = 57017,     ///< returns Unsupported; above level 0 of the compiler it compiles
};

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_WORKER_FAKECOMPILER_H
