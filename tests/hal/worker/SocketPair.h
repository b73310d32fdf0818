//===- SocketPair.h - Two connected packet sockets --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_WORKER_SOCKETPAIR_H
#define AVOCET_TESTS_HAL_WORKER_SOCKETPAIR_H

#include "avocet/base/File.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

namespace avocet::hal {

struct SocketPair {
  SocketPair() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    ours = FileDescriptor(ends[0]);
    theirs = FileDescriptor(ends[1]);
  }
  FileDescriptor ours, theirs;
};

} // namespace avocet::hal

#endif // AVOCET_TESTS_HAL_WORKER_SOCKETPAIR_H
