//===- OnnxFused.cpp - Operators that ONNX Runtime fuses --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Moves.h"
#include "OnnxActivations.h"
#include "OnnxConv.h"
#include "OnnxMatrix.h"
#include "OnnxNormalize.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The function of the attribute `activation`, or the value itself without it.
Value activated(OnnxOperation &op, Value x, ArrayRef<float> parameters) {
  const StringRef name = op.text("activation");
  if (!x || name.empty())
    return x;
  FailureOr<OnnxActivation> function = onnxActivation(op, name);
  if (failed(function))
    return {};
  if (!parameters.empty())
    function->alpha = parameters[0];
  if (parameters.size() > 1)
    function->beta = parameters[1];
  Formula f(op, elementOf(x));
  return (*function)(f, x);
}

LogicalResult convertFusedConv(OnnxOperation &op) {
  Value input = op.value(0, "input"), filter = op.parameter(1, "filter");
  Value bias = op.hasInput(2) ? op.parameter(2, "bias") : Value(), addend = op.hasInput(3) ? op.value(3, "Z") : Value();
  if (!input || !filter || (op.hasInput(2) && !bias) || (op.hasInput(3) && !addend))
    return failure();
  FailureOr<OnnxWindow> window = convWindow(op, input, filter);
  if (failed(window))
    return failure();
  Value result = convolvedFirst(op, input, filter, bias, *window);
  return op.finish(activated(op, addend ? add(op, result, addend) : result, op.numbers("activation_params")));
}

LogicalResult convertFusedGemm(OnnxOperation &op) {
  Value product = gemm(op);
  SmallVector<float> parameters;
  for (StringRef name : {"activation_alpha", "activation_beta"})
    if (op.hasAttribute(name))
      parameters.push_back(op.number(name, 0));
  return op.finish(activated(op, product, parameters));
}

/// Normalises the last axis.
Value normalizedLast(OnnxOperation &op, Formula &f, Value x, bool isCentred, float epsilon) {
  if (!x)
    return {};
  return isCentred ? normalized(f, x, {static_cast<int64_t>(shapeOf(x).size()) - 1}, epsilon).value
                   : createAs<nn::RmsNormalizeOp>(op, elementOf(x), x, APFloat(epsilon), int64_t(-1));
}

/// Operands: input, skip, scale, then the shift of the centred form, then a bias of the input.
template <bool isCentred> LogicalResult convertSkipNormalization(OnnxOperation &op) {
  constexpr uint32_t kBias = isCentred ? 4 : 3;
  Value x = op.value(0, "input"), skip = op.value(1, "skip"), scale = op.value(2, "gamma");
  if (!x || !skip || !scale)
    return failure();
  if (op.hasOutput(1) || op.hasOutput(2))
    return op.refuse("mean", "is no output", "an output of statistics");
  Formula f(op, elementOf(x));
  Value sum = f.add(x, skip);
  if (op.hasInput(kBias))
    sum = f.add(sum, op.value(kBias, "bias"));
  Value result = f.mul(normalizedLast(op, f, sum, isCentred, op.number("epsilon", 1e-12f)), scale);
  if (isCentred && op.hasInput(3))
    result = f.add(result, op.value(3, "beta"));
  return failed(op.finish(result)) ? failure() : op.finish(sum, 3);
}

/// The rows of a table, or of its beginning without indices; f32 [batch, length, width].
Value rowsOf(OnnxOperation &op, uint32_t table, uint32_t indices, int64_t length) {
  Value all = ofRank(op, op.value(table, "embedding"), "an embedding", 2);
  if (!all)
    return {};
  if (op.hasInput(indices)) {
    Value which = op.value(indices, "indices");
    return which ? create<nn::GatherOp>(op, all, which, 0) : which;
  }
  if (shapeOf(all)[0] < length)
    return op.malformed("has " + Twine(shapeOf(all)[0]) + " positions for a sequence of " + Twine(length));
  return slice(op, all, {0, 0}, {length, shapeOf(all)[1]});
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
  Value result = f.add(f.mul(normalizedLast(op, f, sum, true, op.number("epsilon", 1e-12f)), scale), shift);
  if (failed(op.finish(result)))
    return failure();
  if (op.hasOutput(1)) {
    const auto counts = RankedTensorType::get({shape[0]}, op.builder().getI32Type());
    Value mask = op.hasInput(7) ? op.value(7, "mask") : filled(op, counts, op.builder().getI32IntegerAttr(0));
    Value lengths =
        op.hasInput(7) ? Formula(op, counts.getElementType()).reduce(nn::ReduceKind::Sum, mask, {1}, false) : mask;
    if (failed(op.finish(lengths, 1)))
      return failure();
  }
  return op.finish(sum, 2);
}

constexpr OnnxConverter kConverters[] = {
    {"EmbedLayerNormalization", 1, 7, 9, convertEmbedNormalization, 1, 3, kMicrosoft},
    {"FusedConv", 1, 2, 4, convertFusedConv, 1, 1, kMicrosoft},
    {"FusedGemm", 1, 2, 3, convertFusedGemm, 1, 1, kMicrosoft},
    {"SkipLayerNormalization", 1, 3, 5, convertSkipNormalization<true>, 1, 4, kMicrosoft},
    {"SkipSimplifiedLayerNormalization", 1, 3, 4, convertSkipNormalization<false>, 1, 4, kMicrosoft},
};

} // namespace

ArrayRef<OnnxConverter> onnxFusedConverters() { return kConverters; }

} // namespace avocet::compiler
