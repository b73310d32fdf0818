//===- TfliteConcatenation.cpp - CONCATENATION ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function of a byte has so few arguments that a table of its results is exact, whatever its arithmetic is.
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Create.h"
#include "TfliteGraph.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// A function of unsigned bytes, computed once for each argument.
using ByteFunction = llvm::function_ref<uint8_t(int32_t)>;

/// The function of each stored value of `input`, which has unsigned bytes; the results are stored values of `element`.
Value mapped(ImportedOperation &op, Value input, Type element, ByteFunction function) {
  constexpr int32_t kArguments = 256;
  auto type = RankedTensorType::get({kArguments}, element);
  ElementsAttr results = computedElements(type, "table", [&](llvm::MutableArrayRef<char> bytes) {
    for (int32_t argument = 0; argument < kArguments; ++argument)
      bytes[argument] = static_cast<char>(function(argument));
  });
  Value table = nn::ConstantOp::create(op.builder(), op.location(), type, results);
  return create<nn::GatherOp>(op, table, castTo(op, input, op.builder().getI32Type()), 0);
}

using Quantized = quant::UniformQuantizedType;

/// The quantized type of unsigned bytes, or null.
Quantized bytesType(Type element) {
  auto quantized = dyn_cast<Quantized>(element);
  return quantized && !quantized.isSigned() && quantized.getStorageTypeIntegralWidth() == 8 ? quantized : Quantized();
}

/// The reference computes in floats, in this order; its results differ from those of the rescale in fixed point.
uint8_t rescaled(int32_t stored, Quantized from, Quantized to) {
  const float inverse = 1.0f / static_cast<float>(to.getScale());
  const float scale = static_cast<float>(from.getScale()) * inverse;
  const float bias = static_cast<float>(-from.getZeroPoint()) * scale;
  const float product = static_cast<float>(stored) * scale;
  const float nearest = std::round(product + bias);
  constexpr float kFar = 1.0e6f; // outside of all bytes, and an integer
  const auto steps = static_cast<int64_t>(std::clamp(nearest, -kFar, kFar));
  return static_cast<uint8_t>(std::clamp<int64_t>(steps + to.getZeroPoint(), 0, 255));
}

/// An input in the type of the result. Null after a refusal: only unsigned inputs may have scales of their own.
Value inputWith(TfliteOperator &op, uint32_t position, Type element) {
  const std::string name = ("input " + Twine(position)).str();
  Value input = op.value(position, name);
  if (!input || elementOf(input) == element)
    return input;
  Quantized from = bytesType(elementOf(input)), to = bytesType(element);
  if (!from || !to)
    return op.refuse(name, "type, scale and zero point of the result", "others", "others for UINT8 only");
  return mapped(op, input, to, [&](int32_t stored) { return rescaled(stored, from, to); });
}

LogicalResult convertConcatenation(TfliteOperator &op, const tflite::ConcatenationOptions &options) {
  const Type element = op.resultElement(0);
  if (!element)
    return failure();
  if (options.activation() != tflite::ActivationFunction::NONE)
    return op.refuse("fused activation", "has none", EnumNameActivationFunction(options.activation()));
  SmallVector<Value> inputs;
  for (uint32_t position = 0; position < op.numInputs(); ++position) {
    if (op.isEmpty(position))
      continue;
    inputs.push_back(inputWith(op, position, element));
    if (!inputs.back())
      return failure();
  }
  if (inputs.empty())
    return op.refuse("inputs", "have elements", "none");
  FailureOr<int64_t> axis = op.normalizedAxis(options.axis(), shapeOf(inputs.front()).size(), "an input of ");
  return failed(axis) ? failure() : finish<nn::ConcatenationOp>(op, inputs, *axis);
}

constexpr TfliteConverter kConverters[] = {
    {tflite::BuiltinOperator::CONCATENATION, 1, kAnyNumber, onParts<withOptions<convertConcatenation>>},
};

} // namespace

ArrayRef<TfliteConverter> tfliteConcatenationConverters() { return kConverters; }

} // namespace avocet::compiler
