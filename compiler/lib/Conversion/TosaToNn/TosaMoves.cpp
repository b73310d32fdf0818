//===- TosaMoves.cpp - Operations that move elements ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// They keep the form in which their operands were made, so that no change of type stands between operations that fuse.
//
//===----------------------------------------------------------------------===//

#include "TosaConstants.h"
#include "TosaGraph.h"

#include "Import/Common/Create.h"
#include "Import/Common/Moves.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

LogicalResult convertIdentity(TosaOperation &op, tosa::IdentityOp) { return op.finish(op.stored(0)); }

LogicalResult convertTranspose(TosaOperation &op, tosa::TransposeOp source) {
  Value input = op.stored(0);
  const SmallVector<int64_t> permutation(source.getPerms());
  return input ? op.finish(transpose(op, input, permutation)) : failure();
}

LogicalResult convertReverse(TosaOperation &op, tosa::ReverseOp source) {
  Value input = op.stored(0);
  return input ? op.finish(reverse(op, input, {source.getAxis()})) : failure();
}

LogicalResult convertSlice(TosaOperation &op, tosa::SliceOp) {
  Value input = op.stored(0);
  auto start = op.integers(1, "start"), size = op.integers(2, "size");
  if (!input || failed(start) || failed(size))
    return failure();
  for (size_t axis = 0; axis < start->size(); ++axis)
    if (const int64_t extent = shapeOf(input)[axis];
        (*start)[axis] < 0 || (*size)[axis] < 1 || (*size)[axis] > extent || (*start)[axis] > extent - (*size)[axis])
      return op.malformed("starts at " + Twine((*start)[axis]) + " with " + Twine((*size)[axis]) +
                          " elements on an axis of " + Twine(shapeOf(input)[axis]));
  return op.finish(slice(op, input, *start, *size));
}

LogicalResult convertTile(TosaOperation &op, tosa::TileOp) {
  Value input = op.stored(0);
  auto multiples = op.integers(1, "multiples");
  return input && succeeded(multiples) ? op.finish(tile(op, input, *multiples)) : failure();
}

LogicalResult convertConcat(TosaOperation &op, tosa::ConcatOp source) {
  SmallVector<Value> inputs;
  for (uint32_t position = 0; position < op.numInputs(); ++position)
    if (inputs.push_back(op.stored(position)); !inputs.back())
      return failure();
  const bool haveOneForm = llvm::all_of(inputs, [&](Value input) { return elementOf(input) == elementOf(inputs[0]); });
  if (!haveOneForm)
    for (uint32_t position = 0; position < op.numInputs(); ++position)
      inputs[position] = op.plain(position);
  return op.finish(concatenate(op, inputs, source.getAxis()));
}

LogicalResult convertPad(TosaOperation &op, tosa::PadOp source) {
  Value input = op.stored(0);
  auto amounts = op.integers(1, "padding");
  Attribute value;
  if (!input || failed(amounts))
    return failure();
  if (!matchPattern(source.getPadConst(), m_Constant(&value)))
    return op.refuse("pad_const", "is constant", "a computed tensor");
  Amounts each;
  for (size_t axis = 0; 2 * axis < amounts->size(); ++axis) {
    each.low.push_back((*amounts)[2 * axis]);
    each.high.push_back((*amounts)[2 * axis + 1]);
  }
  for (int64_t amount : *amounts)
    if (amount < 0)
      return op.refuse("padding", "is not negative", Twine(amount));
  double number = 0;
  if (auto floats = dyn_cast<DenseFPElementsAttr>(value)) {
    APFloat element = *floats.getValues<APFloat>().begin();
    bool losesInfo = false;
    element.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    number = element.convertToDouble();
  } else {
    const bool isTruth = elementOf(input).isInteger(1);
    const auto integers = knownIntegers(op.import(), source.getPadConst());
    if (!integers)
      return op.refuse("pad_const", "is written in the text", "a resource");
    number = static_cast<double>(isTruth ? integers->front() & 1 : integers->front());
  }
  return op.finish(pad(op, input, each, number));
}

/// Writers of TOSA leave some operations of the dialect tensor between those of TOSA.
LogicalResult convertExtractSlice(TosaOperation &op, tensor::ExtractSliceOp source) {
  const auto areKnown = [](ArrayRef<int64_t> numbers) { return !llvm::is_contained(numbers, ShapedType::kDynamic); };
  if (!areKnown(source.getStaticOffsets()) || !areKnown(source.getStaticSizes()) ||
      !areKnown(source.getStaticStrides()))
    return op.refuse("offsets, sizes and strides", "are constant", "computed ones");
  Value input = op.stored(0);
  Value part =
      input ? slice(op, input, source.getStaticOffsets(), source.getStaticSizes(), source.getStaticStrides()) : Value();
  return part ? op.finish(reshape(op, part, op.resultShape())) : failure();
}

template <typename Source> LogicalResult convertShapeChange(TosaOperation &op, Source) {
  Value input = op.stored(0);
  return input ? op.finish(reshape(op, input, op.resultShape())) : failure();
}

constexpr TosaConverter kConverters[] = {
    kConverts<convertExtractSlice>,
    kConverts<convertShapeChange<tensor::ExpandShapeOp>>,
    kConverts<convertShapeChange<tensor::CollapseShapeOp>>,
    kConverts<convertShapeChange<tosa::ReshapeOp>>,
    kConverts<convertConcat>,
    kConverts<convertIdentity>,
    kConverts<convertPad>,
    kConverts<convertReverse>,
    kConverts<convertSlice>,
    kConverts<convertTile>,
    kConverts<convertTranspose>,
};

} // namespace

ArrayRef<TosaConverter> tosaMoveConverters() { return kConverters; }

} // namespace avocet::compiler
