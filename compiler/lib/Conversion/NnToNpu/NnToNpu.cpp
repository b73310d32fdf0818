//===- NnToNpu.cpp - Phase place: from nn to npu ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Conversion/ConversionPasses.h"

#include "FuseResiduals.h"
#include "FuseTables.h"
#include "LayerBounds.h"
#include "NetworkConstants.h"
#include "Placement.h"
#include "PlacementRemarks.h"
#include "ShareConstants.h"
#include "SplitChannels.h"
#include "SplitRows.h"

#include "avocet/compiler/Dialect/Nn/NnRank.h"
#include "avocet/compiler/Support/Cancel.h"
#include "avocet/compiler/Support/ProgramAttrs.h"
#include "avocet/compiler/Support/Section.h"

using namespace mlir;

namespace avocet::compiler {

#define GEN_PASS_DEF_CONVERTNNTONPUPASS
#include "avocet/compiler/Conversion/ConversionPasses.h.inc"

namespace {

// One line each, to avoid merge conflicts between branches that add families.
// clang-format off
constexpr void (*kFamilies[])(PlacerTable &) = {
    addCellPlacers,
    addConvPlacers,
    addDetectionPlacers,
    addElementwisePlacers,
    addLookupPlacers,
    addLstmPlacers,
    addMatrixProductPlacers,
    addMovePlacers,
    addNormalizePlacers,
    addPadPlacers,
    addPoolPlacers,
    addQuantizePlacers,
    addReducePlacers,
    addSignalPlacers,
    addUnaryPlacers,
};
// clang-format on

SmallVector<Type> storageTypes(TypeRange types) {
  return llvm::map_to_vector(types, [](Type type) -> Type { return storageType(cast<RankedTensorType>(type)); });
}

/// Creates a function with the network's signature in storage types; arguments and results keep their attributes.
func::FuncOp createPlacedFunction(OpBuilder &builder, func::FuncOp network) {
  auto type = builder.getFunctionType(storageTypes(network.getArgumentTypes()), storageTypes(network.getResultTypes()));
  auto placed = func::FuncOp::create(builder, network.getLoc(), network.getName(), type);
  for (unsigned index = 0; index < network.getNumArguments(); ++index) {
    placed.setArgAttrs(index, function_interface_impl::getArgAttrs(network, index));
    placed.setArgAttr(index, attrs::kNetworkType, TypeAttr::get(network.getArgumentTypes()[index]));
  }
  for (unsigned index = 0; index < network.getNumResults(); ++index) {
    placed.setResultAttrs(index, function_interface_impl::getResultAttrs(network, index));
    placed.setResultAttr(index, attrs::kNetworkType, TypeAttr::get(network.getResultTypes()[index]));
  }
  Block *body = placed.addEntryBlock();
  for (auto [from, to] : llvm::zip(network.getArguments(), body->getArguments()))
    to.setLoc(from.getLoc());
  builder.setInsertionPointToStart(body);
  return placed;
}

/// Binds stand-ins as the results of a failed operation, so that later operations are still checked.
void bindStandIns(Operation &op, Placement &placement) {
  for (Value result : op.getResults()) {
    auto standIn = UnrealizedConversionCastOp::create(placement.builder(), op.getLoc(),
                                                      TypeRange(storageType(tensorOf(result))), ValueRange());
    placement.bind(result, standIn.getResult(0));
  }
}

/// Not every kernel limits the size of its operands.
LogicalResult checkSizes(Operation &op, Placement &placement) {
  constexpr uint64_t kMaxBytes = uint64_t(1) << 31;
  for (ValueRange values : {ValueRange(op.getOperands()), ValueRange(op.getResults())})
    for (Value value : values) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      auto stored = type ? npu::dataTypeOf(storageElement(type.getElementType())) : std::nullopt;
      if (!stored || !nn::hasBoundedShape(type))
        continue;
      const uint64_t bytes = static_cast<uint64_t>(type.getNumElements()) * firmware::sizeOf(*stored);
      if (bytes > kMaxBytes)
        return placement.refuse(&op, "", "tensors of at most 2^31 bytes", Twine(bytes));
    }
  return success();
}

/// Reshapes and constants, which compute nothing, may have any rank of the dialect.
LogicalResult checkRanks(Operation &op, Placement &placement) {
  if (isa<func::ReturnOp, nn::ConstantOp, nn::ReshapeOp>(op))
    return success();
  for (TypeRange types : {TypeRange(op.getOperandTypes()), TypeRange(op.getResultTypes())})
    for (Type type : types)
      if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && tensor.getRank() > nn::kMaxDeviceRank)
        return placement.refuse(&op, "", "rank of a tensor", Twine(tensor.getRank()), Twine(nn::kMaxDeviceRank));
  return success();
}

LogicalResult placeOperation(func::FuncOp network, Operation &op, Placement &placement) {
  if (failed(checkSizes(op, placement)) || failed(checkRanks(op, placement)))
    return failure();
  if (auto end = dyn_cast<func::ReturnOp>(op))
    return placeReturn(network, end, placement);
  const Placer *place = placerTable().find(op.getName().getStringRef());
  if (place)
    return (*place)(&op, placement);
  return placement.refuse(&op, "", "an operation that the device has", operationName(&op));
}

LogicalResult checkSignature(func::FuncOp network) {
  if (!network.getBody().hasOneBlock())
    return network.emitError("a network's function must have one block");
  for (TypeRange types : {TypeRange(network.getArgumentTypes()), TypeRange(network.getResultTypes())})
    for (Type type : types)
      if (!nn::hasBoundedShape(type))
        return network.emitError() << "operand type " << type << " is no tensor of 1 to 2^31 - 1 elements";
      else if (!npu::dataTypeOf(storageElement(cast<RankedTensorType>(type).getElementType())))
        return network.emitError() << "operand type " << type << " has elements that the device cannot store";
  return success();
}

/// Operations may read what made a value in another shape, instead of the value that was made for its type.
void eraseUnusedViews(func::FuncOp placed) {
  SmallVector<npu::ViewOp> views(placed.front().getOps<npu::ViewOp>());
  for (npu::ViewOp view : llvm::reverse(views))
    if (view.use_empty())
      view.erase();
}

/// `constants` is null if they are not freed.
LogicalResult placeFunction(func::FuncOp network, const firmware::Target &target, ConstantContents contents,
                            NetworkConstants *constants) {
  OpBuilder builder(network);
  func::FuncOp placed = createPlacedFunction(builder, network);
  Placement placement(builder, target, contents, constants, network.front());
  for (auto [from, to] : llvm::zip(network.getArguments(), placed.getArguments()))
    placement.bind(from, to);
  LayerBounds bounds(target, network.front());
  PlacementRemarks remarks(placed.front());
  bool complete = true;
  for (Operation &op : network.front())
    if (isCancelled()) {
      complete = false;
      break;
    } else if (failed(placeOperation(network, op, placement))) {
      complete = false;
      bindStandIns(op, placement);
    } else {
      placement.describeLayer(&op, bounds.of(&op));
      remarks.emitFor(&op);
      if (constants)
        constants->release(op);
    }
  if (!complete) {
    placed.erase();
    return failure();
  }
  placed->setAttr(npu::NpuDialect::kLayersAttr, placement.layers());
  eraseUnusedViews(placed);
  fuseTables(placed, target);
  fuseResiduals(placed, target);
  splitChannels(placed, placement);
  splitRows(placed, placement);
  shareConstants(placed);
  copySection(network, placed);
  network.erase();
  return success();
}

struct ConvertNnToNpu : impl::ConvertNnToNpuPassBase<ConvertNnToNpu> {
  using ConvertNnToNpuPassBase::ConvertNnToNpuPassBase;
  ConvertNnToNpu() = default;
  ConvertNnToNpu(TargetPtr target, ConstantContents contents) : given_(std::move(target)), contents_(contents) {}

  void runOnOperation() override {
    TargetPtr target = passTarget(getOperation(), given_, targetName);
    if (!target || failed(convertNnToNpu(getOperation(), *target, contents_)))
      signalPassFailure();
  }

private:
  TargetPtr given_;
  ConstantContents contents_ = ConstantContents::Written;
};

} // namespace

const PlacerTable &placerTable() {
  static const PlacerTable kAll = [] {
    PlacerTable table;
    for (auto *add : kFamilies)
      add(table);
    return table;
  }();
  return kAll;
}

LogicalResult convertNnToNpu(ModuleOp module, const firmware::Target &target, ConstantContents contents) {
  SmallVector<func::FuncOp> networks(module.getOps<func::FuncOp>());
  bool complete = true;
  for (func::FuncOp network : networks)
    complete &= succeeded(checkSignature(network));
  if (!complete)
    return failure();
  if (contents != ConstantContents::Omitted)
    llvm::for_each(networks, shareConstants);
  std::optional<NetworkConstants> constants;
  if (contents == ConstantContents::Moved)
    constants.emplace(module);
  for (func::FuncOp network : networks)
    complete &= succeeded(placeFunction(network, target, contents, constants ? &*constants : nullptr));
  return success(complete);
}

std::unique_ptr<Pass> createConvertNnToNpuPass(TargetPtr target, bool freesConstants) {
  return std::make_unique<ConvertNnToNpu>(std::move(target),
                                          freesConstants ? ConstantContents::Moved : ConstantContents::Written);
}

} // namespace avocet::compiler
