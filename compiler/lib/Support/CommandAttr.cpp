//===- CommandAttr.cpp - Scalars of the command reflection ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Support/CommandAttr.h"

#include "avocet/firmware_iface/Codec.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace avocet::compiler::detail {

Attribute numberToAttribute(MLIRContext *context, int64_t number) {
  return IntegerAttr::get(IntegerType::get(context, 64), number);
}

LogicalResult numberFromAttribute(Attribute attribute, StringRef field, int64_t min, int64_t max, int64_t &number,
                                  EmitError emitError) {
  auto integer = dyn_cast_if_present<IntegerAttr>(attribute);
  if (!integer || !integer.getType().isSignlessInteger(64))
    return wrongKind(field, "a 64-bit integer", emitError);
  number = integer.getInt();
  if (number >= min && number <= max)
    return success();
  return emitError() << "command field '" << field << "' is " << number << ", must be in [" << min << ", " << max
                     << "]";
}

LogicalResult nameFromAttribute(Attribute attribute, StringRef field, std::span<const std::string_view> names,
                                uint32_t &number, EmitError emitError) {
  auto text = dyn_cast_if_present<StringAttr>(attribute);
  if (!text)
    return wrongKind(field, "a name", emitError);
  for (auto [index, name] : llvm::enumerate(names))
    if (text.getValue() == StringRef(name)) {
      number = static_cast<uint32_t>(index);
      return success();
    }
  return emitError() << "command field '" << field << "' has no value '" << text.getValue() << "'";
}

LogicalResult wrongKind(StringRef field, StringRef expected, EmitError emitError) {
  return emitError() << "command field '" << field << "' must be " << expected;
}

LogicalResult unknownField(StringRef field, EmitError emitError) {
  return emitError() << "command has no field '" << field << "'";
}

} // namespace avocet::compiler::detail

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
