//===- Packet.h - Messages as a hostile peer sends them ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_SCRIPT_PACKET_H
#define AVOCET_TESTS_FUZZ_SCRIPT_PACKET_H

#include "DescriptorBox.h"

#include <string_view>

namespace avocet::fuzz {

/// The binary schema of all scripts, including that of the messages.
const uint8_t *scriptSchema();
/// The script of this type (a full name) that an input holds.
TablePointer readScript(const uint8_t *data, size_t size, const char *type);

/// A message of a script in the form in which it is sent.
struct Packet {
  Bytes bytes; ///< of the message, without header
  std::vector<hal::SharedHandle> handles;
  /// Number of the call or answer, and tag of the call.
  struct Summary {
    uint64_t number = 0;
    uint8_t callTag = 0;
    bool isLaunched = false;
  };
  std::optional<Summary> summary() const; ///< none: the bytes do not pass the verifier
};

/// `number`: the envelope's new number; none: it keeps its own.
Packet packetOf(const Table &message, DescriptorBox &descriptors, std::optional<uint64_t> number = std::nullopt);

/// Sends a packet with the framing of the message. False: not sent. Blocks at most for the socket's own time-out.
bool sendPacket(int socket, const Table &message, const Packet &packet);

/// Sends bytes without a header, with descriptors; does not wait. False: they were not sent.
bool sendRaw(int socket, std::span<const uint8_t> bytes, std::span<const hal::SharedHandle> handles);

/// Waits for readable bytes or a hang-up. False: neither within the time.
bool awaitReadable(int socket, int milliseconds);

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_SCRIPT_PACKET_H
