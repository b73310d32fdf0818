//===- OwnProcess.h - Starts this program with other arguments ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_BENCH_SUPPORT_OWNPROCESS_H
#define AVOCET_TESTS_BENCH_SUPPORT_OWNPROCESS_H

#include <fcntl.h>
#include <initializer_list>
#include <string>
#include <unistd.h>
#include <vector>

namespace avocet::hal::bench {

/// Starts this program as another process, without threads or mappings of this one; `line` begins with its name. The
/// process inherits the descriptors under their numbers. -1: it cannot be forked.
inline pid_t startOwnProcess(std::vector<std::string> line, std::initializer_list<int> descriptors) {
  std::vector<char *> pointers;
  for (std::string &argument : line)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid != 0)
    return pid;
  for (int descriptor : descriptors)
    (void)::fcntl(descriptor, F_SETFD, 0);
  ::execv("/proc/self/exe", pointers.data());
  ::_exit(127);
}

} // namespace avocet::hal::bench

#endif // AVOCET_TESTS_BENCH_SUPPORT_OWNPROCESS_H
