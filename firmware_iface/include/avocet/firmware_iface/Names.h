//===- Names.h - Names of engines and stall causes --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names in all output. valueName() gives the key in JSON, in the IR and in lists: "mac", "sram_port". titleOf()
// gives the words for people, shortTitleOf() those for narrow columns. A number outside of the enumeration is "?".
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_NAMES_H
#define AVOCET_FIRMWARE_IFACE_NAMES_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/JobRing.h"
#include "avocet/firmware_iface/Reflection.h"

#include <span>
#include <string>
#include <string_view>

namespace avocet::firmware {

/// For valueName(): "semaphore", "sram_port", "dram_port", "latency", "front_end".
std::span<const std::string_view> valueNames(StallCause);

/// "MAC array", "DSP", "DMA channel".
std::string_view titleOf(EngineKind kind);
/// "MAC", "DSP", "DMA".
std::string_view shortTitleOf(EngineKind kind);

/// "wait", "sram port", "dram port", "latency", "issue".
std::string_view titleOf(StallCause cause);
/// "wait", "sram", "dram", "lat", "issue".
std::string_view shortTitleOf(StallCause cause);

/// Whether the command may be in a stream of this engine kind: arithmetic only on its own engine, transfers on DMA
/// channels, End, Wait, Signal and Yield everywhere.
bool runsOn(const CommandBody &command, EngineKind engine);

/// "mac", "dsp", "dma0", "dma1", ...
std::string toString(Engine engine);

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_NAMES_H
