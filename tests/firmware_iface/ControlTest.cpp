//===- ControlTest.cpp - Control programs ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Control.h"

#include "RandomCommand.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace avocet::firmware {
namespace {

using Program = std::vector<ControlInstruction>;

/// while (condition) { if (other) run 1 }, twice nested.
Program nestedLoops() {
  return {RunInstruction{0},
          LoopEnterInstruction{0},
          LoopCheckInstruction{0},
          JumpIfFalseInstruction{2, 0, 11},
          LoopEnterInstruction{1},
          LoopCheckInstruction{1},
          JumpIfFalseInstruction{2, 1, 9},
          RunInstruction{1},
          JumpInstruction{5},
          RunInstruction{2},
          JumpInstruction{2},
          EndInstruction{}};
}

std::string ruleBroken(const Program &program, uint32_t sections = 3, uint32_t regions = 2) {
  return verifyControl(program, sections, regions).message();
}

TEST(ControlTest, DecodeInvertsEncode) {
  RandomFields random(5);
  for (int i = 0; i < 500; ++i) {
    Program program(1 + random.below(20));
    for (ControlInstruction &instruction : program)
      withAlternative<ControlInstruction>(random.below(std::variant_size_v<ControlInstruction>), [&](auto code) {
        auto &body = instruction.emplace<code>();
        body.visitFields(body, random);
      });
    auto decoded = decodeControl(encodeControl(program));
    ASSERT_TRUE(decoded) << decoded.status().toString();
    EXPECT_EQ(*decoded, program);
  }
}

TEST(ControlTest, EveryTruncationIsRefused) {
  const std::vector<uint32_t> words = encodeControl(nestedLoops());
  size_t whole = 0;
  for (size_t cut = 1; cut < words.size(); ++cut) {
    auto decoded = decodeControl(std::span(words).first(cut));
    // A truncation between two instructions decodes, but then the end is missing.
    EXPECT_TRUE(!decoded || !verifyControl(*decoded, 3, 2)) << cut;
    whole += decoded.isOk();
  }
  EXPECT_EQ(whole, nestedLoops().size() - 1);
}

TEST(ControlTest, DecoderErrorNamesWordAndRule) {
  EXPECT_EQ(decodeControl(std::vector<uint32_t>{1u << 8 | 6}).status().message(),
            "word 0: instruction code is 6, must be 0 to 5");
  EXPECT_EQ(decodeControl(std::vector<uint32_t>{1u << 8 | 1}).status().message(),
            "word 1: run.section is beyond the end of the command");
  EXPECT_EQ(decodeControl(std::vector<uint32_t>{0}).status().message(),
            "word 0: instruction length is 0, must be 1 to 1");
  EXPECT_EQ(decodeControl(std::vector<uint32_t>(kMaxControlInstructions + 1, 1u << 8)).status().message(),
            "word 16384: found more than 16384 instructions");
}

TEST(ControlTest, AcceptsNestedLoops) { EXPECT_TRUE(verifyControl(nestedLoops(), 3, 2).isOk()); }

TEST(ControlTest, RefusesOutOfRangeNumbers) {
  EXPECT_EQ(ruleBroken({}), "has 0 instructions, must have 1 to 16384");
  EXPECT_EQ(ruleBroken({RunInstruction{0}}), "must close with an end instruction");
  EXPECT_EQ(ruleBroken({RunInstruction{3}, EndInstruction{}}), "instruction 0: run: section is 3, must be below 3");
  EXPECT_EQ(ruleBroken({JumpInstruction{2}, EndInstruction{}}), "instruction 0: jump: target is 2, must be below 2");
  EXPECT_EQ(ruleBroken({JumpIfFalseInstruction{0, 0, 1}, EndInstruction{}}),
            "instruction 0: jump_if_false: region is 0, must be 1 to 2");
  EXPECT_EQ(ruleBroken({JumpIfFalseInstruction{3, 0, 1}, EndInstruction{}}),
            "instruction 0: jump_if_false: region is 3, must be 1 to 2");
  EXPECT_EQ(ruleBroken({LoopEnterInstruction{kMaxLoops}, EndInstruction{}}),
            "instruction 0: loop_enter: loop is 1024, must be below 1024");
}

TEST(ControlTest, RefusesLoopsWithoutClock) {
  EXPECT_EQ(ruleBroken({JumpInstruction{0}, EndInstruction{}}),
            "instruction 0: jump: jumps back to 0, which must be a loop_check");
  // The clock would restart in every turn.
  EXPECT_EQ(ruleBroken({LoopEnterInstruction{0}, LoopCheckInstruction{0}, JumpInstruction{0}, EndInstruction{}}),
            "instruction 2: jump: jumps back to 0, which must be a loop_check");
  EXPECT_EQ(ruleBroken({JumpInstruction{2}, LoopEnterInstruction{0}, LoopCheckInstruction{0}, EndInstruction{}}),
            "instruction 0: jump: jumps into the loop at 2 without its loop_enter");
  EXPECT_EQ(ruleBroken({LoopCheckInstruction{0}, JumpInstruction{0}, EndInstruction{}}),
            "instruction 0: loop_check: must be directly after its loop_enter");
  EXPECT_EQ(ruleBroken({LoopEnterInstruction{0}, EndInstruction{}}),
            "instruction 0: loop_enter: must be directly before its loop_check");
  EXPECT_EQ(ruleBroken({LoopEnterInstruction{0}, LoopCheckInstruction{0}, LoopEnterInstruction{0},
                        LoopCheckInstruction{0}, EndInstruction{}}),
            "instruction 2: loop_enter: loop 0 is entered at two places, must be entered at one");
}

/// A verified program cannot loop without a check whose clock it does not restart: walk at random, and count.
TEST(ControlTest, EveryLoopTurnPassesLoopCheck) {
  RandomFields random(9);
  uint32_t verified = 0;
  for (int i = 0; i < 200000; ++i) {
    Program program;
    while (program.size() < 3 + random.below(8)) {
      const uint32_t target = random.below(10);
      switch (random.below(4)) {
      case 0:
        program.emplace_back(JumpInstruction{target});
        break;
      case 1:
        program.emplace_back(JumpIfFalseInstruction{1, 0, target});
        break;
      default:
        const uint32_t loop = random.below(3);
        program.emplace_back(LoopEnterInstruction{loop});
        program.emplace_back(LoopCheckInstruction{loop});
      }
    }
    program.emplace_back(EndInstruction{});
    if (!verifyControl(program, 1, 1))
      continue;
    ++verified;
    std::vector<uint32_t> checks(kMaxLoops, 0); // since the loop was entered
    size_t position = 0;
    for (uint32_t step = 0; step < 2000 && position + 1 < program.size(); ++step) {
      size_t next = position + 1;
      if (const auto *jump = std::get_if<JumpInstruction>(&program[position]))
        next = jump->target;
      else if (const auto *maybe = std::get_if<JumpIfFalseInstruction>(&program[position]))
        next = random.below(2) ? maybe->target : next;
      else if (const auto *enter = std::get_if<LoopEnterInstruction>(&program[position]))
        checks[enter->loop] = 0;
      else if (const auto *check = std::get_if<LoopCheckInstruction>(&program[position]))
        ++checks[check->loop];
      position = next;
    }
    // A long walk contains loops, and most of their turns must pass one check.
    if (position + 1 < program.size())
      EXPECT_GT(*std::max_element(checks.begin(), checks.end()), 50u);
  }
  EXPECT_GT(verified, 500u);
}

TEST(ControlTest, PrintsEveryField) {
  EXPECT_EQ(print(ControlInstruction(JumpIfFalseInstruction{2, 64, 7})), "jump_if_false region=2 offset=64 target=7");
  EXPECT_EQ(print(ControlInstruction(RunInstruction{3})), "run section=3");
  EXPECT_EQ(print(ControlInstruction(EndInstruction{})), "end");
}

} // namespace
} // namespace avocet::firmware
