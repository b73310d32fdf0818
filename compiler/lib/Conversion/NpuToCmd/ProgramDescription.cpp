//===- ProgramDescription.cpp - Tables of a scheduled program ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramDescription.h"

#include "Schedule/Schedule.h"
#include "avocet/compiler/Conversion/ConversionPasses.h"
#include "avocet/compiler/Support/Origin.h"
#include "avocet/compiler/Support/ProgramAttrs.h"
#include "avocet/firmware_iface/Reflection.h"
#include "avocet/kernels/DeviceBound.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "llvm/ADT/DenseSet.h"

#include <algorithm>

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
    layer.group = textOf(entry, attrs::kLayerGroup);
    layer.engine = engineOf(entry);
    layer.macs = numberOf(entry, attrs::kLayerMacs);
    layer.computeCycles = numberOf(entry, attrs::kLayerComputeCycles);
    layer.deviceCycles = numberOf(entry, attrs::kLayerDeviceCycles);
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

/// The bounds of the network: computation, or everything that must cross the off-chip port once.
void setBounds(const firmware::Target &target, uint64_t unreadBytes, cache::ModelDescription &model) {
  uint64_t computeCycles = 0, bytes = 0;
  std::vector<kernels::BoundedOperation> operations;
  for (const cache::Layer &layer : model.layers) {
    computeCycles += layer.computeCycles;
    operations.push_back({layer.deviceCycles, layer.weightBytes, layer.macs > 0});
    bytes += layer.weightBytes;
  }
  for (const auto *operands : {&model.inputs, &model.outputs})
    for (const cache::Operand &operand : *operands)
      bytes += operand.bytes;
  model.leastDramBytes = bytes - unreadBytes;
  model.rooflineCycles = kernels::rooflineCycles(target, computeCycles, model.leastDramBytes);
  model.deviceCycles = std::max(model.rooflineCycles, kernels::deviceBound(target, operations, model.leastDramBytes));
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
  uint64_t scratchBytes = 0, unreadBytes = 0;
  uint32_t step = 0;
  for (npu::ProgramOp section : programs) {
    appendLayers(section, model.layers);
    for (auto entry : section.getLayers().getAsRange<DictionaryAttr>())
      unreadBytes += numberOf(entry, attrs::kLayerUnreadBytes);
    appendMemoryPlan(section, step, model.memoryPlan);
    model.dataBytes = std::max(model.dataBytes, *section.getConstantsBytes());
    model.sramPeakBytes = std::max(model.sramPeakBytes, *section.getSramBytes());
    scratchBytes = std::max(scratchBytes, *section.getScratchBytes());
  }
  if (recordsOrigins(program))
    describeSources(programs, model);
  model.regions = regionsOf(scratchBytes, model);
  setBounds(target, unreadBytes, model);
  return model;
}

namespace {

cache::Quantization quantizationOf(Type element) {
  cache::Quantization result;
  if (auto perTensor = dyn_cast<quant::UniformQuantizedType>(element)) {
    result.scales = {static_cast<float>(perTensor.getScale())};
    result.zeroPoints = {static_cast<int32_t>(perTensor.getZeroPoint())};
  } else if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(element)) {
    for (double scale : perAxis.getScales())
      result.scales.push_back(static_cast<float>(scale));
    for (int64_t zeroPoint : perAxis.getZeroPoints())
      result.zeroPoints.push_back(static_cast<int32_t>(zeroPoint));
    result.axis = perAxis.getQuantizedDimension();
  }
  return result;
}

/// The element type as stored; quantized types contain it.
std::optional<firmware::DataType> storedTypeOf(Type element) {
  auto type = dyn_cast<quant::QuantizedType>(element);
  if (!type)
    return npu::dataTypeOf(element);
  auto sign = type.isSigned() ? IntegerType::Signless : IntegerType::Unsigned;
  return npu::dataTypeOf(IntegerType::get(element.getContext(), type.getStorageTypeIntegralWidth(), sign));
}

/// The operand's type in the network; a module written by hand may have only the storage tensor.
RankedTensorType networkTypeOf(DictionaryAttr dictionary) {
  for (StringRef name : {StringRef(attrs::kNetworkType), StringRef(attrs::kStorageType)})
    if (auto type = dictionary.getAs<TypeAttr>(name))
      return dyn_cast<RankedTensorType>(type.getValue());
  return {};
}

/// The bytes of a state in the first run; none if all are zero.
LogicalResult describeState(Operation *op, size_t index, Attribute initial, cache::Operand &operand) {
  operand.isState = true;
  operand.initial.resize(operand.bytes);
  auto elements = dyn_cast<ElementsAttr>(initial);
  if (!elements || failed(schedule::copyConstant(elements, 0, operand.initial)))
    return op->emitOpError("operand ") << index << " has initial elements that do not fit its type";
  // MLIR stores true as a byte of ones.
  if (operand.type == firmware::DataType::Bool8)
    for (uint8_t &byte : operand.initial)
      byte = byte != 0;
  if (llvm::all_of(operand.initial, [](uint8_t byte) { return byte == 0; }))
    operand.initial.clear();
  return success();
}

} // namespace

std::optional<cache::Operand> describeTensor(RankedTensorType type) {
  const std::optional<firmware::DataType> stored = storedTypeOf(type.getElementType());
  if (!stored || !type.hasStaticShape())
    return std::nullopt;
  cache::Operand operand;
  operand.type = *stored;
  operand.bytes = firmware::sizeOf(*stored);
  for (int64_t extent : type.getShape()) {
    operand.shape.push_back(static_cast<int32_t>(extent));
    operand.bytes *= static_cast<uint64_t>(extent);
  }
  operand.quantization = quantizationOf(type.getElementType());
  return operand;
}

LogicalResult describeOperands(Operation *op, ArrayAttr dictionaries, std::vector<cache::Operand> &operands) {
  for (auto [index, entry] : llvm::enumerate(dictionaries.getAsRange<DictionaryAttr>())) {
    RankedTensorType type = networkTypeOf(entry);
    if (!type || !type.hasStaticShape())
      return op->emitOpError("operand ") << index << " has no tensor type of static shape";
    std::optional<cache::Operand> described = describeTensor(type);
    if (!described)
      return op->emitOpError("operand ") << index << " has the element type " << type.getElementType()
                                         << ", which the device cannot store";
    cache::Operand &operand = *described;
    if (auto name = entry.getAs<StringAttr>(attrs::kOperandName))
      operand.name = name.getValue().str();
    if (Attribute initial = entry.get(attrs::kInitialState))
      if (failed(describeState(op, index, initial, operand)))
        return failure();
    operands.push_back(std::move(operand));
  }
  return success();
}

namespace {

class Collector {
public:
  /// Numbers of operations from `most` on are ignored: they may come from a text.
  Collector(cache::ModelDescription &model, size_t most) : model_(model), most_(most) {}

  void add(npu::ProgramOp program) {
    for (auto command : program.getBody().getOps<npu::CommandOpInterface>())
      if (command.getLayerIndex() != firmware::kNoLayer)
        addCommand(command->getLoc(), firstLayer_ + command.getLayerIndex());
    firstLayer_ += program.getLayers().size();
  }

  /// Appends the operators in the order of their layers and numbers.
  void finish() {
    for (std::vector<cache::SourceEntry> &entries : entries_) {
      llvm::sort(entries, [](const auto &a, const auto &b) {
        return std::tie(a.operation, a.location) < std::tie(b.operation, b.location);
      });
      for (cache::SourceEntry &entry : entries)
        model_.sourceMap.push_back(std::move(entry));
    }
  }

private:
  void addCommand(Location location, uint32_t layer) {
    if (const auto origin = placedOriginOf(location))
      addOperation(location, *origin, layer);
    // Many tiles have the same operators.
    if (seen_.insert({location.getAsOpaquePointer(), layer}).second)
      appendOperators(location, layer, entriesOf(layer));
  }

  void addOperation(Location location, const PlacedOrigin &origin, uint32_t layer) {
    if (origin.operation >= most_)
      return;
    if (origin.operation >= model_.sourceOperations.size())
      model_.sourceOperations.resize(origin.operation + 1, {"", 0, firmware::DataType::Int8, 1, 1, 1});
    const auto type = npu::dataTypeOf(origin.result.getElementType());
    const cache::ResultShape shape = resultShapeOf(origin);
    model_.sourceOperations[origin.operation] = {resultName(location).str(),
                                                 layer,
                                                 type.value_or(firmware::DataType::Int8),
                                                 shape.height,
                                                 shape.width,
                                                 shape.channels};
  }

  std::vector<cache::SourceEntry> &entriesOf(uint32_t layer) {
    if (layer >= entries_.size())
      entries_.resize(layer + 1);
    return entries_[layer];
  }

  cache::ModelDescription &model_;
  const size_t most_;
  uint32_t firstLayer_ = 0;
  std::vector<std::vector<cache::SourceEntry>> entries_; ///< by layer
  llvm::DenseSet<std::pair<const void *, uint32_t>> seen_;
};

} // namespace

void describeSources(llvm::ArrayRef<npu::ProgramOp> programs, cache::ModelDescription &model) {
  size_t commands = 0; // each operation has at least one
  for (npu::ProgramOp program : programs)
    commands += llvm::range_size(program.getBody().front());
  Collector collector(model, commands);
  for (npu::ProgramOp program : programs)
    collector.add(program);
  collector.finish();
}

} // namespace avocet::compiler
