//===- Operands.cpp - Operands of the network -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramDescription.h"

#include "avocet/compiler/Schedule/Constants.h"
#include "avocet/compiler/Support/ProgramAttrs.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

cache::Quantization quantizationOf(Type element) {
  cache::Quantization result;
  if (auto perTensor = dyn_cast<quant::UniformQuantizedType>(element)) {
    result.scales = {static_cast<float>(perTensor.getScale())};
    result.zeroPoints = {static_cast<int32_t>(perTensor.getZeroPoint())};
  } else if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(element)) {
    for (double scale : perAxis.getScales())
      result.scales.push_back(static_cast<float>(scale));
    for (int64_t zeroPoint : perAxis.getZeroPoints())
      result.zeroPoints.push_back(static_cast<int32_t>(zeroPoint));
    result.axis = perAxis.getQuantizedDimension();
  }
  return result;
}

/// The element type as stored; quantised types contain it.
std::optional<firmware::DataType> storedTypeOf(Type element) {
  auto type = dyn_cast<quant::QuantizedType>(element);
  if (!type)
    return npu::dataTypeOf(element);
  auto sign = type.isSigned() ? IntegerType::Signless : IntegerType::Unsigned;
  return npu::dataTypeOf(IntegerType::get(element.getContext(), type.getStorageTypeIntegralWidth(), sign));
}

/// The operand's type in the network; a module written by hand may have only the storage tensor.
RankedTensorType networkTypeOf(DictionaryAttr dictionary) {
  for (StringRef name : {StringRef(attrs::kNetworkType), StringRef(attrs::kStorageType)})
    if (auto type = dictionary.getAs<TypeAttr>(name))
      return dyn_cast<RankedTensorType>(type.getValue());
  return {};
}

/// The bytes of a state in the first run; none if all are zero.
LogicalResult describeState(Operation *op, size_t index, Attribute initial, cache::Operand &operand) {
  operand.isState = true;
  operand.initial.resize(operand.bytes);
  auto elements = dyn_cast<ElementsAttr>(initial);
  if (!elements || failed(schedule::copyConstant(elements, 0, operand.initial)))
    return op->emitOpError("operand ") << index << " has initial elements that do not fit its type";
  // MLIR stores true as a byte of ones.
  if (operand.type == firmware::DataType::Bool8)
    for (uint8_t &byte : operand.initial)
      byte = byte != 0;
  if (llvm::all_of(operand.initial, [](uint8_t byte) { return byte == 0; }))
    operand.initial.clear();
  return success();
}

} // namespace

LogicalResult describeOperands(Operation *op, ArrayAttr dictionaries, std::vector<cache::Operand> &operands) {
  for (auto [index, entry] : llvm::enumerate(dictionaries.getAsRange<DictionaryAttr>())) {
    RankedTensorType type = networkTypeOf(entry);
    if (!type || !type.hasStaticShape())
      return op->emitOpError("operand ") << index << " has no tensor type of static shape";
    std::optional<firmware::DataType> stored = storedTypeOf(type.getElementType());
    if (!stored)
      return op->emitOpError("operand ") << index << " has the element type " << type.getElementType()
                                         << ", which the device cannot store";
    cache::Operand operand;
    if (auto name = entry.getAs<StringAttr>(attrs::kOperandName))
      operand.name = name.getValue().str();
    operand.type = *stored;
    operand.bytes = firmware::sizeOf(*stored);
    for (int64_t extent : type.getShape()) {
      operand.shape.push_back(static_cast<int32_t>(extent));
      operand.bytes *= static_cast<uint64_t>(extent);
    }
    operand.quantization = quantizationOf(type.getElementType());
    if (Attribute initial = entry.get(attrs::kInitialState))
      if (failed(describeState(op, index, initial, operand)))
        return failure();
    operands.push_back(std::move(operand));
  }
  return success();
}

} // namespace avocet::compiler
