//===- LayerTable.cpp - The layers that hints name --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerTable.h"

#include "avocet/cache/LayerNames.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/compiler/Support/Origin.h"
#include "avocet/compiler/Support/ProgramAttrs.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/JSON.h"

#include <algorithm>

using namespace mlir;

namespace avocet::compiler::schedule {

namespace {

/// Layers in a message.
constexpr size_t kMostListed = 4;

std::string firstName(const std::string &name) { return name.substr(0, name.find(';')); }

std::optional<uint32_t> layerOf(mlir::Operation &op) {
  return llvm::TypeSwitch<mlir::Operation *, std::optional<uint32_t>>(&op)
      .Case<npu::ConvOp, npu::PoolOp, npu::EltwiseOp, npu::LookupOp, npu::DspOp>(
          [](auto placed) { return uint32_t(placed.getLayer()); })
      .Default(std::nullopt);
}

} // namespace

LayerTable::LayerTable(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    const auto first = uint32_t(layers_.size());
    sections_.push_back({function.getSymName().str(), first});
    for (Attribute layer : function->getAttrOfType<ArrayAttr>(npu::NpuDialect::kLayersAttr)) {
      auto name = cast<DictionaryAttr>(layer).getAs<StringAttr>(attrs::kLayerName);
      layers_.push_back({name ? name.str() : "", {}});
    }
    for (mlir::Operation &op : function.front())
      if (const std::optional<uint32_t> layer = layerOf(op); layer && first + *layer < layers_.size()) {
        std::vector<StringRef> names;
        appendOperatorNames(op.getLoc(), names);
        for (StringRef name : names)
          layers_[first + *layer].operators.insert(name.str());
      }
  }
  std::vector<std::string> names;
  for (uint32_t i = 0; i < layers_.size(); ++i) {
    names.push_back(layers_[i].name);
    add(layers_[i].name, i);
    for (const std::string &name : layers_[i].operators)
      add(name, i);
  }
  shortNames_ = cache::shortenNames(std::move(names), SIZE_MAX);
}

void LayerTable::add(const std::string &name, uint32_t layer) {
  if (name.empty())
    return;
  exact_[name].insert(layer);
  exact_[firstName(name)].insert(layer);
}

const LayerTable::Section &LayerTable::section(uint32_t layer) const {
  return *(std::ranges::upper_bound(sections_, layer, {}, &Section::firstLayer) - 1);
}

uint32_t LayerTable::firstLayerOf(StringRef function) const {
  const auto found = std::ranges::find(sections_, function, [](const Section &of) { return StringRef(of.function); });
  return found == sections_.end() ? 0 : found->firstLayer;
}

std::string LayerTable::described(const std::set<uint32_t> &layers) const {
  std::string text;
  for (uint32_t layer : layers) {
    if (size_t(std::distance(layers.begin(), layers.find(layer))) == kMostListed)
      return text + ", ...";
    text += (text.empty() ? "" : ", ") + std::to_string(layer) + " '" + firstName(layers_[layer].name) + "'";
  }
  return text;
}

/// A layer's own name is more than that of an operator in another one, and a whole name more than a part.
std::set<uint32_t> LayerTable::layersNamed(const std::string &name) const {
  std::set<uint32_t> found;
  for (uint32_t i = 0; i < layers_.size(); ++i)
    if (layers_[i].name == name || firstName(layers_[i].name) == name)
      found.insert(i);
  if (!found.empty())
    return found;
  if (const auto exact = exact_.find(name); exact != exact_.end())
    return exact->second;
  for (const auto &[longer, layers] : exact_)
    if (longer.find(name) != std::string::npos)
      found.insert(layers.begin(), layers.end());
  return found;
}

LayerTable::Found LayerTable::find(const OperatorRef &ref) const {
  if (ref.number) {
    if (*ref.number < layers_.size())
      return {*ref.number, ""};
    return {0, "there is no layer " + std::to_string(*ref.number) + "; the network has layers 0 to " +
                   std::to_string(layers_.size() - std::min<size_t>(layers_.size(), 1))};
  }
  const std::set<uint32_t> found = layersNamed(ref.name);
  if (found.empty())
    return {0, "no operator is called " + ref.text() + "; 'avocet explain' lists the layers"};
  if (found.size() > 1)
    return {0, ref.text() + " is the name, or a part of the name, of layers " + described(found) +
                   "; give the number of one of them"};
  return {*found.begin(), ""};
}

OperatorRef LayerTable::refTo(uint32_t layer) const {
  OperatorRef ref;
  for (const std::string &name : {shortNames_[layer], firstName(layers_[layer].name), layers_[layer].name}) {
    ref.name = name;
    if (const Found found = find(ref);
        !name.empty() && llvm::json::isUTF8(name) && found.error.empty() && found.layer == layer)
      return ref;
  }
  return {"", layer, {}, 0};
}

} // namespace avocet::compiler::schedule
