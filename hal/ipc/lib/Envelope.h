//===- Envelope.h - Messages packed, verified and unpacked -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_IPC_LIB_ENVELOPE_H
#define AVOCET_HAL_IPC_LIB_ENVELOPE_H

#include "Convert.h"

#include "avocet/hal/Channel.h"

namespace avocet::hal::ipc {

inline constexpr uint32_t kProtocol = 2;

/// Packs and sends.
Outcome sendEnvelope(Channel &channel, const fb::EnvelopeT &envelope, const HandleWriter &handles);
/// Without waiting; as Channel::trySend().
Result<bool> trySendEnvelope(Channel &channel, const fb::EnvelopeT &envelope, const HandleWriter &handles);

/// Unpacks what a peer sent. InvalidArgument: the structure is broken, or it would take much more memory than the
/// message (tables that are shared many times over).
Result<fb::EnvelopeT> openEnvelope(std::span<const uint8_t> bytes);

} // namespace avocet::hal::ipc

#endif // AVOCET_HAL_IPC_LIB_ENVELOPE_H
