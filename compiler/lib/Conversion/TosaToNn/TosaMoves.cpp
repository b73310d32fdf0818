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
  return op.finish(transpose(op, op.stored(0), SmallVector<int64_t>(source.getPerms())));
}

LogicalResult convertReverse(TosaOperation &op, tosa::ReverseOp source) {
  return op.finish(reverse(op, op.stored(0), {source.getAxis()}));
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
  auto multiples = op.integers(1, "multiples");
  return succeeded(multiples) ? op.finish(tile(op, op.stored(0), *multiples)) : failure();
}

LogicalResult convertConcat(TosaOperation &op, tosa::ConcatOp source) {
  SmallVector<Value> inputs;
  for (uint32_t position = 0; position < op.numInputs(); ++position)
    if (inputs.push_back(op.stored(position)); !inputs.back())
      return failure();
  const bool haveOneForm = llvm::all_of(inputs, [&](Value input) { return elementOf(input) == elementOf(inputs[0]); });
  FailureOr<SmallVector<Value>> plain = haveOneForm ? inputs : op.plainValues();
  return succeeded(plain) ? op.finish(concatenate(op, *plain, source.getAxis())) : failure();
}

/// The number of which a constant consists.
FailureOr<double> padNumber(TosaOperation &op, tosa::PadOp source) {
  DenseFPElementsAttr floats;
  if (matchPattern(source.getPadConst(), m_Constant(&floats)))
    return FloatAttr::get(floats.getElementType(), *floats.getValues<APFloat>().begin()).getValueAsDouble();
  FailureOr<int64_t> integer = op.integer(2, "pad_const");
  if (failed(integer))
    return failure();
  return static_cast<double>(op.operandElement(0).isInteger(1) ? *integer & 1 : *integer);
}

LogicalResult convertPad(TosaOperation &op, tosa::PadOp source) {
  auto amounts = op.integers(1, "padding");
  FailureOr<double> number = padNumber(op, source);
  if (failed(amounts) || failed(number))
    return failure();
  Amounts each;
  for (auto [place, amount] : llvm::enumerate(*amounts)) {
    if (amount < 0)
      return op.refuse("padding", "is not negative", Twine(amount));
    (place % 2 == 0 ? each.low : each.high).push_back(amount);
  }
  const double filling = *number;
  return op.finish(pad(op, op.stored(0), each, filling));
}

/// Writers of TOSA leave some operations of the dialect tensor between those of TOSA.
LogicalResult convertExtractSlice(TosaOperation &op, tensor::ExtractSliceOp source) {
  if (op.numInputs() > 1)
    return op.refuse("offsets, sizes and strides", "are constant", "computed ones");
  Value part = slice(op, op.stored(0), source.getStaticOffsets(), source.getStaticSizes(), source.getStaticStrides());
  return op.finish(reshape(op, part, op.resultShape()));
}

template <typename Source> LogicalResult convertShapeChange(TosaOperation &op, Source) {
  return op.finish(reshape(op, op.stored(0), op.resultShape()));
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
