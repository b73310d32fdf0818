//===- Target.h - One device configuration ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One device configuration, read from a data file (targets/*.toml). Verifiers, passes, cost model and simulator get all
// device figures from this class, and no code tests for a device by name. Immutable after loading and safe to share
// between threads. All times are in device cycles unless the name says otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_TARGET_H
#define AVOCET_FIRMWARE_IFACE_TARGET_H

#include "avocet/base/Rounding.h"
#include "avocet/base/Status.h"
#include "avocet/firmware_iface/DataType.h"
#include "avocet/firmware_iface/Power.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::firmware {

/// A rate of `count` items in `cycles` cycles, kept as integers so that all sums stay exact.
struct Rate {
  uint64_t count = 1;
  uint64_t cycles = 1;
  /// Cycles for n items, rounded up.
  uint64_t cyclesFor(uint64_t n) const { return divideUp(n * cycles, count); }
};

/// One step of the MAC array, per core: height x width x channels outputs times `products` terms each.
struct ArrayStep {
  uint32_t height, width, channels, products, cycles;
};

struct Extent3 {
  uint32_t height, width, channels;
};

/// Geometry and rates of the MAC array. All rates are those of int8.
struct MacArrayModel {
  uint32_t cores;                 ///< each block is split between them, by output channels or by rows
  ArrayStep dense;                ///< per core
  ArrayStep depthwise;            ///< per core; products are kernel taps
  uint32_t denseDecodeRate;       ///< weights per cycle per core
  uint32_t depthwiseDecodeRate;   ///< weights per cycle per core
  uint32_t scaledDecodeRate = 0;  ///< the same of floats with scales of blocks; 0: not supported
  Rate outputStage;               ///< elements, all cores together
  Rate add, mul, lookup, maxPool; ///< elements, all cores together
  uint32_t bufferBytes;           ///< input block and accumulators, both double, per core
  Extent3 largestBlock;
  uint32_t issueCycles;                         ///< front end, per command
  uint32_t pipelineCycles;                      ///< from the last product of a block to its first output
  std::array<uint32_t, kNumDataTypes> slowdown; ///< divisor of the int8 rate by DataType; 0: type not supported
};

struct DspModel {
  std::array<uint32_t, kNumDataTypes> lanes; ///< elements per cycle by DataType; 0: not supported
  uint32_t issueCycles;                      ///< per command
  uint32_t loopCycles;                       ///< per kernel row (loop overhead)
};

struct SramModel {
  uint32_t bytes;
  uint32_t banks;
  uint32_t portBytesPerCycle; ///< one port, shared by all engines
  uint32_t latencyCycles;
  uint32_t burstBytes;
};

struct DramModel {
  Rate bandwidth; ///< bytes
  uint32_t readLatencyCycles;
  uint32_t writeLatencyCycles;
  uint32_t burstBytes;
};

struct DmaModel {
  uint32_t channels;
  uint32_t issueCycles;      ///< per command
  uint32_t outstandingBytes; ///< per channel, bytes in flight to DRAM
};

struct CommandModel {
  uint32_t queueDepth;      ///< decoded commands per engine
  uint32_t semaphores;      ///< per job
  uint32_t semaphoreCycles; ///< from signal to a waiting engine
};

/// Picojoules by event; order-of-magnitude figures for comparison between schedules.
struct EnergyModel {
  double macInt8, macFloat32, dspOp, sramByte, dramByte, idleCycle;
};

class Target {
public:
  /// Parses TOML text (plain ASCII). `origin` names it in errors ("targets/e256.toml"). Every field is required, except
  /// the table [power] and mac.scaledDecodeRate, and checked; impossible figures (zero rates, sizes that are no
  /// multiple of a burst, blocks that the buffer cannot hold) are InvalidArgument.
  static Result<std::shared_ptr<const Target>> parse(std::string_view text, std::string_view origin);

  /// A shipped profile by name, or a path to a TOML file. NotFound lists the shipped names.
  static Result<std::shared_ptr<const Target>> load(std::string_view nameOrPath);

  /// Names of the shipped profiles in a fixed order.
  static std::vector<std::string> shippedNames();

  const std::string &name() const { return name_; }
  const std::string &description() const { return description_; }
  /// 64-bit hash over every figure (not over name, description, comments or [power]): two targets with the same
  /// fingerprint run the same command streams in the same number of cycles.
  uint64_t fingerprint() const { return fingerprint_; }

  /// Of the default clock level.
  uint64_t clockHz() const { return clockHz_; }
  const MacArrayModel &mac() const { return mac_; }
  const DspModel &dsp() const { return dsp_; }
  const SramModel &sram() const { return sram_; }
  const DramModel &dram() const { return dram_; }
  const DmaModel &dma() const { return dma_; }
  const CommandModel &command() const { return command_; }
  /// At the voltage of the default clock level.
  const EnergyModel &energy() const { return energy_; }
  const PowerModel &power() const { return power_; }

  /// Multiply-accumulates per cycle, all cores, for an element type (0: not supported by the array).
  uint64_t macsPerCycle(DataType type) const;
  /// Of cycles of the default clock.
  double nanoseconds(uint64_t cycles) const {
    return static_cast<double>(cycles) * 1e9 / static_cast<double>(clockHz_);
  }

private:
  friend class TargetParser;
  friend struct TargetFields;
  Target() = default;

  std::string name_, description_;
  uint64_t fingerprint_ = 0;
  uint64_t clockHz_ = 0;
  MacArrayModel mac_{};
  DspModel dsp_{};
  SramModel sram_{};
  DramModel dram_{};
  DmaModel dma_{};
  CommandModel command_{};
  EnergyModel energy_{};
  PowerModel power_ = PowerModel::withoutStates();
};

/// Whether Target::load() takes the text for the path of a file, and not for the name of a shipped target.
bool isTargetFile(std::string_view nameOrPath);

/// The text from which Target::load() makes the target, with its comments.
Result<std::string> targetText(std::string_view nameOrPath);

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_TARGET_H
