//===- Codec.cpp - Command streams as words ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Codec.h"

#include "FieldCodec.h"

namespace avocet::firmware {

namespace {

constexpr uint32_t kHeaderWords = 2; ///< header and layer

Result<size_t> commandEnd(std::span<const uint32_t> words, size_t position) {
  size_t left = words.size() - position;
  if (left < kHeaderWords)
    return dataLoss(fmt::format("word {}: stream ends inside a command header", position));
  size_t length = words[position] >> kCodeBits;
  if (length < kHeaderWords || length > left)
    return dataLoss(
        fmt::format("word {}: command length is {}, must be {} to {}", position, length, kHeaderWords, left));
  return position + length;
}

} // namespace

void encode(const Command &command, std::vector<uint32_t> &words) {
  size_t start = words.size();
  words.push_back(static_cast<uint32_t>(command.body.index()));
  words.push_back(command.layer);
  std::visit([&]<typename T>(const T &body) { T::visitFields(body, FieldWriter(words)); }, command.body);
  words[start] |= static_cast<uint32_t>(words.size() - start) << kCodeBits;
}

std::vector<uint32_t> encodeStream(std::span<const Command> commands) {
  std::vector<uint32_t> words;
  for (const Command &command : commands)
    encode(command, words);
  return words;
}

Result<Command> decode(std::span<const uint32_t> words, size_t &position) {
  if (position >= words.size())
    return dataLoss(fmt::format("word {}: stream ends without a command", position));
  AVOCET_ASSIGN_OR_RETURN(size_t end, commandEnd(words, position));
  uint32_t code = words[position] & kCodeMask;
  Command command;
  command.layer = words[position + 1];
  Status status;
  bool known = withOperation(code, [&](auto index) {
    FieldReader reader(words, position + kHeaderWords, end, kOperationNames[index]);
    auto &body = command.body.emplace<index>();
    body.visitFields(body, reader);
    status = reader.finish();
  });
  if (!known)
    return dataLoss(
        fmt::format("word {}: operation code is {}, must be 0 to {}", position, code, kOperationNames.size() - 1));
  AVOCET_RETURN_IF_ERROR(status);
  position = end;
  return command;
}

size_t countCommands(std::span<const uint32_t> words) {
  size_t count = 0;
  for (size_t position = 0; position < words.size(); ++count) {
    Result<size_t> end = commandEnd(words, position);
    if (!end)
      break;
    position = *end;
  }
  return count;
}

Result<std::vector<Command>> decodeStream(std::span<const uint32_t> words) {
  std::vector<Command> commands;
  commands.reserve(countCommands(words));
  size_t position = 0;
  while (true) {
    AVOCET_ASSIGN_OR_RETURN(Command command, decode(words, position));
    commands.push_back(std::move(command));
    if (std::holds_alternative<EndCommand>(commands.back().body))
      break;
  }
  if (position != words.size())
    return dataLoss(fmt::format("word {}: found data after the end command, which must be the last", position));
  return commands;
}

} // namespace avocet::firmware
