//===- Peer.h - A hostile client's connection -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_SERVICE_PEER_H
#define AVOCET_TESTS_FUZZ_SERVICE_PEER_H

#include "Packet.h"

#include "avocet/hal/wire/Channel.h"

namespace avocet::fuzz {

/// Sends packets and counts the answers that are due. Aborts if an answer does not come, comes twice, or cannot be
/// read.
class Peer {
public:
  explicit Peer(const std::string &path);

  void send(const Table &message, DescriptorBox &descriptors);
  /// Waits until each call has its answer, or the service has hung up.
  void settle();
  void disconnect();

private:
  void receive();

  std::unique_ptr<hal::Channel> channel_; ///< null: disconnected
  FileDescriptor socket_;                 ///< the same socket, for packets that a channel would not send
  uint64_t numDue_ = 0;                   ///< answers that must still come
  uint64_t numReleases_ = 0;              ///< answers that may come
};

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_SERVICE_PEER_H
