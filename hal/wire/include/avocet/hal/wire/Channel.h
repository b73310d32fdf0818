//===- Channel.h - Messages with descriptors over a socket -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One end of a connection between the driver service and a client: a Unix-domain packet socket. Each packet is a
// message with file descriptors. Small messages are sent in the packet, large ones in sealed memory. The peer is not
// trusted: a packet that breaks a rule ends the connection.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WIRE_CHANNEL_H
#define AVOCET_HAL_WIRE_CHANNEL_H

#include "avocet/base/BoundedReader.h"
#include "avocet/base/File.h"
#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"

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
  std::vector<uint8_t> bytes; ///< empty: `refusal` has the reason
  std::vector<SharedHandle> fds;
  std::shared_ptr<const void> charge; ///< returned by Admit for `bytes`
  std::optional<Error> refusal;
  /// This process has too many descriptors open, and some of the message's are lost.
  bool descriptorsLost = false;
};

/// Credentials of a socket's peer, as reported by the kernel (SO_PEERCRED).
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

  /// Default time that a service waits for a client that does not read, and a client for a busy service.
  static constexpr std::chrono::seconds kServicePatience{2}, kClientPatience{60};

  /// `socket`: connected, of type SOCK_SEQPACKET. `patience`: longest wait of send() for a peer that does not read.
  explicit Channel(FileDescriptor socket, std::chrono::milliseconds patience = kServicePatience);

  /// Connects to a service. DeadObject: no service listens there, or it accepted no connection within `patience`.
  static Result<std::unique_ptr<Channel>> connect(const std::string &path,
                                                  std::chrono::milliseconds patience = kClientPatience);

  /// Two connected ends, for tests and for processes that fork.
  static Result<std::pair<std::unique_ptr<Channel>, std::unique_ptr<Channel>>> createPair();

  /// Sends one message, whole or not at all. Any thread. InvalidArgument: too large, too many descriptors, or one is
  /// not open. ResourceExhaustedTransient: no memory or descriptors for it. DeadObject: the peer is gone, or has not
  /// read during the patience; the channel is then closed.
  Outcome send(std::span<const uint8_t> bytes, std::span<const SharedHandle> fds);

  /// The same without waiting. False: the peer's buffer is full, and nothing was sent.
  Result<bool> trySend(std::span<const uint8_t> bytes, std::span<const SharedHandle> fds);

  /// Called for a message in shared memory before memory is allocated for it. An error refuses the bytes, and the
  /// message arrives without them; otherwise the returned object is kept with them.
  using Admit = std::function<Result<std::shared_ptr<const void>>(const BoundedReader &bytes)>;

  /// Waits for the next message. One thread at a time. DeadObject: the peer is gone, broke a rule, or shutdown() was
  /// called. Messages that the peer sent before its end are received first. If memory runs out, the bytes are refused
  /// as ResourceExhaustedTransient.
  Result<Message> receive(const Admit &admit = {});

  /// The bytes of the next message if it has arrived, is sent inline and is short (at most 4096 bytes); else empty. The
  /// message stays in the socket. Does not wait.
  std::vector<uint8_t> peek() const;

  /// Keeps an object as long as the channel, or any descriptor that it received, is open. To be called before
  /// receive().
  void keep(std::shared_ptr<const void> something) { kept_ = std::move(something); }

  /// Longest wait of receive(); 0, the default: no limit. When the limit passes, receive() returns DeadObject and the
  /// channel is closed.
  void setReceiveLimit(std::chrono::milliseconds limit);

  /// Ends the connection; waiting calls return. Any thread.
  void shutdown();

  Result<PeerCredentials> peer() const;

  /// Only for polling for the peer's end.
  int descriptor() const { return socket_.get(); }

private:
  enum class Wait { No, Yes };
  Result<bool> transmit(std::span<const uint8_t> bytes, std::span<const SharedHandle> fds, Wait wait);
  Error broken(const char *how);
  Result<Message> withMemory(Message message, uint64_t size, const Admit &admit);

  std::shared_ptr<const void> kept_; ///< declared before the socket, hence released after it is closed
  FileDescriptor socket_;
  std::vector<uint8_t> packet_; ///< buffer of receive()
};

} // namespace avocet::hal

#endif // AVOCET_HAL_WIRE_CHANNEL_H
