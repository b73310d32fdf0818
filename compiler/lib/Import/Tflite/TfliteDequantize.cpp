//===- TfliteDequantize.cpp - Real numbers of compressed constants -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converters store weights as FLOAT16 or as quantised numbers and restore them with DEQUANTIZE. Layers need constant
// weights, so DEQUANTIZE of a constant becomes a constant here.
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Elements.h"
#include "Import/Common/FoldedConstants.h"
#include "Import/Common/Moves.h"
#include "TfliteGraph.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Scale and zero point of each element of a constant.
class Scales {
public:
  explicit Scales(RankedTensorType type) {
    if (auto perTensor = dyn_cast<quant::UniformQuantizedType>(type.getElementType())) {
      scales_ = {static_cast<float>(perTensor.getScale())};
      zeroPoints_ = {perTensor.getZeroPoint()};
      return;
    }
    auto perAxis = cast<quant::UniformQuantizedPerAxisType>(type.getElementType());
    scales_.assign(perAxis.getScales().begin(), perAxis.getScales().end());
    zeroPoints_.assign(perAxis.getZeroPoints().begin(), perAxis.getZeroPoints().end());
    for (int64_t extent : type.getShape().drop_front(perAxis.getQuantizedDimension() + 1))
      inner_ *= static_cast<size_t>(extent);
  }

  float real(size_t element, int64_t stored) const {
    size_t index = element / inner_ % scales_.size();
    return scales_[index] * static_cast<float>(stored - zeroPoints_[index]);
  }

private:
  SmallVector<float> scales_;
  SmallVector<int64_t> zeroPoints_;
  size_t inner_ = 1; ///< elements that follow each other with one scale
};

template <typename T> T elementAt(ArrayRef<char> data, size_t index) {
  T element;
  std::memcpy(&element, data.data() + index * sizeof(T), sizeof(T));
  return element;
}

template <typename T> void dequantize(const Scales &scales, ArrayRef<char> from, llvm::MutableArrayRef<float> to) {
  for (size_t i = 0; i < to.size(); ++i)
    to[i] = scales.real(i, elementAt<T>(from, i));
}

void restore(RankedTensorType type, ArrayRef<char> from, llvm::MutableArrayRef<float> to) {
  auto quantized = dyn_cast<quant::QuantizedType>(type.getElementType());
  if (!quantized) {
    for (size_t i = 0; i < to.size(); ++i)
      to[i] = static_cast<float>(elementAt<_Float16>(from, i));
    return;
  }
  if (quantized.getStorageTypeIntegralWidth() == 16)
    return dequantize<int16_t>(Scales(type), from, to);
  if (quantized.isSigned())
    return dequantize<int8_t>(Scales(type), from, to);
  dequantize<uint8_t>(Scales(type), from, to);
}

/// The constant with f32 elements; null if the value is computed.
Value restored(TfliteOperator &op, Value value, RankedTensorType result) {
  nn::ConstantOp constant = foldedConstant(op, value);
  auto resource = constant ? dyn_cast<DenseResourceElementsAttr>(constant.getValue()) : DenseResourceElementsAttr();
  if (!resource)
    return {};
  auto type = cast<RankedTensorType>(value.getType());
  ArrayRef<char> data = resource.getRawHandle().getBlob()->getData();
  ElementsAttr elements = computedElements(result, "restored", [&](llvm::MutableArrayRef<char> bytes) {
    restore(type, data, {reinterpret_cast<float *>(bytes.data()), bytes.size() / sizeof(float)});
  });
  return nn::ConstantOp::create(op.builder(), op.location(), result, elements);
}

LogicalResult convertDequantize(TfliteOperator &op) {
  Value input = op.value(0, "input");
  RankedTensorType result = input ? op.resultType(0, shapeOf(input)) : RankedTensorType();
  if (!result)
    return failure();
  Type element = elementOf(input);
  bool isCompressed = element.isF16() || isa<quant::QuantizedType>(element);
  if (isCompressed && result.getElementType().isF32())
    if (Value constant = restored(op, input, result))
      return op.finish(constant);
  if (element.isF16())
    return op.finish(nn::CastOp::create(op.builder(), op.location(), result, input));
  return op.finish(nn::DequantizeOp::create(op.builder(), op.location(), result, input));
}

/// Sparse constants are dense from the import on.
LogicalResult convertDensify(TfliteOperator &op) {
  Value input = op.weights(0, "input");
  return input ? finishMoved(op, input, input) : failure();
}

constexpr TfliteConverter kConverters[] = {
    {tflite::BuiltinOperator::DENSIFY, 1, 1, convertDensify},
    {tflite::BuiltinOperator::DEQUANTIZE, 1, 1, convertDequantize},
};

} // namespace

ArrayRef<TfliteConverter> tfliteDequantizeConverters() { return kConverters; }

} // namespace avocet::compiler
