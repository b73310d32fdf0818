//===- Output.h - What a command writes -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_OUTPUT_H
#define AVOCET_FIRMWARE_IFACE_OUTPUT_H

#include "avocet/firmware_iface/Command.h"

namespace avocet::firmware {

/// The first feature map that a command writes, inside `command`; null: it writes none, as a transfer or a semaphore.
const FeatureMap *firstOutput(const CommandBody &command);

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_OUTPUT_H
