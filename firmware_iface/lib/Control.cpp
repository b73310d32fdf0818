//===- Control.cpp - Control programs as words and text ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Control.h"

#include "FieldCodec.h"

#include "avocet/firmware_iface/Command.h"

namespace avocet::firmware {

static_assert(alternativesListAllFields<ControlInstruction>(), "visitFields of an instruction lacks a field");

namespace {

Result<ControlInstruction> decodeOne(std::span<const uint32_t> words, size_t &position) {
  const size_t start = position, length = words[start] >> kCodeBits;
  const uint32_t code = words[start] & kCodeMask;
  if (length < 1 || length > words.size() - start)
    return dataLoss(
        fmt::format("word {}: instruction length is {}, must be 1 to {}", start, length, words.size() - start));
  ControlInstruction instruction;
  Status status;
  const bool known = withAlternative<ControlInstruction>(code, [&](auto index) {
    FieldReader reader(words, start + 1, start + length, kControlNames[index]);
    auto &body = instruction.emplace<index>();
    body.visitFields(body, reader);
    status = reader.finish();
  });
  if (!known)
    return dataLoss(
        fmt::format("word {}: instruction code is {}, must be 0 to {}", start, code, kControlNames.size() - 1));
  AVOCET_RETURN_IF_ERROR(status);
  position = start + length;
  return instruction;
}

/// Verifies in one pass over the program: the rules of an instruction depend at most on its neighbors.
class ControlVerifier {
public:
  ControlVerifier(std::span<const ControlInstruction> program, uint32_t sections, uint32_t regions)
      : program_(program), sections_(sections), regions_(regions), seen_(kMaxLoops, false) {}

  Status verify() {
    if (program_.empty() || program_.size() > kMaxControlInstructions)
      return dataLoss(fmt::format("has {} instructions, must have 1 to {}", program_.size(), kMaxControlInstructions));
    if (!std::holds_alternative<EndInstruction>(program_.back()))
      return dataLoss("must close with an end instruction");
    for (position_ = 0; position_ < program_.size(); ++position_)
      AVOCET_RETURN_IF_ERROR(
          std::visit(*this, program_[position_])
              .withContext(fmt::format("instruction {}: {}", position_, kControlNames[program_[position_].index()])));
    return Status::ok();
  }

  Status operator()(const EndInstruction &) { return Status::ok(); }
  Status operator()(const RunInstruction &run) {
    if (run.section < sections_)
      return Status::ok();
    return dataLoss(fmt::format("section is {}, must be below {}", run.section, sections_));
  }
  Status operator()(const JumpInstruction &jump) { return verifyTarget(jump.target); }
  Status operator()(const JumpIfFalseInstruction &jump) {
    if (jump.region == kSramRegion || jump.region > regions_)
      return dataLoss(fmt::format("region is {}, must be 1 to {}", jump.region, regions_));
    return verifyTarget(jump.target);
  }
  Status operator()(const LoopEnterInstruction &enter) {
    if (enter.loop >= kMaxLoops)
      return dataLoss(fmt::format("loop is {}, must be below {}", enter.loop, kMaxLoops));
    if (seen_[enter.loop])
      return dataLoss(fmt::format("loop {} is entered at two places, must be entered at one", enter.loop));
    seen_[enter.loop] = true;
    // The last instruction is an end, so that there is a next one.
    const auto *check = std::get_if<LoopCheckInstruction>(&program_[position_ + 1]);
    if (!check || check->loop != enter.loop)
      return dataLoss("must be directly before its loop_check");
    return Status::ok();
  }
  Status operator()(const LoopCheckInstruction &check) {
    const auto *enter = position_ ? std::get_if<LoopEnterInstruction>(&program_[position_ - 1]) : nullptr;
    if (!enter || enter->loop != check.loop)
      return dataLoss("must be directly after its loop_enter");
    return Status::ok();
  }

private:
  Status verifyTarget(uint32_t target) const {
    if (target >= program_.size())
      return dataLoss(fmt::format("target is {}, must be below {}", target, program_.size()));
    const bool isHead = std::holds_alternative<LoopCheckInstruction>(program_[target]);
    if (target <= position_ && !isHead)
      return dataLoss(fmt::format("jumps back to {}, which must be a loop_check", target));
    if (target > position_ && isHead)
      return dataLoss(fmt::format("jumps into the loop at {} without its loop_enter", target));
    return Status::ok();
  }

  std::span<const ControlInstruction> program_;
  const uint32_t sections_, regions_;
  std::vector<bool> seen_; ///< loops that were entered at lower indices
  size_t position_ = 0;
};

} // namespace

std::vector<uint32_t> encodeControl(std::span<const ControlInstruction> program) {
  std::vector<uint32_t> words;
  for (const ControlInstruction &instruction : program) {
    const size_t start = words.size();
    words.push_back(static_cast<uint32_t>(instruction.index()));
    std::visit([&]<typename T>(const T &body) { T::visitFields(body, FieldWriter(words)); }, instruction);
    words[start] |= static_cast<uint32_t>(words.size() - start) << kCodeBits;
  }
  return words;
}

Result<std::vector<ControlInstruction>> decodeControl(std::span<const uint32_t> words) {
  std::vector<ControlInstruction> program;
  for (size_t position = 0; position < words.size();) {
    if (program.size() == kMaxControlInstructions)
      return dataLoss(fmt::format("word {}: found more than {} instructions", position, kMaxControlInstructions));
    AVOCET_ASSIGN_OR_RETURN(ControlInstruction instruction, decodeOne(words, position));
    program.push_back(instruction);
  }
  return program;
}

Status verifyControl(std::span<const ControlInstruction> program, uint32_t sections, uint32_t regions) {
  return ControlVerifier(program, sections, regions).verify();
}

std::string print(const ControlInstruction &instruction) {
  std::string text(kControlNames[instruction.index()]);
  auto append = [&](const char *name, auto value) { text += fmt::format(" {}={}", name, value); };
  std::visit([&]<typename T>(const T &body) { T::visitFields(body, append); }, instruction);
  return text;
}

} // namespace avocet::firmware
