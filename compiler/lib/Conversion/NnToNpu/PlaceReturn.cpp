//===- PlaceReturn.cpp - Outputs of a network -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rearrange.h"

#include "avocet/compiler/Support/ProgramAttrs.h"
#include "avocet/compiler/Support/Section.h"
#include "avocet/kernels/dsp/Rearrange.h"

using namespace mlir;
using namespace avocet::firmware;

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

/// Copies types that the array does not pool.
FailureOr<Value> copyOnDsp(Value storage, func::ReturnOp end, StringRef name, Placement &placement) {
  auto count = static_cast<uint32_t>(tensorOf(storage).getNumElements());
  Placement::Dsp dsp;
  dsp.kernel = kernels::kRearrangeKernel;
  dsp.parameters = kernels::packRearrange({false, 0, {{0, 0, 0, {{count, 1, 1}}}}});
  dsp.inputs = {storage};
  dsp.results = {storage.getType()};
  dsp.inputZeroPoints = dsp.resultZeroPoints = {0};
  dsp.layer = placement.addLayer(name, "COPY");
  FailureOr<npu::DspOp> copied = placement.dsp(end, dsp);
  if (failed(copied))
    return failure();
  return copied->getResult(0);
}

/// A max pool with windows of one element moves every type of the array unchanged.
FailureOr<Value> copy(Value storage, func::ReturnOp end, StringRef name, Placement &placement) {
  Type element = tensorOf(storage).getElementType();
  if (!element.isF32() && !element.isInteger(8))
    return copyOnDsp(storage, end, name, placement);
  PoolCommand command;
  command.kind = PoolKind::Max;
  if (element.isF32())
    command.clamp = kernels::floatActivationClamp(kernels::Activation::None);
  auto pool = npu::PoolOp::create(placement.builder(), end.getLoc(), storage.getType(), storage, command, 0, 0,
                                  placement.addLayer(name, "COPY"));
  command.input = command.output = fullMap(storage, 0);
  if (failed(placement.check(end, command)))
    return failure();
  return pool.getResult();
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
    if (isBorrowed(storage) && !(isSection(network) && isInput(storage))) {
      FailureOr<Value> copied = copy(storage, end, outputName(network, index), placement);
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
