//===- ProgramDescription.cpp - Tables of a scheduled program ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramDescription.h"

#include "avocet/compiler/Conversion/NpuToCmd.h"
#include "avocet/compiler/Support/Origin.h"
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

void appendLayers(npu::ProgramOp program, std::vector<cache::Layer> &layers) {
  for (auto entry : program.getLayers().getAsRange<DictionaryAttr>()) {
    cache::Layer layer;
    layer.name = textOf(entry, attrs::kLayerName);
    layer.operation = textOf(entry, attrs::kLayerOp);
    layer.engine = engineOf(entry);
    layer.macs = numberOf(entry, attrs::kLayerMacs);
    layer.computeCycles = numberOf(entry, attrs::kLayerComputeCycles);
    layer.rooflineCycles = numberOf(entry, attrs::kLayerRooflineCycles);
    layer.weightBytes = numberOf(entry, attrs::kLayerWeightBytes);
    layer.inputBytes = numberOf(entry, attrs::kLayerInputBytes);
    layer.outputBytes = numberOf(entry, attrs::kLayerOutputBytes);
    layers.push_back(std::move(layer));
  }
}

/// In the order of npu::regionOf. Scratch is last and omitted if empty.
std::vector<cache::Region> regionsOf(uint64_t scratchBytes, const cache::ModelDescription &model) {
  std::vector<cache::Region> regions;
  for (auto [index, operand] : llvm::enumerate(model.inputs))
    regions.push_back({cache::RegionKind::Input, static_cast<uint32_t>(index), operand.bytes});
  for (auto [index, operand] : llvm::enumerate(model.outputs))
    regions.push_back({cache::RegionKind::Output, static_cast<uint32_t>(index), operand.bytes});
  regions.push_back({cache::RegionKind::Constants, 0, model.dataBytes});
  if (scratchBytes > 0)
    regions.push_back({cache::RegionKind::Scratch, 0, scratchBytes});
  return regions;
}

/// Computation, or everything that must cross the off-chip port once.
uint64_t networkBound(const firmware::Target &target, const cache::ModelDescription &model) {
  uint64_t cycles = 0, bytes = 0;
  for (const cache::Layer &layer : model.layers) {
    cycles += layer.computeCycles;
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

void appendMemoryPlan(npu::ProgramOp program, uint32_t &step, std::vector<cache::MemoryEntry> &plan) {
  llvm::DenseMap<Operation *, size_t> entryOf;
  std::vector<bool> used(plan.size(), true);
  for (Operation &op : program.getBody().front()) {
    if (auto buffer = dyn_cast<npu::BufferOp>(op)) {
      npu::BufferAddress address = npu::addressOf(program, buffer.getResult());
      entryOf[&op] = plan.size();
      StringRef name = buffer.getName().value_or(npu::stringifySpace(buffer.getSpace()));
      const auto origin = placedOriginOf(buffer->getLoc());
      plan.push_back({name.str(), address.region, address.offset, buffer.getBytes(), step, step,
                      origin ? origin->operation : cache::kNoSource});
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
}

FailureOr<cache::ModelDescription> describeNetwork(llvm::ArrayRef<npu::ProgramOp> programs, cmd::ControlOp control,
                                                   const firmware::Target &target) {
  npu::ProgramOp program = programs.front();
  ArrayAttr inputs = control ? control.getInputsAttr() : program.getInputs();
  ArrayAttr outputs = control ? control.getOutputsAttr() : program.getOutputs();
  if (!inputs || !outputs)
    return control.emitOpError("does not describe the operands of the network");
  cache::ModelDescription model;
  model.compilerVersion = compilerVersion().str();
  model.modelName = modelNameOf(program);
  model.targetName = target.name();
  model.targetFingerprint = target.fingerprint();
  if (failed(describeOperands(program, inputs, model.inputs)) ||
      failed(describeOperands(program, outputs, model.outputs)))
    return failure();
  uint64_t scratchBytes = 0;
  uint32_t step = 0;
  for (npu::ProgramOp section : programs) {
    appendLayers(section, model.layers);
    appendMemoryPlan(section, step, model.memoryPlan);
    model.dataBytes = std::max(model.dataBytes, *section.getConstantsBytes());
    model.sramPeakBytes = std::max(model.sramPeakBytes, *section.getSramBytes());
    scratchBytes = std::max(scratchBytes, *section.getScratchBytes());
  }
  if (recordsOrigins(program))
    describeSources(programs, model);
  model.regions = regionsOf(scratchBytes, model);
  model.rooflineCycles = networkBound(target, model);
  return model;
}

} // namespace avocet::compiler
