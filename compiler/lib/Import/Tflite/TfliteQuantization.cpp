//===- TfliteQuantization.cpp - Operators that change how values are stored ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converters store weights as FLOAT16 or as quantized numbers and restore them with DEQUANTIZE. Layers need constant
// weights, so DEQUANTIZE of a constant becomes a constant here.
//
// The operator simulates a quantization of its range in networks that compute with floats.
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Create.h"
#include "Import/Common/Elements.h"
#include "Import/Common/FoldedConstants.h"
#include "Import/Common/Moves.h"
#include "TfliteGraph.h"
#include "TfliteTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cmath>

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
      to[i] = floatOfHalf(elementAt<uint16_t>(from, i));
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
  return element.isF16() ? finish<nn::CastOp>(op, input) : finish<nn::DequantizeOp>(op, input);
}

/// Sparse constants are dense from the import on.
LogicalResult convertDensify(TfliteOperator &op) {
  Value input = op.weights(0, "input");
  return input ? finishMoved(op, input, input) : failure();
}

struct Range {
  float min, max, step;
};

/// The range in which zero is a whole number of steps from both ends, in the arithmetic of the reference.
Range nudged(const tflite::FakeQuantOptions &options) {
  const auto least = static_cast<float>(options.narrow_range() ? 1 : 0);
  const auto greatest = static_cast<float>((1 << options.num_bits()) - 1);
  const float step = (options.max() - options.min()) / (greatest - least);
  const float start = options.min() / step;
  const float zero = std::round(std::fmin(std::fmax(least - start, least), greatest));
  return {(least - zero) * step, (greatest - zero) * step, step};
}

LogicalResult checkOptions(TfliteOperator &op, const tflite::FakeQuantOptions &options) {
  if (options.num_bits() < 2 || options.num_bits() > 16)
    return op.malformed("has " + Twine(options.num_bits()) + " bits, must have 2 to 16");
  if (!(options.min() < options.max()) || !std::isfinite(options.max() - options.min()))
    return op.malformed("has the range from " + Twine(std::to_string(options.min())) + " to " +
                        Twine(std::to_string(options.max())) + ", must have an end above its begin");
  return success();
}

/// Halves are rounded up: the fraction of a float is exact, while adding a half may round.
Value rounded(TfliteOperator &op, Value value) {
  const Type f32 = op.builder().getF32Type();
  Value whole = createAs<nn::UnaryOp>(op, f32, value, nn::UnaryKind::Floor, llvm::APFloat(1.0f));
  Value isUp = compare(op, subtract(op, value, whole), nn::CompareKind::GreaterEqual, float32Constant(op, 0.5f));
  return add(op, whole, castTo(op, isUp, f32));
}

LogicalResult convertFakeQuant(TfliteOperator &op, const tflite::FakeQuantOptions &options) {
  Value input = op.value(0, "input");
  if (!input || failed(checkOptions(op, options)))
    return failure();
  const Type element = op.resultElement(0);
  if (!element)
    return failure();
  if (!elementOf(input).isF32() || !element.isF32())
    return op.refuse("input", "element type", "another one", "FLOAT32");
  const Range range = nudged(options);
  Value least = float32Constant(op, range.min), above = createPair<nn::MaximumOp>(op, input, least);
  Value inside = createPair<nn::MinimumOp>(op, above, float32Constant(op, range.max));
  Value steps = multiply(op, subtract(op, inside, least), float32Constant(op, 1.0f / range.step));
  Value real = multiply(op, rounded(op, steps), float32Constant(op, range.step));
  return finish<nn::AddOp>(op, real, least, nn::Activation::kNone);
}

constexpr TfliteConverter kConverters[] = {
    {tflite::BuiltinOperator::DENSIFY, 1, 1, convertDensify},
    {tflite::BuiltinOperator::DEQUANTIZE, 1, 1, convertDequantize},
    {tflite::BuiltinOperator::FAKE_QUANT, 1, 1, withOptions<convertFakeQuant>},
};

} // namespace

ArrayRef<TfliteConverter> tfliteQuantizationConverters() { return kConverters; }

} // namespace avocet::compiler
