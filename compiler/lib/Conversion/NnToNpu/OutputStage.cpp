//===- OutputStage.cpp - Work for the output stage of the array -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputStage.h"

#include "Storage.h"

#include "avocet/compiler/Support/ProgramAttrs.h"
#include "avocet/kernels/Roofline.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace avocet::compiler {

firmware::ConvCommand wholeCommand(npu::ConvOp conv, firmware::ConvCommand command) {
  command.input = fullMap(conv.getInput(), command.input.zeroPoint);
  command.output = fullMap(conv.getResult(), command.output.zeroPoint);
  const RankedTensorType weights = tensorOf(conv.getWeights());
  const int64_t sets = weights.getRank() > 1 ? weights.getDimSize(0) : 1;
  command.weightBytes = static_cast<uint32_t>(weights.getNumElements() / sets);
  if (conv.getDynamicScale())
    command.dynamicScale = 0;
  return command;
}

template <typename F> static void forEachPlaced(func::FuncOp function, F &&f) {
  for (Operation &op : function.front())
    llvm::TypeSwitch<Operation *>(&op).Case<npu::ConvOp, npu::PoolOp, npu::EltwiseOp, npu::LookupOp, npu::DspOp>(f);
}

JoinedLayers::JoinedLayers(func::FuncOp placed, const firmware::Target &target)
    : placed_(placed), target_(target),
      layers_(placed->getAttrOfType<ArrayAttr>(npu::NpuDialect::kLayersAttr).getValue()),
      operations_(layers_.size(), 0) {
  forEachPlaced(placed, [&](auto op) { ++operations_[op.getLayer()]; });
}

void JoinedLayers::join(uint32_t conv, uint32_t other) {
  if (--operations_[other] > 0) // one of several operations of a layer, maybe the convolution's own
    return;
  const auto from = cast<DictionaryAttr>(layers_[other]);
  NamedAttrList entry(cast<DictionaryAttr>(layers_[conv]));
  joinNames(entry, from);
  addFigures(entry, from);
  layers_[conv] = entry.getDictionary(placed_.getContext());
  layers_[other] = {};
}

/// "conv1 + sum" and "CONV_2D + ADD"; both operations may be parts of one operator of the file, which keeps its
/// names.
void JoinedLayers::joinNames(NamedAttrList &entry, DictionaryAttr from) {
  constexpr StringRef kFields[] = {attrs::kLayerName, attrs::kLayerOp};
  if (llvm::all_of(kFields, [&](StringRef field) { return entry.get(field) == from.get(field); }))
    return;
  for (StringRef field : kFields) {
    const StringRef first = cast<StringAttr>(entry.get(field)).getValue();
    entry.set(field, StringAttr::get(placed_.getContext(), first + " + " + from.getAs<StringAttr>(field).getValue()));
  }
}

void JoinedLayers::addFigures(NamedAttrList &entry, DictionaryAttr from) {
  const auto valueOf = [](Attribute number) {
    return number ? static_cast<uint64_t>(cast<IntegerAttr>(number).getInt()) : 0;
  };
  const auto both = [&](StringRef field) { return std::pair(valueOf(entry.get(field)), valueOf(from.get(field))); };
  const auto [macs, addMacs] = both(attrs::kLayerMacs);
  const auto [compute, addCompute] = both(attrs::kLayerComputeCycles);
  const auto [device, addDevice] = both(attrs::kLayerDeviceCycles);
  const auto [bytes, addBytes] = both(attrs::kLayerWeightBytes);
  const uint64_t longer = std::max(compute, addCompute);
  set(entry, attrs::kLayerMacs, macs + addMacs);
  set(entry, attrs::kLayerComputeCycles, longer);
  set(entry, attrs::kLayerDeviceCycles, std::max(device, addDevice));
  set(entry, attrs::kLayerWeightBytes, bytes + addBytes);
  set(entry, attrs::kLayerRooflineCycles, kernels::rooflineCycles(target_, longer, bytes + addBytes));
}

void JoinedLayers::set(NamedAttrList &entry, StringRef field, uint64_t value) {
  if (value > 0)
    entry.set(field, Builder(placed_.getContext()).getI64IntegerAttr(static_cast<int64_t>(value)));
}

void JoinedLayers::write() {
  if (!llvm::is_contained(layers_, Attribute()))
    return;
  SmallVector<Attribute> kept;
  SmallVector<int32_t> numbers;
  for (Attribute entry : layers_) {
    numbers.push_back(static_cast<int32_t>(kept.size()));
    if (entry)
      kept.push_back(entry);
  }
  placed_->setAttr(npu::NpuDialect::kLayersAttr, ArrayAttr::get(placed_.getContext(), kept));
  forEachPlaced(placed_, [&](auto op) { op.setLayer(numbers[op.getLayer()]); });
}

} // namespace avocet::compiler
