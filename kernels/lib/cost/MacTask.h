//===- MacTask.h - A MAC command as work for the array ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All commands of the MAC array reduced to the few figures that decide their time. The block walk, the block choice and
// the roofline use only this form. One function per operation of the array creates it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COST_MACTASK_H
#define AVOCET_KERNELS_LIB_COST_MACTASK_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Target.h"

#include <cstdint>
#include <optional>

namespace avocet::kernels {

/// One input of the array.
struct MacInput {
  uint32_t elementBytes = 0; ///< 0: no such input
  uint32_t height = 0;       ///< of the command's window; rows outside are padding and not read
  uint32_t width = 0;
  uint32_t channels = 0;
  bool followsChannels = true; ///< a block reads only its own channels; else (dense) all of them
  bool packed = false;         ///< pixels are contiguous, without gaps

  bool operator==(const MacInput &) const = default;
};

/// The work of one command. Equal tasks take equal time on the same target.
struct MacTask {
  uint32_t outHeight = 0, outWidth = 0, outChannels = 0;
  uint32_t outBytes = 1; ///< per element
  bool outPacked = false;
  uint32_t accumulatorBytes = 4;
  MacInput inputs[2];
  MacInput addend; ///< residual addition: read at the positions of the outputs while a block computes
  firmware::Window window;

  /// Array work: a step computes step.height x step.width x step.channels outputs and takes `stepCycles`; `0` means
  /// that the command does not use the multipliers (element-wise, look-up).
  firmware::ArrayStep step{1, 1, 1, 1, 1};
  uint64_t stepCycles = 0;
  /// Element work of the array, in place of steps: cycles per output element; `count` is 0 if there is none.
  firmware::Rate elementRate{0, 1};

  uint64_t weightsPerChannel = 0; ///< elements
  uint64_t bytesPerChannel = 0;   ///< weights as stored and records, read from SRAM per output channel and block
  uint64_t tableBytes = 0;        ///< look-up table, read once per place
  uint32_t decodeRate = 1;        ///< weights per cycle and core
  firmware::Rate outputRate;      ///< output stage, all cores
  uint64_t macsPerOutput = 0;

  bool operator==(const MacTask &other) const;
};

MacTask macTaskOf(const firmware::Target &target, const firmware::ConvCommand &command);
MacTask macTaskOf(const firmware::Target &target, const firmware::PoolCommand &command);
MacTask macTaskOf(const firmware::Target &target, const firmware::EltwiseCommand &command);
MacTask macTaskOf(const firmware::Target &target, const firmware::LookupCommand &command);

/// The task and block of a command of the MAC array; nothing for other commands.
struct MacWork {
  MacTask task;
  firmware::Block block;
};
std::optional<MacWork> macWorkOf(const firmware::Target &target, const firmware::CommandBody &command);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COST_MACTASK_H
