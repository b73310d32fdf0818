//===- Child.cpp - Other processes of a test ----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Child.h"

#include <csignal>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace avocet::uapi {

Child::Child(const std::function<int(int socket)> &work) {
  int ends[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  process_ = ::fork();
  if (process_ == 0) {
    ::close(ends[0]);
    ::_exit(work(ends[1]));
  }
  ::close(ends[1]);
  socket_ = FileDescriptor(ends[0]);
}

Child::~Child() {
  if (process_ > 0)
    kill();
}

void Child::kill() {
  ::kill(process_, SIGKILL);
  join();
}

int Child::join() {
  int status = 0;
  const pid_t ended = ::waitpid(std::exchange(process_, -1), &status, 0);
  return ended > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void sendByte(int socket) {
  const char byte = 0;
  EXPECT_EQ(::send(socket, &byte, 1, MSG_NOSIGNAL), 1);
}

bool awaitByte(int socket) {
  char byte;
  return ::recv(socket, &byte, 1, 0) == 1;
}

void sendDescriptor(int socket, int fd) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(fd))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(fd));
  std::memcpy(CMSG_DATA(header), &fd, sizeof(fd));
  EXPECT_EQ(::sendmsg(socket, &message, MSG_NOSIGNAL), 1);
}

FileDescriptor receiveDescriptor(int socket) {
  char byte;
  iovec data{&byte, 1};
  int fd = -1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(fd))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  if (::recvmsg(socket, &message, MSG_CMSG_CLOEXEC) == 1)
    if (const cmsghdr *header = CMSG_FIRSTHDR(&message); header && header->cmsg_type == SCM_RIGHTS)
      std::memcpy(&fd, CMSG_DATA(header), sizeof(fd));
  return FileDescriptor(fd);
}

} // namespace avocet::uapi
