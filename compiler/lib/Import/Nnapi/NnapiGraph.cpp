//===- NnapiGraph.cpp - The values of one subgraph --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnapiGraph.h"

#include "Import/Common/Constants.h"
#include "NnapiFile.h"
#include "avocet/compiler/Support/Cancel.h"

using namespace mlir;

namespace avocet::compiler {

const NnapiExtensionOperation *findExtensionOperation(const NnapiFile &file, OperationType type) {
  const llvm::StringRef name = prefixOf(type) == 0 ? "" : file.extension(prefixOf(type));
  for (const NnapiExtension *extension : allNnapiExtensions())
    if (name == llvm::StringRef(extension->name))
      for (const NnapiExtensionOperation &operation : extension->operations)
        if (numberOf(operation.converter.type) == numberOf(type))
          return &operation;
  return nullptr;
}

NnapiGraph::NnapiGraph(NnapiImport &import, uint32_t subgraph, int64_t topLevel)
    : import_(import), graph_(import.file.subgraph(subgraph)), topLevel_(topLevel), values_(graph_.operands()->size()),
      given_(graph_.operands()->size()), lost_(graph_.operands()->size()), omitted_(graph_.operands()->size()) {}

std::span<const uint8_t> NnapiGraph::data(uint32_t index) const {
  return given_[index].empty() ? import_.file.data(operand(index)) : given_[index];
}

LogicalResult NnapiGraph::importOperations() {
  for (uint32_t index = 0; index < graph_.operations()->size(); ++index)
    if (isCancelled() || failed(importOperation(index)))
      return failure();
  return success();
}

/// Subgraphs are imported at every use, so a small file with nested uses could expand to any number of operations.
static constexpr uint32_t kMaxOperations = 1 << 17;

LogicalResult NnapiGraph::importOperation(uint32_t index) {
  NnapiOperation op(*this, index);
  if (++import_.operations > kMaxOperations)
    return op.malformed("is one of more than " + Twine(kMaxOperations) +
                        " operations, counting each use of a subgraph");
  FailureOr<bool> refused = convertOperation(import_, op, findNnapiConverter(import_.file, op.type()));
  if (failed(refused))
    return failure();
  if (!*refused && topLevel_ < 0 && failed(trackOpenRows(op)))
    refused = true;
  if (*refused)
    loseResults(index);
  // A refused operation of control flow erases the regions that it imported.
  if (*refused && (op.type() == OperationType::If || op.type() == OperationType::While))
    import_.integers.stop();
  return success();
}

void NnapiGraph::loseResults(uint32_t index) {
  for (uint32_t operand : *graph_.operations()->Get(index)->outputs())
    lost_[operand] = true;
}

void NnapiGraph::bindResult(uint32_t index, Value value) {
  values_[index] = value;
  if (const Integers *known = import_.integers.of(value))
    giveIntegers(index, *known);
}

void NnapiGraph::giveIntegers(uint32_t index, ArrayRef<int64_t> elements) {
  const uint32_t size = elementBytes(typeOf(operand(index)));
  std::vector<uint8_t> &bytes = import_.knownBytes.emplace_back();
  for (int64_t element : elements)
    for (uint32_t byte = 0; byte < size; ++byte)
      bytes.push_back(static_cast<uint8_t>(element >> 8 * byte));
  give(index, bytes);
}

Value NnapiGraph::constant(uint32_t index, RankedTensorType type) {
  std::span<const uint8_t> bytes = data(index);
  ArrayRef<char> data(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  std::string name = ("operand" + Twine(index)).str();
  ElementsAttr elements = elementsInFile(import_, type, data, name);
  Location location = NameLoc::get(import_.builder.getStringAttr(name), import_.location);
  values_[index] = nn::ConstantOp::create(import_.builder, location, type, elements);
  return values_[index];
}

} // namespace avocet::compiler
