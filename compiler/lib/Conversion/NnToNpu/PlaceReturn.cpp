//===- PlaceReturn.cpp - Outputs of a network -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Views.h"

#include "avocet/compiler/Support/ProgramAttrs.h"
#include "avocet/compiler/Support/Section.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Whether the bytes are those of a network input or of a constant.
bool isBorrowed(Value storage) {
  while (auto view = storage.getDefiningOp<npu::ViewOp>())
    storage = view.getInput();
  return isa<BlockArgument>(storage) || storage.getDefiningOp<npu::ConstantOp>();
}

/// Between sections inputs are passed on unchanged: the scheduler copies from region to region, in any type and size.
bool isInput(Value storage) {
  while (auto view = storage.getDefiningOp<npu::ViewOp>())
    storage = view.getInput();
  return isa<BlockArgument>(storage);
}

StringRef outputName(func::FuncOp network, unsigned index) {
  auto name = network.getResultAttrOfType<StringAttr>(index, attrs::kOperandName);
  return name ? name.getValue() : StringRef();
}

} // namespace

LogicalResult placeReturn(func::FuncOp network, func::ReturnOp end, Placement &placement) {
  SmallVector<Value> results;
  for (auto [index, value] : llvm::enumerate(end.getOperands())) {
    Value storage = placement.operand(value);
    const bool isCopied = isBorrowed(storage) && !(isSection(network) && isInput(storage));
    if (isCopied || placement.layouts().isInside(storage)) {
      FailureOr<Value> copied =
          placeCopy(end, storage, placement.addLayer(outputName(network, index), "COPY"), placement);
      if (failed(copied))
        return failure();
      storage = *copied;
    }
    results.push_back(storage);
  }
  func::ReturnOp::create(placement.builder(), end.getLoc(), results);
  return success();
}

} // namespace avocet::compiler
