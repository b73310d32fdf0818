//===- NnShapeOps.cpp - Constants and changes of shape ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

#include "Support/AsmText.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace avocet::compiler::nn;

//===----------------------------------------------------------------------===//
// constant
//===----------------------------------------------------------------------===//

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseAttribute(value, "value", result.attributes))
    return failure();
  Type type = value.getType();
  if (succeeded(parser.parseOptionalKeyword("as")) && parser.parseType(type))
    return failure();
  result.addTypes(type);
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << ' ' << getValue();
  if (getValue().getType() != getType())
    printer << " as " << getType();
}

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  avocet::compiler::nameConstant(getOutput(), getValue(), setName);
}

LogicalResult ConstantOp::verify() {
  auto stored = cast<ShapedType>(getValue().getType());
  auto type = tensorOf(getOutput());
  if (stored.getShape() != type.getShape())
    return emitOpError() << "shape of the value is that of " << stored << ", of the result that of " << type;
  Type expected = type.getElementType();
  if (auto quantized = dyn_cast<quant::QuantizedType>(expected))
    expected = quantized.getStorageType();
  if (stored.getElementType() != expected)
    return emitOpError() << "elements of the value are " << stored.getElementType() << ", the result stores "
                         << expected;
  auto resource = dyn_cast<DenseResourceElementsAttr>(getValue());
  if (!resource)
    return success();
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob)
    return emitOpError() << "resource '" << resource.getRawHandle().getKey() << "' is not in this file";
  uint64_t bytes = type.getNumElements() * bytesOf(expected);
  if (blob->getData().size() != bytes)
    return emitOpError() << "resource '" << resource.getRawHandle().getKey() << "' has " << blob->getData().size()
                         << " bytes, the result needs " << bytes;
  return success();
}

//===----------------------------------------------------------------------===//
// reshape
//===----------------------------------------------------------------------===//

namespace {

/// Merges reshape(reshape(x)) into one reshape of x.
struct MergeReshapes : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto producer = op.getInput().getDefiningOp<ReshapeOp>();
    if (!producer)
      return rewriter.notifyMatchFailure(op, "input is not a reshape");
    rewriter.modifyOpInPlace(op, [&] { op.getInputMutable().assign(producer.getInput()); });
    return success();
  }
};

} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeReshapes>(context);
}
