//===- UnpackedSize.h - How much a message becomes -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_IPC_LIB_UNPACKEDSIZE_H
#define AVOCET_HAL_IPC_LIB_UNPACKEDSIZE_H

#include "messages_generated.h"

#include <cstdint>
#include <optional>

namespace avocet::hal::ipc {

/// Bytes that the vectors and texts of a verified message take once unpacked. A sender packs each of them once, so that
/// the sum is below the message's size; a hostile message can point to one vector from everywhere.
///
/// Nothing if the elements of a vector do not lie where their type may be read: the verifier checks the alignment of a
/// vector's length only.
std::optional<uint64_t> unpackedBytes(const fb::Envelope &envelope);

} // namespace avocet::hal::ipc

#endif // AVOCET_HAL_IPC_LIB_UNPACKEDSIZE_H
