//===- Version.h - Versions compared at the hand-shake ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_VERSION_H
#define AVOCET_FIRMWARE_IFACE_VERSION_H

#include <cstdint>

namespace avocet::firmware {

/// Version of registers, mailbox messages and job ring together. A device answers a driver of the same major version; a
/// higher minor version only adds (fields that were reserved and zero, message kinds, fault codes).
inline constexpr uint16_t kInterfaceMajor = 1;
inline constexpr uint16_t kInterfaceMinor =
    3; ///< 1: control programs; 2: dependencies, owners; 3: indices out of range

/// Version of the command encoding (Codec.h). The device refuses streams of any other version, because a misread
/// command could do harm.
inline constexpr uint32_t kEncodingVersion =
    5; ///< 2: yields with point, live ranges; 3: residual additions, compressed weights; 4: rounding, sums; 5: to even

/// Major and minor in one register or field.
constexpr uint32_t packVersion(uint16_t major, uint16_t minor) { return uint32_t{major} << 16 | minor; }
constexpr uint16_t majorOf(uint32_t version) { return static_cast<uint16_t>(version >> 16); }
inline constexpr uint32_t kInterfaceVersion = packVersion(kInterfaceMajor, kInterfaceMinor);

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_VERSION_H
