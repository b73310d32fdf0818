//===- Envelope.h - Messages packed, verified and unpacked -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WIRE_ENVELOPE_H
#define AVOCET_HAL_WIRE_ENVELOPE_H

#include "avocet/hal/wire/Convert.h"

#include "avocet/base/BoundedReader.h"
#include "avocet/hal/wire/Channel.h"

#include <functional>
#include <memory>
#include <optional>

namespace avocet::hal::ipc {

/// Packs and sends.
Outcome sendEnvelope(Channel &channel, const fb::EnvelopeT &envelope, const HandleWriter &handles);
/// Without waiting; as Channel::trySend().
Result<bool> trySendEnvelope(Channel &channel, const fb::EnvelopeT &envelope, const HandleWriter &handles);

/// Called with the bytes of one form of a message (Inspection::bytes) before it is unpacked. An error refuses it.
using AdmitBytes = std::function<Outcome(uint64_t bytes)>;

/// A received message whose call number is readable.
struct OpenedMessage {
  uint64_t number = 0;
  /// InvalidArgument: the structure is broken, or a value is not allowed (see Inspection). ResourceExhaustedTransient:
  /// no memory. Else the error of `admit`.
  Result<std::unique_ptr<fb::EnvelopeT>> envelope; ///< not null
};

/// The call number of a message, even when the rest of the message is malformed. Empty: not a message of this protocol.
std::optional<uint64_t> callNumberOf(const BoundedReader &message);

/// Verifies, inspects and unpacks a peer's message. Empty: no call number can be read, so no answer is possible.
std::optional<OpenedMessage> openMessage(std::span<const uint8_t> bytes, const AdmitBytes &admit = {});

/// The same where the number is not needed.
Result<fb::EnvelopeT> openEnvelope(std::span<const uint8_t> bytes);

} // namespace avocet::hal::ipc

#endif // AVOCET_HAL_WIRE_ENVELOPE_H
