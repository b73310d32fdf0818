//===- Codec.h - Command streams as words and as text -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream is a sequence of little-endian 32-bit words. Each command is a header word (operation code in bits 0-7,
// length in words with the header in bits 8-31), the layer word, then its fields in the order of visitFields: 32-bit
// fields and enumerations one word, 64-bit fields two words (low first), vectors a count word and their elements. A
// struct that a command may lack (Residual) is a word 0, or a word 1 and its fields.
// decode(encode(c)) == c for every command that encode accepts; decode rejects every other word sequence with the
// word's index, the field and the rule. The encoding's version is kEncodingVersion (Version.h).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_CODEC_H
#define AVOCET_FIRMWARE_IFACE_CODEC_H

#include "avocet/base/Status.h"
#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Version.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::firmware {

/// Appends the words of one command. Lists must not exceed their limits (Reflection.h); decode refuses longer ones.
void encode(const Command &command, std::vector<uint32_t> &words);
std::vector<uint32_t> encodeStream(std::span<const Command> commands);

/// Decodes one command at words[position] and moves position to the word after it. Position is unchanged on failure.
Result<Command> decode(std::span<const uint32_t> words, size_t &position);

/// The number of commands up to the end, or to the first one whose length is wrong. Decodes nothing.
size_t countCommands(std::span<const uint32_t> words);

/// Decodes a whole stream: it must hold exactly one End, as its last command.
Result<std::vector<Command>> decodeStream(std::span<const uint32_t> words);

/// Operation name: "end", "wait", "signal", "yield", "dma", "conv", "pool", "eltwise", "lookup", "dsp".
std::string_view nameOf(const CommandBody &body);

/// One line, for people, with every field: "dma kind=copy source={region0+0x40 strides 0,0,0} ... layer=12". Maps read
/// {type[height x width x channels]@address+firstRow/ringRows strides row,pixel zp zeroPoint}.
std::string print(const Command &command);

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_CODEC_H
