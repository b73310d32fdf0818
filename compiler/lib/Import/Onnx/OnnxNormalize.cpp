//===- OnnxNormalize.cpp - Normalisations -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxNormalize.h"

#include "Import/Common/Constants.h"
#include "Import/Common/FoldedConstants.h"
#include "Import/Common/Formula.h"
#include "Import/Common/Moves.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace avocet::compiler {
namespace {

using nn::ReduceKind;
using nn::UnaryKind;

/// A number for each channel, for a tensor [N, C, ...] of this rank.
Value perChannel(OnnxOperation &op, Value value, size_t rank) {
  if (!value)
    return {};
  SmallVector<int64_t> shape(rank, 1);
  shape[rank > 1 ? 1 : 0] = tensorOf(value).getNumElements();
  return reshape(op, value, shape);
}

Value channelConstant(OnnxOperation &op, ArrayRef<float> numbers, size_t rank, Type element) {
  const auto type = RankedTensorType::get({static_cast<int64_t>(numbers.size())}, op.builder().getF32Type());
  Value constant = nn::ConstantOp::create(op.builder(), op.location(), type, DenseElementsAttr::get(type, numbers));
  return castTo(op, perChannel(op, constant, rank), element);
}

/// With constant statistics the operator is one product and one sum.
LogicalResult convertBatchNormalization(OnnxOperation &op) {
  op.ignore({"momentum", "spatial", "is_test", "consumed_inputs"});
  Value x = op.value(0, "input");
  if (!x)
    return failure();
  if (op.flag("training_mode") || op.hasOutput(1))
    return op.refuse("training_mode", "is 0, with one output", "a training form");
  const float epsilon = op.number("epsilon", 1e-5f);
  SmallVector<SmallVector<float>, 4> parameters;
  for (auto [position, name] : llvm::enumerate(ArrayRef<StringRef>{"scale", "B", "mean", "var"})) {
    FailureOr<SmallVector<float>> numbers = op.floats(static_cast<uint32_t>(position) + 1, name);
    if (failed(numbers))
      return failure();
    parameters.push_back(*numbers);
  }
  const size_t rank = shapeOf(x).size(), channels = rank > 1 ? static_cast<size_t>(shapeOf(x)[1]) : 1;
  for (const SmallVector<float> &each : parameters)
    if (each.size() != channels)
      return op.malformed("has " + Twine(each.size()) + " parameters for " + Twine(channels) + " channels");
  SmallVector<float> factors, offsets;
  for (size_t c = 0; c < channels; ++c) {
    const double factor = parameters[0][c] / std::sqrt(static_cast<double>(parameters[3][c]) + epsilon);
    factors.push_back(static_cast<float>(factor));
    offsets.push_back(static_cast<float>(parameters[1][c] - factor * parameters[2][c]));
  }
  Formula f(op, elementOf(x));
  Value product = f.mul(x, channelConstant(op, factors, rank, elementOf(x)));
  return op.finish(f.add(product, channelConstant(op, offsets, rank, elementOf(x))));
}

SmallVector<int64_t> axesFrom(int64_t first, size_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(first, static_cast<int64_t>(rank)));
}

LogicalResult convertInstanceNormalization(OnnxOperation &op) {
  Value x = op.value(0, "input"), scale = op.value(1, "scale"), bias = op.value(2, "B");
  if (!x || !scale || !bias)
    return failure();
  const size_t rank = shapeOf(x).size();
  if (rank < 3)
    return op.malformed("has an input of rank " + Twine(rank) + ", must be at least 3");
  Formula f(op, elementOf(x));
  Value value = normalized(f, x, axesFrom(2, rank), op.number("epsilon", 1e-5f)).value;
  return op.finish(f.add(f.mul(value, perChannel(op, scale, rank)), perChannel(op, bias, rank)));
}

/// Before opset 21, scale and bias have a number for each group.
LogicalResult convertGroupNormalization(OnnxOperation &op) {
  Value x = op.value(0, "input"), scale = op.value(1, "scale"), bias = op.value(2, "bias");
  if (!x || !scale || !bias)
    return failure();
  op.ignore({"stash_type"});
  const SmallVector<int64_t> shape(shapeOf(x));
  const int64_t groups = op.integer("num_groups", 0);
  if (shape.size() < 2 || groups < 1 || shape[1] % groups != 0)
    return op.malformed("has " + Twine(groups) + " groups of an input " + nn::textOf(shape));
  const int64_t each = shape[1] / groups;
  const SmallVector<int64_t> parts{shape[0], groups, each, llvm::product_of(ArrayRef(shape).drop_front(2), int64_t(1))};
  Formula f(op, elementOf(x));
  Value value = normalized(f, reshape(op, x, parts), {2, 3}, op.number("epsilon", 1e-5f)).value;
  const bool isOfGroup = op.version() < 21;
  const SmallVector<int64_t> form{1, groups, isOfGroup ? 1 : each, 1};
  for (Value number : {scale, bias})
    if (tensorOf(number).getNumElements() != (isOfGroup ? groups : shape[1]))
      return op.malformed("has " + Twine(tensorOf(number).getNumElements()) + " numbers in scale or bias");
  value = f.add(f.mul(value, reshape(op, scale, form)), reshape(op, bias, form));
  return op.finish(value ? reshape(op, value, shape) : value);
}

LogicalResult convertLayerNormalization(OnnxOperation &op) {
  Value x = op.value(0, "input"), scale = op.value(1, "scale"), bias = op.hasInput(2) ? op.value(2, "B") : Value();
  if (!x || !scale || (op.hasInput(2) && !bias))
    return failure();
  op.ignore({"stash_type"});
  const size_t rank = shapeOf(x).size();
  FailureOr<int64_t> axis = op.axisOf(-1, static_cast<int64_t>(rank));
  if (failed(axis))
    return failure();
  Formula f(op, elementOf(x));
  const Normalized parts = normalized(f, x, axesFrom(*axis, rank), op.number("epsilon", 1e-5f));
  Value value = f.mul(parts.value, scale);
  if (failed(op.finish(bias ? f.add(value, bias) : value)))
    return failure();
  if (op.hasOutput(1) && failed(op.finish(parts.mean, 1)))
    return failure();
  return op.hasOutput(2) ? op.finish(parts.inverse, 2) : success();
}

LogicalResult convertRmsNormalization(OnnxOperation &op) {
  Value x = op.value(0, "input"), scale = op.value(1, "scale");
  if (!x || !scale)
    return failure();
  op.ignore({"stash_type"});
  const size_t rank = shapeOf(x).size();
  FailureOr<int64_t> axis = op.axisOf(-1, static_cast<int64_t>(rank));
  if (failed(axis))
    return failure();
  const float epsilon = op.number("epsilon", 1e-5f);
  Formula f(op, elementOf(x));
  if (*axis + 1 == static_cast<int64_t>(rank))
    return op.finish(f.mul(createAs<nn::RmsNormalizeOp>(op, elementOf(x), x, APFloat(epsilon), int64_t(-1)), scale));
  Value inverse = f.apply(UnaryKind::Rsqrt, f.add(f.mean(f.mul(x, x), axesFrom(*axis, rank)), epsilon));
  return op.finish(f.mul(f.mul(x, inverse), scale));
}

/// (x - mean) / (deviation + 1e-9)
LogicalResult convertMeanVariance(OnnxOperation &op) {
  Value x = op.value(0, "input");
  if (!x)
    return failure();
  SmallVector<int64_t> axes = op.list("axes", {0, 2, 3});
  for (int64_t &axis : axes) {
    FailureOr<int64_t> normalized = op.normalizedAxis(axis, static_cast<int64_t>(shapeOf(x).size()));
    if (failed(normalized))
      return failure();
    axis = *normalized;
  }
  Formula f(op, elementOf(x));
  Value centred = f.sub(x, f.mean(x, axes)),
        deviation = f.apply(UnaryKind::Sqrt, f.mean(f.mul(centred, centred), axes));
  return op.finish(f.div(centred, f.add(deviation, 1e-9)));
}

LogicalResult convertLrn(OnnxOperation &op) {
  Value x = op.value(0, "input");
  if (!x)
    return failure();
  const int64_t size = op.integer("size", 0);
  if (shapeOf(x).size() < 2 || size < 1)
    return op.malformed("has the size " + Twine(size) + " and an input of rank " + Twine(shapeOf(x).size()));
  if (size % 2 == 0)
    return op.refuse("size", "is odd", Twine(size));
  const float alpha = op.number("alpha", 1e-4f) / static_cast<float>(size);
  return op.finish(createAs<nn::LocalResponseNormalizeOp>(
      op, elementOf(x), x, static_cast<int32_t>(std::min<int64_t>(size / 2, shapeOf(x)[1])),
      APFloat(op.number("bias", 1)), APFloat(alpha), APFloat(op.number("beta", 0.75f)), int64_t(1)));
}

LogicalResult convertLpNormalization(OnnxOperation &op) {
  Value x = op.value(0, "input");
  FailureOr<int64_t> axis = x ? op.axisOf(-1, static_cast<int64_t>(shapeOf(x).size())) : FailureOr<int64_t>(failure());
  if (failed(axis))
    return failure();
  const int64_t p = op.integer("p", 2);
  if (p != 1 && p != 2)
    return op.malformed("has the exponent p " + Twine(p) + ", must be 1 or 2");
  Formula f(op, elementOf(x));
  Value magnitudes = p == 1 ? f.apply(UnaryKind::Abs, x) : f.mul(x, x);
  Value sum = f.reduce(ReduceKind::Sum, magnitudes, {*axis});
  return op.finish(f.div(x, p == 1 ? sum : f.apply(UnaryKind::Sqrt, sum)));
}

/// Along the attribute `axis`; of flattened tensors, the axes from it on are one.
template <typename NormalizeOp> Value alongAxis(OnnxOperation &op, Value x, bool isFlattened) {
  if (!x)
    return {};
  const SmallVector<int64_t> shape(shapeOf(x));
  FailureOr<int64_t> axis = op.axisOf(isFlattened ? 1 : -1, static_cast<int64_t>(shape.size()));
  if (failed(axis))
    return {};
  const auto apply = [&](Value value, int64_t along) {
    return value ? createAs<NormalizeOp>(op, elementOf(value), value, APFloat(1.0f), along) : value;
  };
  if (!isFlattened || *axis + 1 == static_cast<int64_t>(shape.size()))
    return apply(x, *axis);
  const ArrayRef<int64_t> extents = shape;
  Value flat = reshape(op, x,
                       {llvm::product_of(extents.take_front(*axis), int64_t(1)),
                        llvm::product_of(extents.drop_front(*axis), int64_t(1))});
  Value result = apply(flat, 1);
  return result ? reshape(op, result, shape) : result;
}

/// Tensors are flattened before opset 13.
template <typename NormalizeOp> LogicalResult convertSoftmax(OnnxOperation &op) {
  return op.finish(alongAxis<NormalizeOp>(op, op.value(0, "input"), op.version() < 13));
}

/// 1 at the first greatest element, 0 elsewhere.
LogicalResult convertHardmax(OnnxOperation &op) {
  Value x = op.value(0, "input");
  if (!x)
    return failure();
  const SmallVector<int64_t> shape(shapeOf(x));
  const bool isFlattened = op.version() < 13;
  FailureOr<int64_t> axis = op.axisOf(isFlattened ? 1 : -1, static_cast<int64_t>(shape.size()));
  if (failed(axis))
    return failure();
  if (isFlattened) {
    const ArrayRef<int64_t> extents = shape;
    x = reshape(op, x,
                {llvm::product_of(extents.take_front(*axis), int64_t(1)),
                 llvm::product_of(extents.drop_front(*axis), int64_t(1))});
    axis = 1;
  }
  if (!x)
    return failure();
  const Type i32 = op.builder().getI32Type();
  Value greatest = createAs<nn::ArgReduceOp>(op, i32, x, nn::ArgReduceKind::Max, *axis, /*keepDims=*/true);
  SmallVector<int64_t> line(shapeOf(x).size(), 1);
  line[*axis] = shapeOf(x)[*axis];
  Value isGreatest = compare(op, ascending(op, line), nn::CompareKind::Equal, greatest);
  Value result = castTo(op, isGreatest, elementOf(x));
  return op.finish(result && isFlattened ? reshape(op, result, shape) : result);
}

constexpr OnnxConverter kConverters[] = {
    {"BatchNormalization", 1, 5, 5, convertBatchNormalization, 1, 5},
    {"GroupNormalization", 18, 3, 3, convertGroupNormalization},
    {"Hardmax", 1, 1, 1, convertHardmax},
    {"InstanceNormalization", 6, 3, 3, convertInstanceNormalization},
    {"LRN", 1, 1, 1, convertLrn},
    {"LayerNormalization", 1, 2, 3, convertLayerNormalization, 1, 3},
    {"LogSoftmax", 1, 1, 1, convertSoftmax<nn::LogSoftmaxOp>},
    {"LpNormalization", 1, 1, 1, convertLpNormalization},
    {"MeanVarianceNormalization", 9, 1, 1, convertMeanVariance},
    {"RMSNormalization", 23, 2, 2, convertRmsNormalization},
    {"SimplifiedLayerNormalization", 1, 2, 2, convertRmsNormalization, 1, 2},
    {"Softmax", 1, 1, 1, convertSoftmax<nn::SoftmaxOp>},
};

} // namespace

Normalized normalized(Formula &f, Value x, ArrayRef<int64_t> axes, float epsilon) {
  Value mean = f.mean(x, axes), centred = f.sub(x, mean);
  Value inverse = f.apply(UnaryKind::Rsqrt, f.add(f.mean(f.mul(centred, centred), axes), epsilon));
  return {f.mul(centred, inverse), mean, inverse};
}

Value softmaxOf(OnnxOperation &op, Value x, bool isFlattened) { return alongAxis<nn::SoftmaxOp>(op, x, isFlattened); }

ArrayRef<OnnxConverter> onnxNormalizeConverters() { return kConverters; }

} // namespace avocet::compiler
