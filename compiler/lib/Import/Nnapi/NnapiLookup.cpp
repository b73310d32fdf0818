//===- NnapiLookup.cpp - Look-ups, hashes, resampling -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Create.h"
#include "Import/Common/ImportedOperation.h"
#include "Import/Common/Moves.h"
#include "Layout.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Indices and keys are INT32.
Value indexValue(NnapiOperation &op, uint32_t position, StringRef operand) {
  Value value = op.value(position, operand);
  if (value && !cast<RankedTensorType>(value.getType()).getElementType().isInteger(32))
    return op.malformed("has " + operand + " that are not INT32");
  return value;
}

LogicalResult convertGather(NnapiOperation &op) {
  Value input = op.value(0, "input"), indices = indexValue(op, 2, "indices");
  FailureOr<int64_t> axis = op.axis(1, input);
  return failed(axis) ? failure() : finish<nn::GatherOp>(op, input, indices, *axis);
}

LogicalResult convertEmbeddingLookup(NnapiOperation &op) {
  Value indices = indexValue(op, 0, "lookups"), values = op.value(1, "values");
  return finish<nn::GatherOp>(op, values, indices, 0);
}

LogicalResult convertHashtableLookup(NnapiOperation &op) {
  Value lookups = indexValue(op, 0, "lookups"), keys = indexValue(op, 1, "keys"), values = op.value(2, "values");
  if (op.outputType(1) != OperandType::TensorQuant8Asymm && op.outputType(1) != OperandType::TensorQuant8AsymmSigned)
    return op.malformed("has hits that are not of 8 bits");
  return finish<nn::HashtableLookupOp>(op, lookups, keys, values);
}

LogicalResult convertLshProjection(NnapiOperation &op) {
  Value seeds = op.value(0, "hash"), input = op.value(1, "input");
  Value weights = op.hasInput(2) ? op.value(2, "weights") : Value();
  FailureOr<int64_t> kind = op.integer(3, "type");
  if (!seeds || !input || failed(kind) || (op.hasInput(2) && !weights))
    return failure();
  if (*kind < 1 || *kind > 3)
    return op.malformed("has the type " + Twine(*kind) + ", must be 1 to 3");
  if (weights && elementOf(weights) != elementOf(seeds))
    return op.refuse("weights", "have the type of the hash", "another one");
  return finish<nn::LshProjectionOp>(op, seeds, input, weights, static_cast<nn::LshKind>(*kind));
}

LogicalResult convertTopK(NnapiOperation &op) {
  Value input = op.value(0, "input");
  FailureOr<int64_t> count = op.integer(1, "k");
  if (!input || failed(count))
    return failure();
  return finish<nn::TopkV2Op>(op, input, *count, /*last_first=*/true);
}

//===----------------------------------------------------------------------===//
// Resizing
//===----------------------------------------------------------------------===//

/// An extent of the result, from an integer size or a factor.
FailureOr<int64_t> resizedExtent(NnapiOperation &op, uint32_t position, int64_t extent) {
  if (op.hasInput(position) && op.inputType(position) == OperandType::Int32)
    return op.integer(position, "size");
  FailureOr<double> factor = op.real(position, "factor");
  if (failed(factor))
    return failure();
  // In float, like the reference.
  float resized = std::floor(static_cast<float>(extent) * static_cast<float>(*factor));
  if (!(resized >= 1 && resized <= 2147483520.0f))
    return op.malformed("resizes " + Twine(extent) + " by " + Twine(std::to_string(*factor)));
  return static_cast<int64_t>(resized);
}

FailureOr<bool> flag(NnapiOperation &op, uint32_t position, StringRef name) {
  return op.hasInput(position) ? op.boolean(position, name) : FailureOr<bool>(false);
}

/// Width comes before height.
template <nn::ResizeKind kind> LogicalResult convertResize(NnapiOperation &op) {
  FailureOr<bool> nchw = isNchw(op, 3), corners = flag(op, 4, "align corners"),
                  centers = flag(op, 5, "half pixel centers");
  if (failed(nchw) || failed(corners) || failed(centers))
    return failure();
  if (*corners && *centers)
    return op.malformed("aligns corners and has half pixel centers");
  Value input = imageValue(op, 0, "input", *nchw);
  if (!input)
    return failure();
  FailureOr<int64_t> width = resizedExtent(op, 1, shapeOf(input)[2]), height = resizedExtent(op, 2, shapeOf(input)[1]);
  if (failed(width) || failed(height))
    return failure();
  return finishImage<nn::ResizeOp>(op, *nchw, input, kind, ArrayRef<int64_t>({*height, *width}), *corners, *centers);
}

constexpr NnapiConverter kConverters[] = {
    {OperationType::EmbeddingLookup, 2, 2, 0, convertEmbeddingLookup},
    {OperationType::HashtableLookup, 3, 3, 0, convertHashtableLookup},
    {OperationType::LshProjection, 4, 4, 1 << 3, convertLshProjection},
    {OperationType::ResizeBilinear, 3, 6, 0x3E, convertResize<nn::ResizeKind::Bilinear>},
    {OperationType::Gather, 3, 3, 1 << 1, convertGather},
    {OperationType::TopkV2, 2, 2, 1 << 1, convertTopK},
    {OperationType::ResizeNearestNeighbor, 3, 6, 0x3E, convertResize<nn::ResizeKind::Nearest>},
};

} // namespace

ArrayRef<NnapiConverter> nnapiLookupConverters() { return kConverters; }

} // namespace avocet::compiler
