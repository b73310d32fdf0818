//===- VerifyPlaced.cpp - Contract of placed modules ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifyUnits.h"

#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/compiler/Schedule/Schedule.h"
#include "avocet/compiler/Schedule/SchedulePasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace avocet::compiler {

#define GEN_PASS_DEF_VERIFYPLACEDPASS
#include "avocet/compiler/Schedule/SchedulePasses.h.inc"

namespace {

bool isStorage(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getRank() == 3 && npu::dataTypeOf(tensor.getElementType());
}

LogicalResult checkSignature(func::FuncOp function) {
  for (Type type : function.getArgumentTypes())
    if (!isStorage(type) || cast<RankedTensorType>(type).getNumElements() == 0)
      return function.emitError() << "argument type " << type << " is no storage tensor of rank 3";
  for (Type type : function.getResultTypes())
    if (!isStorage(type))
      return function.emitError() << "result type " << type << " is no storage tensor of rank 3";
  return success();
}

LogicalResult checkLayers(func::FuncOp function) {
  auto layers = function->getAttrOfType<ArrayAttr>(npu::NpuDialect::kLayersAttr);
  if (!layers || !llvm::all_of(layers, [](Attribute entry) { return isa<DictionaryAttr>(entry); }))
    return function.emitError() << "needs " << npu::NpuDialect::kLayersAttr << ", an array of dictionaries";
  for (Operation &op : function.front())
    if (auto layer = op.getAttrOfType<IntegerAttr>("layer"); layer && layer.getInt() >= int64_t(layers.size()))
      return op.emitOpError() << "layer is " << layer.getInt() << ", must be below " << layers.size();
  return success();
}

LogicalResult verifyPlacedFunction(func::FuncOp function) {
  if (function.getBody().getBlocks().size() != 1)
    return function.emitError("a placed function has one block");
  if (failed(checkSignature(function)) || failed(checkLayers(function)))
    return failure();
  for (Operation &op : function.front())
    if (!isa<npu::ConstantOp, npu::ViewOp, npu::JoinOp, npu::PartOp, npu::ConvOp, npu::PoolOp, npu::EltwiseOp,
             npu::LookupOp, npu::DspOp, func::ReturnOp>(op))
      return op.emitOpError("is not allowed at the placed level");
  return success();
}

struct VerifyPlaced : impl::VerifyPlacedPassBase<VerifyPlaced> {
  void runOnOperation() override {
    if (failed(verifyPlaced(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult verifyPlaced(ModuleOp module) {
  if (failed(checkUnits<func::FuncOp>(module, "placed")))
    return failure();
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(verifyPlacedFunction(function)))
      return failure();
  return success();
}

} // namespace avocet::compiler
