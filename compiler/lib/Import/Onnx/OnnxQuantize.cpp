//===- OnnxQuantize.cpp - Between real numbers and integers -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dialect/Nn/Transforms/Recognize/RealConstants.h"
#include "Import/Common/Constants.h"
#include "Import/Common/Elements.h"
#include "Import/Common/Formula.h"
#include "Import/Common/Moves.h"
#include "OnnxMatrix.h"
#include "OnnxQuantized.h"

#include "avocet/compiler/Dialect/Nn/FoldedIntegers.h"

#include "avocet/kernels/Quantization.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <numeric>

using namespace mlir;

namespace avocet::compiler {
namespace {

using nn::ReduceKind;
using nn::UnaryKind;
using onnx_file::TensorProto;

/// Scales or zero points with a shape that broadcasts to that of `x`: one, one for each index of the axis, or one for
/// each block of elements along the axis.
Value spread(OnnxOperation &op, Value numbers, Value x, int64_t axis, int64_t block) {
  if (!numbers || tensorOf(numbers).getNumElements() == 1)
    return numbers ? reshape(op, numbers, {}) : numbers;
  const ArrayRef<int64_t> of = shapeOf(x);
  SmallVector<int64_t> shape(shapeOf(numbers));
  if (block == 0) {
    if (shape.size() != 1 || shape[0] != of[axis])
      return op.malformed("has scales or zero points " + nn::textOf(shape) + " for " + Twine(of[axis]) +
                          " elements of axis " + Twine(axis));
    SmallVector<int64_t> aligned(of.size(), 1);
    aligned[axis] = shape[0];
    return reshape(op, numbers, aligned);
  }
  SmallVector<int64_t> expected(of);
  expected[axis] = (of[axis] + block - 1) / block;
  if (shape != expected)
    return op.malformed("has scales or zero points " + nn::textOf(shape) + ", blocks need " + nn::textOf(expected));
  SmallVector<int64_t> parts(shape), multiples(shape.size() + 1, 1);
  parts.insert(parts.begin() + axis + 1, 1);
  multiples[axis + 1] = block;
  shape[axis] *= block;
  Value repeated = reshape(op, tile(op, reshape(op, numbers, parts), multiples), shape);
  return !repeated || shape == of ? repeated : slice(op, repeated, SmallVector<int64_t>(of.size(), 0), of);
}

/// What both directions read of the node.
struct Scaling {
  Value x, scale, zeroPoint; ///< no zero point: 0
  int64_t axis = 0, block = 0;

  bool isPerTensor() const { return tensorOf(scale).getNumElements() == 1 && block == 0; }
};

FailureOr<Scaling> scalingOf(OnnxOperation &op) {
  Scaling scaling{op.value(0, "x"), op.parameter(1, "scale"), op.hasInput(2) ? op.parameter(2, "zero point") : Value()};
  if (!scaling.x || !scaling.scale || (op.hasInput(2) && !scaling.zeroPoint))
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

/// The constant scale of the whole tensor if the dialect has a type with it.
std::optional<OnnxScale> scaleOfType(const Scaling &scaling, Type integer) {
  auto constant = scaling.scale.getDefiningOp<nn::ConstantOp>();
  auto zero = scaling.zeroPoint ? scaling.zeroPoint.getDefiningOp<nn::ConstantOp>() : nn::ConstantOp();
  const std::optional<std::vector<float>> scales = constant ? nn::floatsOf(constant) : std::nullopt;
  if (!scaling.isPerTensor() || !scales || !isScale(scales->front()) || (scaling.zeroPoint && !zero))
    return std::nullopt;
  OnnxScale scale{scales->front(), 0};
  if (zero) {
    const auto integers = nn::integersOf(zero.getValue(), tensorOf(zero));
    if (!integers || integers->size() != 1)
      return std::nullopt;
    scale.zeroPoint = integers->front();
  }
  const bool isShort = integer.isInteger(16);
  return integer.getIntOrFloatBitWidth() == 8 || isShort ? std::optional(scale) : std::nullopt;
}

/// The type of results of QuantizeLinear, and how many of its bits they use.
struct Storage {
  Type element;
  unsigned width;
};

FailureOr<Storage> resultStorage(OnnxOperation &op) {
  int64_t type = op.integer("output_dtype", 0);
  if (type == 0 && op.hasInput(2))
    type = op.constantType(2);
  if (type == 0 && op.hasInput(2)) {
    Value zeroPoint = op.value(2, "zero point");
    if (!zeroPoint)
      return failure();
    return Storage{elementOf(zeroPoint), elementOf(zeroPoint).getIntOrFloatBitWidth()};
  }
  if (type == 0)
    type = TensorProto::UINT8;
  const Type element = op.elementOfType(type, "y");
  if (!element)
    return failure();
  const bool isNibble = type == TensorProto::INT4 || type == TensorProto::UINT4;
  return Storage{element, isNibble ? 4 : element.getIntOrFloatBitWidth()};
}

LogicalResult convertQuantize(OnnxOperation &op) {
  op.ignore({"precision", "saturate"}); // all is f32; there are no floats of 8 bits
  FailureOr<Scaling> scaling = scalingOf(op);
  FailureOr<Storage> storage = resultStorage(op);
  if (failed(scaling) || failed(storage))
    return failure();
  const Type element = storage->element, f32 = op.builder().getF32Type();
  if (!isa<IntegerType>(element) || storage->width > 16 || element.isInteger(1))
    return op.refuse("y", "has 4, 8 or 16 bits", "another element type", "INT4, UINT4, INT8, UINT8 or INT16");
  const bool isReal = elementOf(scaling->x).isF32() || elementOf(scaling->x).isF16();
  Value x = isReal ? scaling->x : castTo(op, scaling->x, f32);
  const std::optional<OnnxScale> scale = scaleOfType(*scaling, element);
  if (scale && storage->width >= 8)
    return op.finish(quantized(op, x, element, *scale));
  const auto spreadOut = [&](Value numbers) {
    return castTo(op, spread(op, numbers, x, scaling->axis, scaling->block), f32);
  };
  x = castTo(op, x, f32);
  Formula f(op, f32);
  const QuantizedStorage range{storage->width, !element.isUnsignedInteger()};
  Value y = f.apply(UnaryKind::Round, f.div(x, spreadOut(scaling->scale)));
  if (scaling->zeroPoint)
    y = f.add(y, spreadOut(scaling->zeroPoint));
  y = f.min(f.max(y, static_cast<double>(range.min())), static_cast<double>(range.max()));
  return op.finish(castTo(op, y, element));
}

LogicalResult convertDequantize(OnnxOperation &op) {
  FailureOr<Scaling> scaling = scalingOf(op);
  if (failed(scaling))
    return failure();
  const Type from = elementOf(scaling->x), f32 = op.builder().getF32Type();
  const int64_t type = op.integer("output_dtype", 0);
  const Type element = type == 0 ? elementOf(scaling->scale) : op.elementOfType(type, "y");
  if (!element)
    return failure();
  if (!isa<IntegerType>(from) || from.isInteger(1) || !isa<FloatType>(element))
    return op.refuse("x", "has integers and the result floats", "another element type");
  const std::optional<OnnxScale> scale = scaleOfType(*scaling, from);
  if (scale && (from.getIntOrFloatBitWidth() == 8 || scale->zeroPoint == 0)) {
    Value quantized = asQuantized(op, scaling->x, *scale);
    return op.finish(!quantized || element.isBF16() ? castTo(op, dequantized(op, scaling->x, *scale), element)
                                                    : createAs<nn::DequantizeOp>(op, element, quantized));
  }
  const auto spreadOut = [&](Value numbers) {
    return castTo(op, spread(op, numbers, scaling->x, scaling->axis, scaling->block), f32);
  };
  Formula f(op, f32);
  Value x = castTo(op, scaling->x, f32);
  if (scaling->zeroPoint)
    x = f.sub(x, spreadOut(scaling->zeroPoint));
  return op.finish(castTo(op, f.mul(x, spreadOut(scaling->scale)), element));
}

LogicalResult convertDynamicQuantize(OnnxOperation &op) {
  Value x = op.value(0, "x");
  if (!x)
    return failure();
  const DynamicallyQuantized quantized = dynamicallyQuantized(op, x);
  return finishAll(op, {quantized.values, quantized.scale, quantized.zeroPoint});
}

/// The bytes of a constant; empty after a report.
ArrayRef<char> bytesOf(OnnxOperation &op, uint32_t position, StringRef operand, size_t count) {
  nn::ConstantOp constant = op.constant(position, operand);
  if (!constant)
    return {};
  ArrayRef<char> bytes;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
    bytes = resource.getRawHandle().getBlob()->getData();
  else if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()); dense && !dense.isSplat())
    bytes = dense.getRawData();
  if (bytes.size() != count) {
    op.malformed("has " + Twine(bytes.size()) + " bytes of " + operand + ", must have " + Twine(count));
    return {};
  }
  return bytes;
}

/// Weights [N, K] of a few bits, in rows of blocks, each of which has a scale and begins with a whole byte.
struct PackedWeights {
  int64_t rows, columns, bits, block;
  ArrayRef<char> data = {}, packedZeros = {};
  SmallVector<float> scales = {}, zeros = {};

  int64_t blocks() const { return (columns + block - 1) / block; }
  static int64_t number(ArrayRef<char> bytes, int64_t start, int64_t index, int64_t bits) {
    const int64_t bit = index * bits;
    return static_cast<uint8_t>(bytes[start + bit / 8]) >> (bit % 8) & ((1 << bits) - 1);
  }
  float at(int64_t row, int64_t column) const {
    const int64_t index = row * blocks() + column / block;
    double zero = 1 << (bits - 1);
    if (!packedZeros.empty())
      zero = static_cast<double>(number(packedZeros, row * ((blocks() * bits + 7) / 8), column / block, bits));
    else if (!zeros.empty())
      zero = zeros[index];
    const int64_t stored = number(data, index * block * bits / 8, column % block, bits);
    return (static_cast<float>(stored) - static_cast<float>(zero)) * scales[index];
  }
};

LogicalResult readPackedWeights(OnnxOperation &op, PackedWeights &weights) {
  if (weights.rows < 1 || weights.columns < 1 || weights.block < 16 || weights.block % 8 != 0 ||
      weights.rows > INT32_MAX || weights.columns > INT32_MAX || weights.block > INT32_MAX)
    return op.malformed("has the extents N " + Twine(weights.rows) + " and K " + Twine(weights.columns) +
                        " and the block size " + Twine(weights.block));
  if (weights.bits != 2 && weights.bits != 4 && weights.bits != 8)
    return op.refuse("bits", "is a part of a byte", Twine(weights.bits), "2, 4 or 8");
  const int64_t count = weights.rows * weights.blocks();
  weights.data = bytesOf(op, 1, "B", count * weights.block * weights.bits / 8);
  FailureOr<SmallVector<float>> scales = op.floats(2, "scales");
  if (weights.data.empty() || failed(scales))
    return failure();
  weights.scales = *scales;
  if (op.hasInput(3)) {
    Value zeros = op.value(3, "zero points");
    if (!zeros)
      return failure();
    if (!isa<FloatType>(elementOf(zeros))) {
      weights.packedZeros = bytesOf(op, 3, "zero points", weights.rows * ((weights.blocks() * weights.bits + 7) / 8));
      if (weights.packedZeros.empty())
        return failure();
    } else {
      FailureOr<SmallVector<float>> real = op.floats(3, "zero points");
      if (failed(real))
        return failure();
      weights.zeros = *real;
    }
  }
  const auto size = static_cast<size_t>(count);
  return weights.scales.size() == size && (weights.zeros.empty() || weights.zeros.size() == size)
             ? success()
             : LogicalResult(
                   op.malformed("has " + Twine(weights.scales.size()) + " scales for " + Twine(count) + " blocks"));
}

/// The weights become floats at import.
LogicalResult convertMatMulNBits(OnnxOperation &op) {
  op.ignore({"accuracy_level"});
  Value a = op.value(0, "A"), bias = op.hasInput(5) ? op.parameter(5, "bias") : Value();
  if (!a || (op.hasInput(5) && !bias))
    return failure();
  if (op.hasInput(4))
    return op.refuse("g_idx", "is omitted", "an order of columns");
  PackedWeights weights{op.integer("N", 0), op.integer("K", 0), op.integer("bits", 4), op.integer("block_size", 0)};
  if (failed(readPackedWeights(op, weights)))
    return failure();
  const auto type = RankedTensorType::get({weights.rows, weights.columns}, op.builder().getF32Type());
  if (failed(checkComputedBytes(op, "B", type)))
    return failure();
  const ElementsAttr elements = computedElements(type, "weights", [&](MutableArrayRef<char> bytes) {
    auto *numbers = reinterpret_cast<float *>(bytes.data());
    for (int64_t row = 0; row < weights.rows; ++row)
      for (int64_t column = 0; column < weights.columns; ++column)
        *numbers++ = weights.at(row, column);
  });
  Value b = nn::ConstantOp::create(op.builder(), op.location(), type, elements);
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

FailureOr<OnnxScale> scaleAt(OnnxOperation &op, uint32_t scale, uint32_t zero) {
  FailureOr<float> number = op.scalar(scale, "scale");
  FailureOr<int64_t> offset = zeroPoint(op, zero);
  if (failed(number) || failed(offset))
    return failure();
  if (!isScale(*number))
    return op.refuse("scale", "is a positive normal number", std::to_string(*number));
  return OnnxScale{*number, *offset};
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

Type quantizedType(Type integer, const OnnxScale &scale) {
  const QuantizedStorage storage{integer.getIntOrFloatBitWidth(), !integer.isUnsignedInteger()};
  return storage.perTensor(integer.getContext(), scale.scale, scale.zeroPoint);
}

Value asQuantized(OnnxOperation &op, Value value, const OnnxScale &scale) {
  return value ? create<nn::BitcastOp>(op, value, quantizedType(elementOf(value), scale)) : value;
}

Value asStored(OnnxOperation &op, Value value) {
  if (!value)
    return {};
  const auto type = cast<quant::QuantizedType>(elementOf(value));
  return create<nn::BitcastOp>(op, value,
                               IntegerType::get(type.getContext(), type.getStorageTypeIntegralWidth(),
                                                type.isSigned() ? IntegerType::Signless : IntegerType::Unsigned));
}

Value dequantized(OnnxOperation &op, Value value, const OnnxScale &scale) {
  Value quantized = asQuantized(op, value, scale);
  return quantized ? createAs<nn::DequantizeOp>(op, op.builder().getF32Type(), quantized) : quantized;
}

Value quantized(OnnxOperation &op, Value real, Type integer, const OnnxScale &scale) {
  const auto halfEven = nn::NumericsAttr::get(op.builder().getContext(), nn::Numerics::HalfEven);
  return real ? asStored(op, createAs<nn::QuantizeOp>(op, quantizedType(integer, scale), real, FloatAttr(), halfEven))
              : real;
}

nn::NumericsAttr evenNumerics(OnnxOperation &op, ArrayRef<double> factors) {
  SmallVector<int32_t> multipliers, shifts;
  for (double factor : factors) {
    const firmware::Rescale rescale = kernels::quantizeMultiplier(factor);
    if (rescale.shift > 29) {
      op.refuse("scale", "quotient of scales", Twine(std::to_string(factor)), "less than 2^29");
      return {};
    }
    multipliers.push_back(rescale.multiplier);
    shifts.push_back(31 - rescale.shift);
  }
  return nn::NumericsAttr::get(op.builder().getContext(), nn::Numerics::EvenRound, multipliers, shifts);
}

Value rescaled(OnnxOperation &op, Value sums, ArrayRef<float> factors, Type integer, const OnnxScale &scale) {
  const nn::NumericsAttr numerics = evenNumerics(op, SmallVector<double>(factors.begin(), factors.end()));
  return sums && numerics ? asStored(op, createAs<nn::RescaleOp>(op, quantizedType(integer, scale), sums, numerics))
                          : Value();
}

DynamicallyQuantized dynamicallyQuantized(OnnxOperation &op, Value x) {
  const Type f32 = op.builder().getF32Type(), u8 = IntegerType::get(f32.getContext(), 8, IntegerType::Unsigned);
  SmallVector<int64_t> axes(x ? shapeOf(x).size() : 0);
  std::iota(axes.begin(), axes.end(), 0);
  Formula f(op, f32);
  const auto extreme = [&](ReduceKind kind) { return axes.empty() ? x : f.reduce(kind, x, axes, /*keep=*/false); };
  Value least = f.min(extreme(ReduceKind::Min), 0), range = f.sub(f.max(extreme(ReduceKind::Max), 0), least);
  Value scale = f.select(f.compare(range, nn::CompareKind::Equal, 0), f.constant(1), f.div(range, 255));
  const auto toByte = [&](Value real) { return castTo(op, f.min(f.max(real, 0), 255), u8); };
  Value zero = f.apply(UnaryKind::Round, f.min(f.max(f.sub(0, f.div(least, scale)), 0), 255));
  return {toByte(f.add(f.apply(UnaryKind::Round, f.div(x, scale)), zero)), scale, toByte(zero)};
}

ArrayRef<OnnxConverter> onnxQuantizeConverters() { return kConverters; }

} // namespace avocet::compiler
