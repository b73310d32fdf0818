//===- Protocol.h - Versions of the protocol --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Client and service state the range of versions that they speak, in the first call of a connection and its answer, and
// use the newest common one. hal/ipc/Protocol.md lists what each version changes.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WIRE_PROTOCOL_H
#define AVOCET_HAL_WIRE_PROTOCOL_H

#include "avocet/hal/types/Result.h"

#include <cstdint>
#include <string>

namespace avocet::hal {

/// Versions from `oldest` to `newest`.
struct ProtocolRange {
  uint32_t oldest = 0;
  uint32_t newest = 0;
  bool contains(uint32_t version) const { return oldest <= version && version <= newest; }
};

/// The last version without negotiation: its messages carry no ranges.
inline constexpr uint32_t kUnnegotiatedProtocol = 2;

/// The first version with the call Ping.
inline constexpr uint32_t kPingProtocol = 4;

/// What this source tree speaks.
inline constexpr ProtocolRange kProtocols{kUnnegotiatedProtocol, 4};

/// The newest version of both ranges. InvalidArgument: there is none, or the client's range is empty; the message names
/// both ranges.
Result<uint32_t> commonProtocol(const ProtocolRange &client, const ProtocolRange &service);

/// "version 2" or "versions 2 to 3".
std::string toString(const ProtocolRange &range);

} // namespace avocet::hal

#endif // AVOCET_HAL_WIRE_PROTOCOL_H
