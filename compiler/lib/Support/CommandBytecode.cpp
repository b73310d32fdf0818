//===- CommandBytecode.cpp - Commands in MLIR bytecode ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Support/CommandBytecode.h"

#include "avocet/firmware_iface/Codec.h"

namespace avocet::compiler {
namespace {

/// Larger than the longest command that the decoder accepts; limits the allocation for a corrupt count.
constexpr uint64_t kMaxWords = 1u << 16;

} // namespace

void writeCommandBody(mlir::DialectBytecodeWriter &writer, const firmware::CommandBody &body) {
  std::vector<uint32_t> words;
  firmware::encode({firmware::kNoLayer, body}, words);
  writer.writeVarInt(words.size());
  for (uint32_t word : words)
    writer.writeVarInt(word);
}

llvm::LogicalResult readCommandBody(mlir::DialectBytecodeReader &reader, firmware::CommandBody &body) {
  uint64_t count = 0;
  if (failed(reader.readVarInt(count)))
    return llvm::failure();
  if (count > kMaxWords)
    return reader.emitError("command of ") << count << " words";
  std::vector<uint32_t> words(count);
  for (uint32_t &word : words) {
    uint64_t number = 0;
    if (failed(reader.readVarInt(number)))
      return llvm::failure();
    word = static_cast<uint32_t>(number);
  }
  size_t position = 0;
  Result<firmware::Command> command = firmware::decode(words, position);
  if (!command)
    return reader.emitError(command.status().message());
  body = std::move(command->body);
  return llvm::success();
}

} // namespace avocet::compiler
