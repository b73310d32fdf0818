//===- HostileService.h - A service with the answers of a script --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_CLIENT_HOSTILESERVICE_H
#define AVOCET_TESTS_FUZZ_CLIENT_HOSTILESERVICE_H

#include "HostileBurst.h"
#include "Packet.h"

#include "avocet/hal/wire/Envelope.h"

#include <list>
#include <thread>

namespace avocet::fuzz {

/// Listens at a path and answers calls with the replies of a ClientScript, in its own thread. If no reply to a call has
/// the call's number, the service hangs up, so that no client waits without limit.
class HostileService {
public:
  HostileService(const std::string &path, const Table &script);
  ~HostileService();

private:
  struct Connection {
    std::unique_ptr<hal::Channel> channel;
    FileDescriptor socket; ///< the same socket, for packets that a channel would not send
  };

  void run();
  void accept();
  /// False: the connection has ended.
  bool serve(Connection &connection);
  bool reply(Connection &connection, const hal::ipc::fb::EnvelopeT &call);
  const Table *replyTo(uint8_t tag);
  void open(const hal::ipc::fb::ServeBurstT &call, const hal::ipc::HandleReader &handles);

  const Table &script_;
  const FileDescriptor listener_, wake_;
  DescriptorBox descriptors_; ///< this and all below: used by the thread only
  std::list<Connection> connections_;
  std::list<HostileBurst> bursts_;
  std::map<uint8_t, size_t> numReplies_; ///< by tag
  std::thread thread_;
};

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_CLIENT_HOSTILESERVICE_H
