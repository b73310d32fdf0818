//===- ProgramDescription.cpp - Tables of a scheduled program ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramDescription.h"

#include "avocet/compiler/Conversion/NpuToCmd.h"
#include "avocet/compiler/Support/ProgramAttrs.h"
#include "avocet/firmware_iface/Reflection.h"
#include "avocet/kernels/Roofline.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

std::string textOf(DictionaryAttr dictionary, StringRef name) {
  auto text = dictionary.getAs<StringAttr>(name);
  return text ? text.getValue().str() : "";
}

uint64_t numberOf(DictionaryAttr dictionary, StringRef name) {
  auto number = dictionary.getAs<IntegerAttr>(name);
  return number ? static_cast<uint64_t>(number.getInt()) : 0;
}

firmware::EngineKind engineOf(DictionaryAttr dictionary) {
  std::string text = textOf(dictionary, attrs::kLayerEngine);
  auto names = firmware::valueNames(firmware::EngineKind{});
  auto found = llvm::find(names, std::string_view(text));
  return found == names.end() ? firmware::EngineKind::Dma : static_cast<firmware::EngineKind>(found - names.begin());
}

std::vector<cache::Layer> layersOf(npu::ProgramOp program) {
  std::vector<cache::Layer> layers;
  for (auto entry : program.getLayers().getAsRange<DictionaryAttr>()) {
    cache::Layer layer;
    layer.name = textOf(entry, attrs::kLayerName);
    layer.operation = textOf(entry, attrs::kLayerOp);
    layer.engine = engineOf(entry);
    layer.macs = numberOf(entry, attrs::kLayerMacs);
    layer.rooflineCycles = numberOf(entry, attrs::kLayerRooflineCycles);
    layer.weightBytes = numberOf(entry, attrs::kLayerWeightBytes);
    layer.inputBytes = numberOf(entry, attrs::kLayerInputBytes);
    layer.outputBytes = numberOf(entry, attrs::kLayerOutputBytes);
    layers.push_back(std::move(layer));
  }
  return layers;
}

/// In the order of npu::regionOf. Scratch stands last and may be left out.
std::vector<cache::Region> regionsOf(npu::ProgramOp program, const cache::ModelDescription &model) {
  std::vector<cache::Region> regions;
  for (auto [index, operand] : llvm::enumerate(model.inputs))
    regions.push_back({cache::RegionKind::Input, static_cast<uint32_t>(index), operand.bytes});
  for (auto [index, operand] : llvm::enumerate(model.outputs))
    regions.push_back({cache::RegionKind::Output, static_cast<uint32_t>(index), operand.bytes});
  regions.push_back({cache::RegionKind::Constants, 0, *program.getConstantsBytes()});
  if (*program.getScratchBytes() > 0)
    regions.push_back({cache::RegionKind::Scratch, 0, *program.getScratchBytes()});
  return regions;
}

uint64_t networkBound(const firmware::Target &target, const cache::ModelDescription &model) {
  uint64_t cycles = 0, bytes = 0;
  for (const cache::Layer &layer : model.layers) {
    cycles += layer.rooflineCycles;
    bytes += layer.weightBytes;
  }
  for (const auto *operands : {&model.inputs, &model.outputs})
    for (const cache::Operand &operand : *operands)
      bytes += operand.bytes;
  return kernels::rooflineCycles(target, cycles, bytes);
}

std::string modelNameOf(npu::ProgramOp program) {
  if (auto module = program->getParentOfType<ModuleOp>())
    if (auto name = module->getAttrOfType<StringAttr>(attrs::kModel))
      return name.getValue().str();
  return program.getSymName().str();
}

} // namespace

std::vector<cache::MemoryEntry> memoryPlanOf(npu::ProgramOp program) {
  llvm::DenseMap<Operation *, size_t> entryOf;
  std::vector<cache::MemoryEntry> plan;
  std::vector<bool> used;
  uint32_t step = 0;
  for (Operation &op : program.getBody().front()) {
    if (auto buffer = dyn_cast<npu::BufferOp>(op)) {
      npu::BufferAddress address = npu::addressOf(program, buffer.getResult());
      entryOf[&op] = plan.size();
      StringRef name = buffer.getName().value_or(npu::stringifySpace(buffer.getSpace()));
      plan.push_back({name.str(), address.region, address.offset, buffer.getBytes(), 0, 0});
      used.push_back(false);
      continue;
    }
    for (Value operand : op.getOperands()) {
      size_t index = entryOf.at(operand.getDefiningOp());
      plan[index].firstStep = used[index] ? plan[index].firstStep : step;
      plan[index].lastStep = step;
      used[index] = true;
    }
    ++step;
  }
  return plan;
}

FailureOr<cache::ModelDescription> describeProgram(npu::ProgramOp program, const firmware::Target &target) {
  cache::ModelDescription model;
  model.compilerVersion = compilerVersion().str();
  model.modelName = modelNameOf(program);
  model.targetName = target.name();
  model.targetFingerprint = target.fingerprint();
  if (failed(describeOperands(program, program.getInputs(), model.inputs)) ||
      failed(describeOperands(program, program.getOutputs(), model.outputs)))
    return failure();
  model.regions = regionsOf(program, model);
  model.layers = layersOf(program);
  model.memoryPlan = memoryPlanOf(program);
  model.dataBytes = *program.getConstantsBytes();
  model.sramPeakBytes = *program.getSramBytes();
  model.rooflineCycles = networkBound(target, model);
  return model;
}

} // namespace avocet::compiler
