//===- Child.h - Other processes of a test ------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FIRMWARE_IFACE_UAPI_CHILD_H
#define AVOCET_TESTS_FIRMWARE_IFACE_UAPI_CHILD_H

#include "avocet/base/File.h"

#include <functional>
#include <sys/types.h>

namespace avocet::uapi {

/// A process with a socket to this one. It is killed by the destructor if it has not ended.
class Child {
public:
  /// `work` gets the child's end of the socket; its result is the exit code.
  explicit Child(const std::function<int(int socket)> &work);
  ~Child();
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;

  int socket() const { return socket_.get(); }
  void kill(); ///< with SIGKILL; on return it has ended
  int join();  ///< the exit code, -1 if a signal ended it

private:
  pid_t process_ = -1;
  FileDescriptor socket_;
};

void sendByte(int socket);
bool awaitByte(int socket); ///< false: the other end is closed
void sendDescriptor(int socket, int fd);
FileDescriptor receiveDescriptor(int socket); ///< not valid if there was none

} // namespace avocet::uapi

#endif // AVOCET_TESTS_FIRMWARE_IFACE_UAPI_CHILD_H
