//===- Control.h - The control program of a job -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a network with branches and loops runs without the host. Its streams are grouped into sections. A section is a
// straight program: one stream per engine, semaphores from 0, complete when all its streams have ended. The control
// program gives the order of the sections; the firmware interprets it between sections. What a section leaves in SRAM
// is undefined for the next one: sections exchange data through regions.
//
// A condition is one byte of a region, 0 for false. The device reads it when it executes the jump, after the earlier
// sections have written it.
//
// A program is a list of instructions, addressed by their index, that starts at index 0. Its rules (verifyControl) make
// each turn of a loop pass a LoopCheck, so that time-out, watchdog and cancellation always take effect:
//  - 1 to kMaxControlInstructions instructions, the last one is End;
//  - jumps stay inside the program; a jump backwards goes to a LoopCheck, a jump forwards never to one;
//  - loops are numbered from 0 below kMaxLoops; each number has one LoopEnter, directly before its one LoopCheck.
//
// On the wire each instruction is a header word (code in bits 0-7, length in words with the header in bits 8-31), then
// its fields as in Codec.h.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_CONTROL_H
#define AVOCET_FIRMWARE_IFACE_CONTROL_H

#include "avocet/base/Status.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace avocet::firmware {

inline constexpr uint32_t kMaxControlInstructions = 16384;
inline constexpr uint32_t kMaxControlWords = 5 * kMaxControlInstructions; ///< the longest instruction has five
inline constexpr uint32_t kMaxLoops = 1024;
inline constexpr uint32_t kMaxSections = 1024;

/// Longest run of one loop, in nanoseconds of device time: the default, and the most that a job may request.
inline constexpr uint64_t kDefaultLoopTimeoutNs = 2'000'000'000;
inline constexpr uint64_t kMaxLoopTimeoutNs = 15'000'000'000;

/// Ends the job.
struct EndInstruction {
  bool operator==(const EndInstruction &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &, V &&) {}
};

/// Runs the streams of a section to their ends.
struct RunInstruction {
  uint32_t section = 0;

  bool operator==(const RunInstruction &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("section", self.section);
  }
};

struct JumpInstruction {
  uint32_t target = 0; ///< index of the next instruction

  bool operator==(const JumpInstruction &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("target", self.target);
  }
};

/// Jumps if the byte at `offset` of the region is 0. Region numbers are those of DmaEnd, but never kSramRegion.
struct JumpIfFalseInstruction {
  uint32_t region = 0;
  uint64_t offset = 0;
  uint32_t target = 0;

  bool operator==(const JumpIfFalseInstruction &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("region", self.region);
    visit("offset", self.offset);
    visit("target", self.target);
  }
};

/// Starts the clock of a loop.
struct LoopEnterInstruction {
  uint32_t loop = 0;

  bool operator==(const LoopEnterInstruction &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("loop", self.loop);
  }
};

/// The head of a loop. Ends the job with FaultCode::LoopTimeout when its clock shows more than the job's loop time-out.
struct LoopCheckInstruction {
  uint32_t loop = 0;

  bool operator==(const LoopCheckInstruction &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("loop", self.loop);
  }
};

/// The code on the wire is the index in this list: append only.
using ControlInstruction = std::variant<EndInstruction, RunInstruction, JumpInstruction, JumpIfFalseInstruction,
                                        LoopEnterInstruction, LoopCheckInstruction>;

/// The stable names, by code.
inline constexpr std::array<std::string_view, std::variant_size_v<ControlInstruction>> kControlNames = {
    "end", "run", "jump", "jump_if_false", "loop_enter", "loop_check"};

std::vector<uint32_t> encodeControl(std::span<const ControlInstruction> program);

/// Decodes a whole program; DataLoss with the word, the field and the rule. The result may still break the rules above.
Result<std::vector<ControlInstruction>> decodeControl(std::span<const uint32_t> words);

/// The rules above; section numbers must be below `sections`, region numbers at most `regions`. DataLoss names the
/// instruction. Takes time proportional to the program.
Status verifyControl(std::span<const ControlInstruction> program, uint32_t sections, uint32_t regions);

/// One line, for people: "jump_if_false region=2 offset=64 target=7".
std::string print(const ControlInstruction &instruction);

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_CONTROL_H
