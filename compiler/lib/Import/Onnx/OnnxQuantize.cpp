//===- OnnxQuantize.cpp - Between real numbers and integers -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Elements.h"
#include "Import/Common/ImportTypes.h"
#include "Import/Common/MatrixProduct.h"
#include "Import/Common/Scaling.h"
#include "OnnxQuantized.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

using onnx_file::TensorProto;

/// What both directions read of the node.
FailureOr<Scaling> scalingOf(OnnxOperation &op) {
  Scaling scaling{op.value(0, "x"), op.parameter(1, "scale"), op.optionalParameter(2, "zero point")};
  if (!scaling.x || !scaling.scale)
    return failure();
  scaling.block = op.integer("block_size", 0);
  if (scaling.block < 0)
    return op.malformed("has the block size " + Twine(scaling.block));
  const int64_t axis = op.integer("axis", 1), rank = static_cast<int64_t>(shapeOf(scaling.x).size());
  if (scaling.isPerTensor())
    return scaling;
  FailureOr<int64_t> normalized = op.normalizedAxis(axis, rank);
  if (failed(normalized))
    return failure();
  scaling.axis = *normalized;
  return scaling;
}

/// The type of results of QuantizeLinear.
Type resultOfQuantize(OnnxOperation &op) {
  const int64_t type = op.integer("output_dtype", 0);
  if (type != 0)
    return op.elementOfType(type, "y");
  if (!op.hasInput(2))
    return op.elementOfType(TensorProto::UINT8, "y");
  Value zeroPoint = op.value(2, "zero point");
  return zeroPoint ? elementOf(zeroPoint) : Type();
}

LogicalResult convertQuantize(OnnxOperation &op) {
  op.ignore({"precision"}); // all is f32
  FailureOr<Scaling> scaling = scalingOf(op);
  const Type element = resultOfQuantize(op);
  const bool saturates = op.flag("saturate", true);
  if (failed(scaling) || !element)
    return failure();
  if (element.isInteger(1) || element.getIntOrFloatBitWidth() > (isa<FloatType>(element) ? 8 : 16))
    return op.refuse("y", "has integers of 2 to 16 bits, or floats of at most 8", "another element type");
  return op.finish(scaling->quantized(op, element, saturates));
}

LogicalResult convertDequantize(OnnxOperation &op) {
  FailureOr<Scaling> scaling = scalingOf(op);
  if (failed(scaling))
    return failure();
  const Type from = elementOf(scaling->x);
  const int64_t type = op.integer("output_dtype", 0);
  const Type element = type == 0 ? elementOf(scaling->scale) : op.elementOfType(type, "y");
  if (!element)
    return failure();
  if (from.isInteger(1) || (isa<FloatType>(from) && !storageOfImported(from)) || !isa<FloatType>(element))
    return op.refuse("x", "has integers or floats of at most 8 bits, and the result floats", "another element type");
  return op.finish(scaling->dequantized(op, element));
}

LogicalResult convertDynamicQuantize(OnnxOperation &op) {
  Value x = op.value(0, "x");
  if (!x)
    return failure();
  const DynamicallyQuantized quantized = dynamicallyQuantized(op, x);
  return finishAll(op, {quantized.values, quantized.scale, quantized.zeroPoint});
}

/// The bytes of a constant; empty after a report.
ArrayRef<char> constantBytes(OnnxOperation &op, uint32_t position, StringRef operand, size_t count) {
  nn::ConstantOp constant = op.constant(position, operand);
  if (!constant)
    return {};
  const ArrayRef<char> bytes = bytesOf(constant);
  if (bytes.size() != count) {
    op.malformed("has " + Twine(bytes.size()) + " bytes of " + operand + ", must have " + Twine(count));
    return {};
  }
  return bytes;
}

LogicalResult readPackedWeights(OnnxOperation &op, PackedWeights &weights) {
  if (weights.rows < 1 || weights.columns < 1 || weights.block < 16 || weights.block % 8 != 0 ||
      weights.rows > INT32_MAX || weights.columns > INT32_MAX || weights.block > INT32_MAX)
    return op.malformed("has the extents N " + Twine(weights.rows) + " and K " + Twine(weights.columns) +
                        " and the block size " + Twine(weights.block));
  if (weights.bits != 2 && weights.bits != 4 && weights.bits != 8)
    return op.refuse("bits", "is a part of a byte", Twine(weights.bits), "2, 4 or 8");
  const int64_t count = weights.rows * weights.blocks();
  weights.data = constantBytes(op, 1, "B", count * weights.block * weights.bits / 8);
  FailureOr<SmallVector<float>> scales = op.floats(2, "scales");
  if (weights.data.empty() || failed(scales))
    return failure();
  weights.scales = *scales;
  Value zeros = op.optional(3, "zero points");
  if (zeros && isa<FloatType>(elementOf(zeros))) {
    FailureOr<SmallVector<float>> real = op.floats(3, "zero points");
    if (failed(real))
      return failure();
    weights.zeros = *real;
  } else if (zeros) {
    weights.packedZeros = constantBytes(op, 3, "zero points", weights.rows * weights.zeroBytes());
    if (weights.packedZeros.empty())
      return failure();
  }
  const auto size = static_cast<size_t>(count);
  if (weights.scales.size() != size || (!weights.zeros.empty() && weights.zeros.size() != size))
    return op.malformed("has " + Twine(weights.scales.size()) + " scales for " + Twine(count) + " blocks");
  return success();
}

/// The weights become floats at import.
LogicalResult convertMatMulNBits(OnnxOperation &op) {
  op.ignore({"accuracy_level"});
  Value a = op.value(0, "A"), bias = op.optionalParameter(5, "bias");
  if (!a)
    return failure();
  if (op.hasInput(4))
    return op.refuse("g_idx", "is omitted", "an order of columns");
  PackedWeights weights{op.integer("N", 0), op.integer("K", 0), op.integer("bits", 4), op.integer("block_size", 0)};
  if (failed(readPackedWeights(op, weights)))
    return failure();
  Value b = weights.real(op, "B");
  const Type element = elementOf(a);
  Value product = matrixProduct(op, castTo(op, a, op.builder().getF32Type()), b, false, true);
  product = bias ? add(op, product, castTo(op, bias, op.builder().getF32Type())) : product;
  return op.finish(castTo(op, product, element));
}

constexpr OnnxConverter kConverters[] = {
    {"DequantizeLinear", 10, 2, 3, convertDequantize},
    {"DynamicQuantizeLinear", 11, 1, 1, convertDynamicQuantize, 3, 3},
    {"QuantizeLinear", 10, 2, 3, convertQuantize},
    {"DequantizeLinear", 1, 2, 3, convertDequantize, 1, 1, kMicrosoft},
    {"MatMulNBits", 1, 3, 6, convertMatMulNBits, 1, 1, kMicrosoft},
    {"QuantizeLinear", 1, 2, 3, convertQuantize, 1, 1, kMicrosoft},
};

} // namespace

FailureOr<SmallVector<int64_t>> zeroPoints(OnnxOperation &op, uint32_t position, ArrayRef<int64_t> otherwise) {
  if (!op.hasInput(position))
    return SmallVector<int64_t>(otherwise);
  nn::ConstantOp constant = op.constant(position, "zero point");
  if (!constant)
    return failure();
  auto integers = nn::integersOf(constant.getValue(), tensorOf(constant));
  if (!integers)
    return op.refuse("zero point", "has integers", "another element type, or too many");
  return *integers;
}

FailureOr<int64_t> zeroPoint(OnnxOperation &op, uint32_t position) {
  FailureOr<SmallVector<int64_t>> all = zeroPoints(op, position);
  if (failed(all))
    return failure();
  if (!llvm::all_equal(*all))
    return op.refuse("zero point", "is one number", "several");
  return all->front();
}

FailureOr<Scale> scaleAt(OnnxOperation &op, uint32_t scale, uint32_t zero) {
  FailureOr<float> number = op.scalar(scale, "scale");
  FailureOr<int64_t> offset = zeroPoint(op, zero);
  if (failed(number) || failed(offset))
    return failure();
  if (!isScale(*number))
    return op.refuse("scale", "is a positive normal number", std::to_string(*number));
  return Scale{*number, *offset};
}

FailureOr<OnnxQuantized> quantizedAt(OnnxOperation &op, uint32_t first, bool severalScales) {
  OnnxQuantized read{op.parameter(first, "an input")};
  FailureOr<SmallVector<float>> scales = op.floats(first + 1, "scale");
  FailureOr<int64_t> offset = zeroPoint(op, first + 2);
  if (!read.value || failed(scales) || failed(offset))
    return failure();
  const Type element = elementOf(read.value);
  if (!isa<IntegerType>(element) || element.getIntOrFloatBitWidth() != 8)
    return op.refuse("an input", "has 8 bits", "another element type", "INT8 or UINT8");
  if ((!severalScales && scales->size() != 1) || !llvm::all_of(*scales, isScale))
    return op.refuse("scale", "is a positive normal number", Twine(scales->size()) + " numbers");
  read.scales = *scales;
  read.zeroPoint = *offset;
  return read;
}

ArrayRef<OnnxConverter> onnxQuantizeConverters() { return kConverters; }

} // namespace avocet::compiler
