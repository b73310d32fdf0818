//===- Listener.h - The socket that clients connect to ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WIRE_LISTENER_H
#define AVOCET_HAL_WIRE_LISTENER_H

#include "avocet/hal/wire/Channel.h"

#include <memory>
#include <string>

namespace avocet::hal {

class SocketPath;

/// A listening packet socket. Any thread may call shutdown(); one thread at a time may call the other functions.
class Listener {
public:
  /// Listens at a path. Clients may connect as `mode` allows. An existing file at the path is replaced only if it is a
  /// socket of this user that refuses connections, as left by a killed service. Symbolic links are not followed.
  /// A lock serializes services that start at the same path (SocketPath.h). GeneralFailure: another file exists at the
  /// path (the message has the reason why it stays), or the system refused.
  static Result<std::unique_ptr<Listener>> listen(const std::string &path, uint32_t mode = 0666);

  /// Uses the socket that the service manager opened (systemd: ListenSequentialPacket=, LISTEN_PID, LISTEN_FDS).
  /// InvalidArgument: there is none, or it is of another type.
  static Result<std::unique_ptr<Listener>> fromServiceManager();

  /// Removes the socket file if it is still the one that listen() made.
  ~Listener();

  /// Waits for the next client. GeneralFailure after shutdown().
  Result<std::unique_ptr<Channel>> accept();
  void shutdown();

  /// The next client, without waiting; null if there is none. ResourceExhaustedTransient: this process has no
  /// descriptor or memory for it, and the client stays in the queue.
  Result<std::unique_ptr<Channel>> tryAccept();
  /// For polling: POLLIN means that a client waits.
  int descriptor() const { return socket_.get(); }

private:
  Listener(FileDescriptor socket, std::unique_ptr<SocketPath> path);

  FileDescriptor socket_;
  FileDescriptor wake_;              ///< an eventfd that ends accept()
  std::unique_ptr<SocketPath> path_; ///< null: the service manager owns the file
};

} // namespace avocet::hal

#endif // AVOCET_HAL_WIRE_LISTENER_H
