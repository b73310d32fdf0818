//===- SystemCallFilter.h - Which system calls a process may still make ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A list of allowed calls, enforced by the kernel (seccomp). Any other call raises SIGSYS in the thread that made it
// and has no effect. A handler reports the call; without a handler the signal ends the process.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SANDBOX_SYSTEMCALLFILTER_H
#define AVOCET_HAL_SANDBOX_SYSTEMCALLFILTER_H

#include "avocet/base/Status.h"

#include <cstdint>
#include <initializer_list>
#include <memory>

namespace avocet::hal {

/// "openat" and the like, for this machine's numbers; "unknown" for others. The first call builds a table, later ones
/// are safe in signal handlers.
const char *systemCallName(int number);

/// Collects rules and loads them. Later rules do not replace earlier ones.
class SystemCallFilter {
public:
  SystemCallFilter();
  ~SystemCallFilter();
  SystemCallFilter(const SystemCallFilter &) = delete;
  SystemCallFilter &operator=(const SystemCallFilter &) = delete;

  /// Numbers as in <sys/syscall.h>.
  void allow(std::initializer_list<int> calls);
  /// Only if argument number `argument` has the value `value` in the bits of `mask`.
  void allowIf(int call, unsigned argument, uint64_t mask, uint64_t value);
  /// Fails with `error` and is not reported.
  void refuse(int call, int error);

  /// Takes effect at once for all threads of the process and the processes that it forks. Also sets no_new_privs.
  /// Unsupported: the kernel has no seccomp. Internal: a rule was wrong.
  avocet::Status load() const;

private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// Called in a signal handler with the number of a stopped call; its return value is the call's result (-EPERM). One
/// for the process.
using StoppedCallHandler = long (*)(int number);
avocet::Status setStoppedCallHandler(StoppedCallHandler handler);

/// Whether this build has ASan or TSan. Their own system calls cannot be distinguished from the program's, so filters
/// allow more.
bool isSanitizerBuild();

} // namespace avocet::hal

#endif // AVOCET_HAL_SANDBOX_SYSTEMCALLFILTER_H
