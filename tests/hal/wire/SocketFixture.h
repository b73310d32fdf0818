//===- SocketFixture.h - A socket path for one test -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_WIRE_SOCKETFIXTURE_H
#define AVOCET_TESTS_HAL_WIRE_SOCKETFIXTURE_H

#include "TemporaryFolder.h"

#include "avocet/base/File.h"

#include <gtest/gtest.h>
#include <optional>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace avocet::hal::testing {

/// A socket path in its own folder.
class SocketFixture : public ::testing::Test {
protected:
  sockaddr_un address() const {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof(address.sun_path) - 1);
    return address;
  }
  /// Binds a socket as another program would. With a backlog it also listens, but never accepts.
  FileDescriptor bindSocket(std::optional<int> backlog = {}, int type = SOCK_SEQPACKET) const {
    FileDescriptor socket(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
    const sockaddr_un name = address();
    EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr *>(&name), sizeof(name)), 0);
    if (backlog) {
      EXPECT_EQ(::listen(socket.get(), *backlog), 0);
    }
    return socket;
  }

  const test::TemporaryFolder temporary_{"avocetSocket"};
  std::string folder_ = temporary_.path().string(), path_ = folder_ + "/socket";
};

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_WIRE_SOCKETFIXTURE_H
