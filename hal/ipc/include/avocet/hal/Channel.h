//===- Channel.h - Messages with descriptors over a socket -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One end of a connection between the driver service and a client: a Unix-domain socket of packets, each a message with
// file descriptors beside it. Small messages travel in the socket, large ones in sealed memory. The peer is not
// trusted: a packet that breaks a rule ends the connection.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_CHANNEL_H
#define AVOCET_HAL_CHANNEL_H

#include "avocet/base/BoundedReader.h"
#include "avocet/base/File.h"
#include "avocet/hal/Result.h"
#include "avocet/hal/Types.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace avocet::hal {

struct Message {
  std::vector<uint8_t> bytes; ///< none: `refusal` says why
  std::vector<SharedHandle> fds;
  std::shared_ptr<const void> charge; ///< what Admit returned for `bytes`
  std::optional<Error> refusal;
  /// This process has too many descriptors open, and some of the message's are lost.
  bool descriptorsLost = false;
};

/// Who is on the other side of a socket, as the kernel says (SO_PEERCRED).
struct PeerCredentials {
  int32_t process = 0;
  uint32_t user = 0;
  uint32_t group = 0;
};

class Channel {
public:
  static constexpr size_t kMaxDescriptors = 200;
  static constexpr uint64_t kMaxInlineBytes = uint64_t(1) << 16;
  static constexpr uint64_t kMaxBytes = uint64_t(1) << 28;

  /// How long a service waits for a client that does not read, and a client for a busy service.
  static constexpr std::chrono::seconds kServicePatience{2}, kClientPatience{60};

  /// Takes a connected socket of type SOCK_SEQPACKET. `patience`: how long send() waits for a peer that does not read.
  explicit Channel(FileDescriptor socket, std::chrono::milliseconds patience = kServicePatience);

  /// Connects to a service. DeadObject: no service listens there, or it accepted no connection within `patience`.
  static Result<std::unique_ptr<Channel>> connect(const std::string &path,
                                                  std::chrono::milliseconds patience = kClientPatience);

  /// Two connected ends, for tests and for processes that fork.
  static Result<std::pair<std::unique_ptr<Channel>, std::unique_ptr<Channel>>> createPair();

  /// Sends one message, whole or not at all. Any thread. InvalidArgument: too large, too many descriptors, or one is
  /// not open. ResourceExhaustedTransient: no memory or descriptors for it. DeadObject: the peer is gone, or has not
  /// read for as long as the patience; the channel is closed then.
  Outcome send(std::span<const uint8_t> bytes, std::span<const SharedHandle> fds);

  /// The same without waiting. False: the peer's buffer is full, and nothing was sent.
  Result<bool> trySend(std::span<const uint8_t> bytes, std::span<const SharedHandle> fds);

  /// Asked about a message in memory before anything is allocated for it. An error refuses the bytes, and the message
  /// comes without them; otherwise the answer is kept with them.
  using Admit = std::function<Result<std::shared_ptr<const void>>(const BoundedReader &bytes)>;

  /// Waits for the next message. One thread at a time. DeadObject: the peer is gone, broke a rule, or shutdown() was
  /// called. What the peer sent before it went is received first. Bytes for which there is no memory are refused as
  /// ResourceExhaustedTransient.
  Result<Message> receive(const Admit &admit = {});

  /// The bytes of the next message if it has arrived, has no memory beside it and is short; else nothing. The message
  /// stays to be received. Does not wait.
  std::vector<uint8_t> peek() const;

  /// Keeps something as long as the channel, or any descriptor that it received, is open. Before receive().
  void keep(std::shared_ptr<const void> something) { kept_ = std::move(something); }

  /// How long receive() waits; 0: without limit, as at first. When the limit passes, receive() gives DeadObject and the
  /// channel is closed.
  void setReceiveLimit(std::chrono::milliseconds limit);

  /// Ends the connection; whoever waits in it returns. Any thread.
  void shutdown();

  Result<PeerCredentials> peer() const;

  /// To be polled for the peer's end, and for nothing else.
  int descriptor() const { return socket_.get(); }

private:
  enum class Wait { No, Yes };
  Result<bool> transmit(std::span<const uint8_t> bytes, std::span<const SharedHandle> fds, Wait wait);
  Error broken(const char *how);
  Result<Message> withMemory(Message message, uint64_t size, const Admit &admit);

  std::shared_ptr<const void> kept_; ///< before the socket, so that it is released after that is closed
  FileDescriptor socket_;
  std::vector<uint8_t> packet_; ///< that receive() reads into
};

} // namespace avocet::hal

#endif // AVOCET_HAL_CHANNEL_H
