//===- Engines.h - Which engine runs which command --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_ENGINES_H
#define AVOCET_FIRMWARE_IFACE_ENGINES_H

#include "avocet/firmware_iface/Command.h"

#include <string>

namespace avocet::firmware {

/// Whether the command may be in a stream of this engine kind: arithmetic only on its own engine, transfers on DMA
/// channels, End, Wait, Signal and Yield everywhere.
bool runsOn(const CommandBody &command, EngineKind engine);

/// "mac", "dsp", "dma0", "dma1", ...
std::string toString(Engine engine);

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_ENGINES_H
