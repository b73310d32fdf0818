//===- NnapiGraph.cpp - The values of one subgraph --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnapiGraph.h"

#include "avocet/compiler/Refusal.h"
#include "avocet/compiler/Support/Cancel.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace avocet::compiler {

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

/// Fails unless the operation has as many operands as its converter reads.
static LogicalResult checkArity(NnapiOperation &op, const NnapiConverter &converter) {
  if (op.numInputs() >= converter.minInputs && op.numInputs() <= converter.maxInputs)
    return success();
  return op.malformed("has " + Twine(op.numInputs()) + " inputs, must have " + Twine(converter.minInputs) + " to " +
                      Twine(converter.maxInputs));
}

LogicalResult NnapiGraph::importOperation(uint32_t index) {
  NnapiOperation op(*this, index);
  if (++import_.operations > kMaxOperations)
    return op.malformed("is one of more than " + Twine(kMaxOperations) +
                        " operations, counting each use of a subgraph");
  bool refusedBefore = std::exchange(import_.refused, false);
  LogicalResult converted = failure();
  if (const NnapiConverter *converter = findNnapiConverter(op.type())) {
    converted = checkArity(op, *converter);
    if (succeeded(converted))
      converted = converter->convert(op);
  } else {
    converted = op.refuse("", kImplementedRule, op.name());
  }
  if (failed(converted) && !import_.refused)
    return failure();
  if (import_.refused)
    loseResults(index);
  import_.refused |= refusedBefore;
  return success();
}

void NnapiGraph::loseResults(uint32_t index) {
  for (uint32_t operand : *graph_.operations()->Get(index)->outputs())
    lost_[operand] = true;
}

Value NnapiGraph::constant(uint32_t index, RankedTensorType type) {
  std::span<const uint8_t> bytes = data(index);
  ArrayRef<char> data(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  Type element = type.getElementType();
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    element = quantized.getStorageType();
  auto address = reinterpret_cast<uintptr_t>(data.data());
  size_t alignment = std::min<size_t>(16, size_t(1) << llvm::countr_zero(address));
  auto blob =
      UnmanagedAsmResourceBlob::allocateWithAlign(data, alignment, [file = import_.bytes](void *, size_t, size_t) {});
  auto attribute = DenseResourceElementsAttr::get(RankedTensorType::get(type.getShape(), element),
                                                  ("operand" + Twine(index)).str(), std::move(blob));
  Location location = NameLoc::get(import_.builder.getStringAttr("operand" + Twine(index)), import_.location);
  values_[index] = nn::ConstantOp::create(import_.builder, location, type, attribute);
  return values_[index];
}

} // namespace avocet::compiler
