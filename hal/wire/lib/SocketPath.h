//===- SocketPath.h - A service's socket file -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Creates, replaces and removes the file of a listening socket. Holds the folder's lock (flock) meanwhile, so that two
// services cannot both find the same dead socket and remove each other's new one. The folder is opened once and files
// are named relative to it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WIRE_LIB_SOCKETPATH_H
#define AVOCET_HAL_WIRE_LIB_SOCKETPATH_H

#include "avocet/base/File.h"
#include "avocet/hal/types/Result.h"

#include <memory>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>

namespace avocet::hal {

/// The kind in `mode` for messages: "a symbolic link".
inline std::string_view fileKind(mode_t mode) {
  switch (mode & S_IFMT) {
  case S_IFREG:
    return "a regular file";
  case S_IFDIR:
    return "a folder";
  case S_IFLNK:
    return "a symbolic link";
  case S_IFIFO:
    return "a FIFO";
  default:
    return "a device node";
  }
}

/// The address of a socket path. InvalidArgument: the path is empty or too long.
Result<sockaddr_un> socketAddress(const std::string &path);

/// A new packet socket, not connected; invalid on failure, with errno set.
FileDescriptor openPacketSocket(int flags = 0);

class SocketPath {
public:
  /// Binds `socket` to `path`, gives the file its mode and starts to listen. Errors as Listener::listen().
  static Result<std::unique_ptr<SocketPath>> bind(const FileDescriptor &socket, const std::string &path, uint32_t mode,
                                                  int backlog);
  /// Removes the file if it is still the one that bind() made.
  ~SocketPath();
  SocketPath(const SocketPath &) = delete;
  SocketPath &operator=(const SocketPath &) = delete;

private:
  SocketPath(FileDescriptor folder, std::string path);
  Outcome removeDead() const;
  Outcome create(const FileDescriptor &socket, uint32_t mode, int backlog);
  Outcome lockFolder() const;
  void unlockFolder() const;

  const FileDescriptor folder_;
  const std::string path_;
  const std::string name_; ///< name of the file in the folder
  bool isOurs_ = false;    ///< device_ and inode_ are set
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_WIRE_LIB_SOCKETPATH_H
