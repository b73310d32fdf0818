//===- Program.h - A decoded command stream ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decoded words of one stream: commands with all that does not depend on their execution (kernel, cost, footprint,
// static faults). Nothing here depends on bindings or data, so that a program is kept as long as the words stay the
// same.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_JOB_PROGRAM_H
#define AVOCET_SIM_LIB_JOB_PROGRAM_H

#include "avocet/firmware_iface/Footprint.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/kernels/Kernel.h"
#include "job/JobFault.h"

#include <span>
#include <vector>

namespace avocet::sim {

/// Bytes that a command moves at each memory.
struct Traffic {
  uint64_t sramRead = 0, sramWrite = 0, dramRead = 0, dramWrite = 0;
};

struct PreparedCommand {
  firmware::Command command;
  uint32_t layer = firmware::kNoLayer;     ///< layer of its cycles: its own, or that of the next command with one
  const kernels::Kernel *kernel = nullptr; ///< for commands of the MAC array and the DSP
  kernels::TileCost cost;                  ///< of the kernel
  Traffic traffic;
  std::vector<firmware::ByteRange> ranges;   ///< bytes that it accesses
  std::vector<firmware::CommandBody> shares; ///< do the same on several threads; empty: it is not divided
  JobFault fault;                            ///< raised when the command is issued
};

class Program {
public:
  /// Decodes a stream. A malformed stream gives a program whose `fault()` gives the place. Large commands are divided
  /// for `threads`.
  static Program decode(const firmware::Target &target, firmware::Engine engine, std::span<const uint32_t> words,
                        uint32_t threads = 1);

  firmware::Engine engine() const { return engine_; }
  const std::vector<PreparedCommand> &commands() const { return commands_; }
  const JobFault &fault() const { return fault_; }
  bool hasYields() const { return hasYields_; }
  /// The smallest range of SRAM that covers all accesses of its commands; it may exceed the SRAM.
  const firmware::ByteRange &sram() const { return sram_; }

  /// Approximate memory use.
  uint64_t bytes() const { return bytes_; }

  /// Whether decode() of `words` would give the same program.
  bool isMadeOf(std::span<const uint32_t> words) const;

private:
  firmware::Engine engine_;
  std::vector<uint32_t> words_;
  std::vector<PreparedCommand> commands_;
  JobFault fault_;
  bool hasYields_ = false;
  uint64_t bytes_ = 0;
  firmware::ByteRange sram_;
};

/// The smallest range of SRAM that contains both.
firmware::ByteRange enclosingRange(const firmware::ByteRange &one, const firmware::ByteRange &other);

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_JOB_PROGRAM_H
