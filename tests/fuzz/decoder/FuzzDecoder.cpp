//===- FuzzDecoder.cpp - Hostile command streams ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/Control.h"
#include "avocet/firmware_iface/Footprint.h"
#include "avocet/firmware_iface/Names.h"

#include <cstdlib>
#include <cstring>

using namespace avocet;
using namespace avocet::firmware;

namespace {

void require(bool condition) {
  if (!condition)
    std::abort();
}

/// Calls everything that users of a decoded command call.
void use(const Command &command) {
  require(!print(command).empty());
  std::vector<ByteRange> ranges;
  appendFootprint(command.body, ranges);
  for (const ByteRange &range : ranges)
    require(range.begin <= range.end);
  require(runsOn(command.body, EngineKind::Mac) || runsOn(command.body, EngineKind::Dsp) ||
          runsOn(command.body, EngineKind::Dma));
}

/// Decodes the words as a control program. A program that passes the check must end with an end instruction.
void useControl(std::span<const uint32_t> words) {
  auto program = decodeControl(words);
  if (!program)
    return;
  require(encodeControl(*program) == std::vector<uint32_t>(words.begin(), words.end()));
  for (const ControlInstruction &instruction : *program)
    require(!print(instruction).empty());
  if (verifyControl(*program, 4, 4))
    require(std::holds_alternative<EndInstruction>(program->back()));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<uint32_t> words(size / sizeof(uint32_t));
  if (!words.empty())
    std::memcpy(words.data(), data, words.size() * sizeof(uint32_t));
  size_t position = 0;
  while (position < words.size()) {
    size_t start = position;
    Result<Command> command = decode(words, position);
    if (!command) {
      require(position == start && !command.status().message().empty());
      break;
    }
    use(*command);
  }
  if (Result<std::vector<Command>> stream = decodeStream(words))
    require(encodeStream(*stream) == words);
  useControl(words);
  return 0;
}
