//===- OnnxNormalize.cpp - Normalizations and losses ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Losses.h"
#include "Import/Common/Moves.h"
#include "OnnxQuantized.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler {
namespace {

using nn::ReduceKind;
using nn::UnaryKind;

/// A number for each channel, for a tensor [N, C, ...] of this rank.
Value perChannel(OnnxOperation &op, Value value, size_t rank) { return alongAxis(op, value, rank, rank > 1 ? 1 : 0); }

/// With mean and variance of the data, of which a part goes into the running ones.
LogicalResult convertBatchTraining(OnnxOperation &op, Value x) {
  const size_t rank = shapeOf(x).size();
  const float momentum = op.number("momentum", 0.9f);
  if (rank < 2)
    return op.malformed("has an input of rank " + Twine(rank) + ", must be at least 2 to train");
  SmallVector<int64_t> axes = axesFrom(0, rank);
  axes.erase(axes.begin() + 1);
  Formula f(op, elementOf(x));
  const Normalized own = f.normalized(x, axes, op.number("epsilon", 1e-5f));
  Value scale = perChannel(op, op.value(1, "scale"), rank), bias = perChannel(op, op.value(2, "B"), rank);
  Value centered = f.sub(x, own.mean), variance = f.mean(f.mul(centered, centered), axes);
  const auto running = [&](uint32_t position, Value statistic) -> Value {
    Value before = op.value(position, "running statistics");
    if (!before)
      return {};
    Formula of(op, elementOf(before));
    Value part = castTo(op, reshape(op, statistic, {shapeOf(x)[1]}), elementOf(before));
    return of.add(of.mul(before, momentum), of.mul(part, 1.0 - momentum));
  };
  return finishAll(op, {f.add(f.mul(own.value, scale), bias), running(3, own.mean), running(4, variance)});
}

/// With parameters that the device computes, or that the application gives.
LogicalResult convertComputedBatch(OnnxOperation &op, Value x, float epsilon) {
  const auto parameter = [&](uint32_t position, StringRef operand) {
    return castTo(op, perChannel(op, op.value(position, operand), shapeOf(x).size()), elementOf(x));
  };
  Formula f(op, elementOf(x));
  Value inverse = f.apply(UnaryKind::Rsqrt, f.add(parameter(4, "var"), epsilon));
  Value centered = f.sub(x, parameter(3, "mean"));
  return op.finish(f.add(f.mul(centered, f.mul(parameter(1, "scale"), inverse)), parameter(2, "B")));
}

/// With constant statistics the operator is one product and one sum.
LogicalResult convertBatchNormalization(OnnxOperation &op) {
  op.ignore({"momentum", "spatial", "is_test", "consumed_inputs"});
  Value x = op.value(0, "input");
  if (!x)
    return failure();
  constexpr int64_t kFirstTraining = 14;
  if (op.flag("training_mode") && op.version() >= kFirstTraining)
    return convertBatchTraining(op, x);
  if (op.flag("training_mode") || op.hasOutput(1))
    return op.refuse("training_mode", "is 0, with one output", "a training form");
  const float epsilon = op.number("epsilon", 1e-5f);
  if (!llvm::all_of(llvm::seq<uint32_t>(1, 5), [&](uint32_t position) {
        Value parameter = op.parameter(position, "a parameter");
        return parameter && parameter.getDefiningOp<nn::ConstantOp>();
      }))
    return convertComputedBatch(op, x, epsilon);
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
  const auto constant = [&](ArrayRef<float> numbers) {
    const SmallVector<int64_t> shape = lineShape(rank, rank > 1 ? 1 : 0, static_cast<int64_t>(channels));
    return castTo(op, float32Constant(op, shape, numbers), elementOf(x));
  };
  Formula f(op, elementOf(x));
  return op.finish(f.add(f.mul(x, constant(factors)), constant(offsets)));
}

LogicalResult convertInstanceNormalization(OnnxOperation &op) {
  Value x = op.value(0, "input"), scale = op.value(1, "scale"), bias = op.value(2, "B");
  if (!x || !scale || !bias)
    return failure();
  const size_t rank = shapeOf(x).size();
  if (rank < 3)
    return op.malformed("has an input of rank " + Twine(rank) + ", must be at least 3");
  Formula f(op, elementOf(x));
  Value value = f.normalized(x, axesFrom(2, rank), op.number("epsilon", 1e-5f)).value;
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
  Value value = f.normalized(reshape(op, x, parts), {2, 3}, op.number("epsilon", 1e-5f)).value;
  const bool isOfGroup = op.version() < 21;
  const SmallVector<int64_t> form{1, groups, isOfGroup ? 1 : each, 1};
  for (Value number : {scale, bias})
    if (tensorOf(number).getNumElements() != (isOfGroup ? groups : shape[1]))
      return op.malformed("has " + Twine(tensorOf(number).getNumElements()) + " numbers in scale or bias");
  value = f.add(f.mul(value, reshape(op, scale, form)), reshape(op, bias, form));
  return op.finish(reshape(op, value, shape));
}

LogicalResult convertLayerNormalization(OnnxOperation &op) {
  Value x = op.value(0, "input"), scale = op.value(1, "scale"), bias = op.optional(2, "B");
  FailureOr<int64_t> axis = op.axisOf(-1, x);
  op.ignore({"stash_type"});
  if (!scale || failed(axis))
    return failure();
  Formula f(op, elementOf(x));
  const Normalized parts = f.normalized(x, axesFrom(*axis, shapeOf(x).size()), op.number("epsilon", 1e-5f));
  Value value = f.mul(parts.value, scale);
  return finishAll(op, {bias ? f.add(value, bias) : value, parts.mean, parts.inverse});
}

LogicalResult convertRmsNormalization(OnnxOperation &op) {
  Value x = op.value(0, "input"), scale = op.value(1, "scale");
  FailureOr<int64_t> axis = op.axisOf(-1, x);
  op.ignore({"stash_type"});
  if (!scale || failed(axis))
    return failure();
  Formula f(op, elementOf(x));
  return op.finish(f.mul(f.rmsNormalized(x, *axis, op.number("epsilon", 1e-5f)), scale));
}

/// (x - mean) / (deviation + 1e-9)
LogicalResult convertMeanVariance(OnnxOperation &op) {
  Value x = op.value(0, "input");
  if (!x)
    return failure();
  FailureOr<SmallVector<int64_t>> axes =
      op.normalizedAxes(op.list("axes", {0, 2, 3}), static_cast<int64_t>(shapeOf(x).size()));
  if (failed(axes))
    return failure();
  Formula f(op, elementOf(x));
  Value centered = f.sub(x, f.mean(x, *axes)),
        deviation = f.apply(UnaryKind::Sqrt, f.mean(f.mul(centered, centered), *axes));
  return op.finish(f.div(centered, f.add(deviation, 1e-9)));
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
  FailureOr<int64_t> axis = op.axisOf(-1, x);
  if (failed(axis))
    return failure();
  const int64_t p = op.integer("p", 2);
  if (p != 1 && p != 2)
    return op.malformed("has the exponent p " + Twine(p) + ", must be 1 or 2");
  Formula f(op, elementOf(x));
  Value norm = f.norm(x, p, [&](Value powers) { return f.reduce(ReduceKind::Sum, powers, {*axis}); });
  return op.finish(f.div(x, f.select(f.compare(norm, nn::CompareKind::Equal, 0), f.constant(1), norm))); // zeros stay
}

/// A function along the attribute `axis`. `isFlattened`: the axes from it on are one.
Value onAxis(OnnxOperation &op, Value x, bool isFlattened, llvm::function_ref<Value(Value, int64_t)> function) {
  FailureOr<int64_t> axis = op.axisOf(isFlattened ? 1 : -1, x);
  if (failed(axis))
    return {};
  if (!isFlattened || *axis + 1 == static_cast<int64_t>(shapeOf(x).size()))
    return function(x, *axis);
  Value flat = flattened(op, x, *axis);
  return flat ? reshape(op, function(flat, 1), shapeOf(x)) : flat;
}

template <typename NormalizeOp> Value softmaxAlong(OnnxOperation &op, Value x, bool isFlattened) {
  return onAxis(op, x, isFlattened, [&](Value value, int64_t axis) {
    return createAs<NormalizeOp>(op, elementOf(value), value, APFloat(1.0f), axis);
  });
}

/// Tensors are flattened before opset 13.
template <typename NormalizeOp> LogicalResult convertSoftmax(OnnxOperation &op) {
  return op.finish(softmaxAlong<NormalizeOp>(op, op.value(0, "input"), op.version() < 13));
}

/// The opset of the float operator is an attribute.
LogicalResult convertQLinearSoftmax(OnnxOperation &op) {
  const bool isFlattened = op.integer("opset", 13) < 13;
  return finishOnReals(op, [&](Formula &, Value x) { return softmaxAlong<nn::SoftmaxOp>(op, x, isFlattened); });
}

/// 1 at the first greatest element, 0 elsewhere.
LogicalResult convertHardmax(OnnxOperation &op) {
  return op.finish(onAxis(op, op.value(0, "input"), op.version() < 13, [&](Value x, int64_t axis) {
    const Type i32 = op.builder().getI32Type();
    Value greatest = createAs<nn::ArgReduceOp>(op, i32, x, nn::ArgReduceKind::Max, axis, /*keepDims=*/true);
    Value places = ascending(op, lineShape(shapeOf(x).size(), axis, shapeOf(x)[axis]));
    return castTo(op, compare(op, places, nn::CompareKind::Equal, greatest), elementOf(x));
  }));
}

//===----------------------------------------------------------------------===//
// Fused forms
//===----------------------------------------------------------------------===//

/// Normalizes the last axis.
Value normalizedLast(Formula &f, Value x, bool isCentered, float epsilon) {
  if (!x)
    return {};
  const auto last = static_cast<int64_t>(shapeOf(x).size()) - 1;
  return isCentered ? f.normalized(x, {last}, epsilon).value : f.rmsNormalized(x, last, epsilon);
}

/// Operands: input, skip, scale, then the shift of the centered form, then a bias of the input.
template <bool isCentered> LogicalResult convertSkipNormalization(OnnxOperation &op) {
  constexpr uint32_t kBias = isCentered ? 4 : 3;
  Value x = op.value(0, "input"), skip = op.value(1, "skip"), scale = op.value(2, "gamma");
  if (!x || !skip || !scale)
    return failure();
  if (op.hasOutput(1) || op.hasOutput(2))
    return op.refuse("mean", "is no output", "an output of statistics");
  Formula f(op, elementOf(x));
  Value sum = f.add(x, skip);
  if (Value bias = op.optional(kBias, "bias"))
    sum = f.add(sum, bias);
  Value result = f.mul(normalizedLast(f, sum, isCentered, op.number("epsilon", 1e-12f)), scale);
  if (Value shift = isCentered ? op.optional(3, "beta") : Value())
    result = f.add(result, shift);
  return failed(op.finish(result)) ? failure() : op.finish(sum, 3);
}

/// The rows of a table, or of its beginning without indices; f32 [batch, length, width].
Value rowsOf(OnnxOperation &op, uint32_t table, uint32_t indices, int64_t length) {
  Value all = ofRank(op, op.value(table, "embedding"), "an embedding", 2);
  if (!all)
    return {};
  if (op.hasInput(indices))
    return create<nn::GatherOp>(op, all, op.value(indices, "indices"), 0);
  if (shapeOf(all)[0] < length)
    return op.malformed("has " + Twine(shapeOf(all)[0]) + " positions for a sequence of " + Twine(length));
  return partOf(op, all, 0, 0, length);
}

LogicalResult convertEmbedNormalization(OnnxOperation &op) {
  op.ignore({"mask_index_type"});
  Value ids = ofRank(op, op.value(0, "input_ids"), "input_ids", 2), scale = op.value(5, "gamma"),
        shift = op.value(6, "beta");
  if (!ids || !scale || !shift)
    return failure();
  const SmallVector<int64_t> shape(shapeOf(ids));
  Formula f(op, elementOf(scale));
  Value sum = f.add(rowsOf(op, 2, 0, shape[1]), rowsOf(op, 3, 8, shape[1]));
  if (op.hasInput(4))
    sum = op.hasInput(1) ? f.add(sum, rowsOf(op, 4, 1, shape[1])) : Value(op.malformed("has no segment_ids"));
  Value result = f.add(f.mul(normalizedLast(f, sum, true, op.number("epsilon", 1e-12f)), scale), shift);
  const Type i32 = op.builder().getI32Type();
  Value mask = op.optional(7, "mask");
  Value lengths =
      mask ? Formula(op, i32).reduce(nn::ReduceKind::Sum, mask, {1}, /*keep=*/false) : filled(op, {shape[0]}, i32);
  return finishAll(op, {result, lengths, sum});
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

/// Operand 1 are targets, operand 2 weights of classes.
Value lossOf(OnnxOperation &op, Value logs) {
  const std::map<StringRef, LossKind> kKinds = {
      {"none", LossKind::Each}, {"sum", LossKind::Sum}, {"mean", LossKind::Mean}};
  Value targets = op.value(1, "target"), weights = op.optional(2, "weight");
  const StringRef reduction = op.text("reduction", "mean");
  const auto kind = kKinds.find(reduction);
  if (!logs || !targets)
    return {};
  if (kind == kKinds.end())
    return op.malformed("has the reduction '" + reduction + "', must be none, sum or mean");
  const int64_t ignored = op.integer("ignore_index", -1); // which is no class
  return likelihoodLoss(op, logs, targets, weights, ignored, kind->second);
}

LogicalResult convertLogLikelihood(OnnxOperation &op) { return op.finish(lossOf(op, op.value(0, "input"))); }

LogicalResult convertCrossEntropy(OnnxOperation &op) {
  Value scores = op.value(0, "scores");
  Value logs = scores && shapeOf(scores).size() > 1
                   ? createAs<nn::LogSoftmaxOp>(op, elementOf(scores), scores, APFloat(1.0f), int64_t(1))
                   : scores;
  return failed(op.finish(lossOf(op, logs))) ? failure() : op.finish(logs, 1);
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
    {"NegativeLogLikelihoodLoss", 12, 2, 3, convertLogLikelihood},
    {"SoftmaxCrossEntropyLoss", 12, 2, 3, convertCrossEntropy, 1, 2},
    {"EmbedLayerNormalization", 1, 7, 9, convertEmbedNormalization, 1, 3, kMicrosoft},
    {"SkipLayerNormalization", 1, 3, 5, convertSkipNormalization<true>, 1, 4, kMicrosoft},
    {"SkipSimplifiedLayerNormalization", 1, 3, 4, convertSkipNormalization<false>, 1, 4, kMicrosoft},
    {"QLinearSoftmax", 1, 5, 5, convertQLinearSoftmax, 1, 1, kMicrosoft},
};

} // namespace

ArrayRef<OnnxConverter> onnxNormalizeConverters() { return kConverters; }

} // namespace avocet::compiler
