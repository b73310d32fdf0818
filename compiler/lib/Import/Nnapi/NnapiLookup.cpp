//===- NnapiLookup.cpp - Look-ups, hashes, resampling -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/ImportedOperation.h"
#include "Import/Common/Lookup.h"
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

LogicalResult gather(NnapiOperation &op, Value input, Value indices, int64_t axis) {
  ArrayRef<int64_t> shape = shapeOf(input);
  SmallVector<int64_t> gathered(shape.take_front(axis));
  llvm::append_range(gathered, shapeOf(indices));
  llvm::append_range(gathered, shape.drop_front(axis + 1));
  RankedTensorType type = movedType(op, 0, input, gathered);
  return type ? op.finish(nn::GatherOp::create(op.builder(), op.location(), type, input, indices, axis)) : failure();
}

LogicalResult convertGather(NnapiOperation &op) {
  Value input = op.value(0, "input"), indices = indexValue(op, 2, "indices");
  if (!input || !indices)
    return failure();
  FailureOr<int64_t> axis = op.axis(1, static_cast<int64_t>(shapeOf(input).size()));
  return failed(axis) ? failure() : gather(op, input, indices, *axis);
}

LogicalResult convertEmbeddingLookup(NnapiOperation &op) {
  Value indices = indexValue(op, 0, "lookups"), values = op.value(1, "values");
  if (!indices || !values)
    return failure();
  if (shapeOf(values).empty())
    return op.malformed("has values without rows");
  return gather(op, values, indices, 0);
}

LogicalResult convertHashtableLookup(NnapiOperation &op) {
  Value lookups = indexValue(op, 0, "lookups"), keys = indexValue(op, 1, "keys"), values = op.value(2, "values");
  if (!lookups || !keys || !values)
    return failure();
  FailureOr<HashtableTypes> types = hashtableTypes(op, lookups, keys, values);
  if (failed(types))
    return failure();
  if (op.outputType(1) != OperandType::TensorQuant8Asymm && op.outputType(1) != OperandType::TensorQuant8AsymmSigned)
    return op.malformed("has hits that are not of 8 bits");
  auto lookup =
      nn::HashtableLookupOp::create(op.builder(), op.location(), types->output, types->hits, lookups, keys, values);
  return finishAll(op, lookup.getResults());
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
  return finishLshProjection(op, seeds, input, weights, static_cast<nn::LshKind>(*kind));
}

LogicalResult convertTopK(NnapiOperation &op) {
  Value input = op.value(0, "input");
  FailureOr<int64_t> count = op.integer(1, "k");
  if (!input || failed(count))
    return failure();
  SmallVector<int64_t> shape(shapeOf(input));
  if (shape.empty() || *count < 1 || *count > shape.back())
    return op.malformed("takes " + Twine(*count) + " elements, must take 1 to the extent of the last axis");
  shape.back() = *count;
  RankedTensorType values = movedType(op, 0, input, shape), indices = op.resultType(1, shape);
  if (!values || !indices)
    return failure();
  auto sorted = nn::TopkV2Op::create(op.builder(), op.location(), values, indices, input, /*last_first=*/true);
  return finishAll(op, sorted.getResults());
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
  SmallVector<int64_t> shape(shapeOf(input));
  FailureOr<int64_t> width = resizedExtent(op, 1, shape[2]), height = resizedExtent(op, 2, shape[1]);
  if (failed(width) || failed(height))
    return failure();
  if (*width < 1 || *height < 1)
    return op.malformed("resizes to " + Twine(*width) + " by " + Twine(*height));
  shape = {shape[0], *height, *width, shape[3]};
  if (!movedType(op, 0, input, layoutShape(shape, *nchw)))
    return failure();
  auto type = cast<RankedTensorType>(input.getType()).clone(shape);
  auto resized = nn::ResizeOp::create(op.builder(), op.location(), type, input, kind, *corners, *centers);
  return finishImage(op, resized, *nchw);
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
