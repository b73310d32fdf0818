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

namespace avocet::hal::ipc {

/// Bytes that the vectors and texts of a verified message take once unpacked. A sender packs each of them once, so that
/// the sum is below the message's size; a hostile message can point to one vector from everywhere.
uint64_t unpackedBytes(const fb::Envelope &envelope);

} // namespace avocet::hal::ipc

#endif // AVOCET_HAL_IPC_LIB_UNPACKEDSIZE_H
