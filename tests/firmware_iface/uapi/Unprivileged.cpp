//===- Unprivileged.cpp - Calls of a user without privileges ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Unprivileged.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace avocet::uapi {

int unprivileged(const std::function<int()> &work) {
  constexpr uid_t kNobody = 65534;
  const pid_t child = ::fork();
  if (child == 0)
    ::_exit(::setuid(kNobody) == 0 ? work() : 255);
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void limitLockedMemory(uint64_t bytes) {
  const rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_MEMLOCK, &limit);
}

} // namespace avocet::uapi
