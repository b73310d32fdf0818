//===- PlacedRunner.cpp - Runs placed functions with the kernels -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlacedRunner.h"

#include "avocet/compiler/Support/ProgramAttrs.h"
#include "avocet/kernels/Kernel.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cstring>

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

size_t bytesOf(Value value) {
  return tensorOf(value).getNumElements() * sizeOf(*npu::dataTypeOf(tensorOf(value).getElementType()));
}

/// Stride 0 repeats an input along an axis on which its extent is 1.
void broadcast(FeatureMap &input, const FeatureMap &output) {
  if (input.height != output.height)
    input.rowStride = 0;
  if (input.width != output.width)
    input.pixelStride = 0;
  input.height = input.ringRows = output.height;
  input.width = output.width;
}

/// Sets of weights: one if they are packed bytes.
uint32_t setsOf(Value weights) {
  llvm::ArrayRef<int64_t> shape = tensorOf(weights).getShape();
  return shape.size() == 1 ? 1 : static_cast<uint32_t>(shape[0]);
}

} // namespace

Result<std::vector<Bytes>> PlacedRunner::run(const std::vector<Bytes> &inputs) {
  memory_.clear();
  addresses_.clear();
  for (auto [argument, bytes] : llvm::zip(function_.getArguments(), inputs)) {
    if (bytes.size() != bytesOf(argument))
      return invalidArgument("input has " + std::to_string(bytes.size()) + " bytes");
    place(argument, {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  }
  const size_t numStates = placeStates();
  for (mlir::Operation &op : function_.front().without_terminator())
    AVOCET_RETURN_IF_ERROR(step(op));
  std::vector<Bytes> outputs;
  for (Value value : function_.front().getTerminator()->getOperands().drop_back(numStates)) {
    auto first = memory_.begin() + addresses_.at(value);
    outputs.emplace_back(first, first + bytesOf(value));
  }
  return outputs;
}

uint32_t PlacedRunner::place(Value value, llvm::ArrayRef<char> contents) {
  constexpr size_t kAlignment = 64;
  auto address = static_cast<uint32_t>(llvm::alignTo(memory_.size(), kAlignment));
  // Not zero, so that tests find code that reads uninitialized memory.
  memory_.resize(address + bytesOf(value), 0xA5);
  std::copy(contents.begin(), contents.end(), memory_.begin() + address);
  addresses_[value] = address;
  return address;
}

size_t PlacedRunner::placeStates() {
  size_t count = 0;
  for (BlockArgument argument : function_.getArguments())
    if (auto initial = function_.getArgAttrOfType<ElementsAttr>(argument.getArgNumber(), attrs::kInitialState)) {
      placeElements(argument, initial);
      ++count;
    }
  return count;
}

void PlacedRunner::placeElements(Value value, ElementsAttr data) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(data))
    place(value, resource.getRawHandle().getBlob()->getData());
  else
    placeDense(value, cast<DenseElementsAttr>(data));
}

/// A splat has one element of raw data, which is copied to all others.
void PlacedRunner::placeDense(Value value, DenseElementsAttr data) {
  llvm::ArrayRef<char> raw = data.getRawData();
  const uint32_t address = place(value, raw);
  for (size_t i = raw.size(); data.isSplat() && i < bytesOf(value); ++i)
    memory_[address + i] = memory_[address + i - raw.size()];
}

FeatureMap PlacedRunner::mapOf(Value value, int32_t zeroPoint) {
  auto found = addresses_.find(value);
  FeatureMap map;
  map.address = found == addresses_.end() ? place(value) : found->second;
  map.type = *npu::dataTypeOf(tensorOf(value).getElementType());
  llvm::ArrayRef<int64_t> shape = tensorOf(value).getShape();
  map.height = map.ringRows = shape.size() == 1 ? 1 : shape[0];
  map.width = shape.size() == 1 ? 1 : shape[1];
  map.channels = shape.back();
  map.pixelStride = map.channels * sizeOf(map.type);
  map.rowStride = map.width * map.pixelStride;
  map.zeroPoint = zeroPoint;
  return map;
}

Status PlacedRunner::execute(CommandBody command) {
  const kernels::Kernel *kernel = kernels::findKernel(command);
  AVOCET_RETURN_IF_ERROR(kernel->check(target_, command));
  kernel->run(target_, command, memory_);
  return Status::ok();
}

Status PlacedRunner::step(mlir::Operation &op) {
  return llvm::TypeSwitch<mlir::Operation *, Status>(&op)
      .Case([&](npu::ConstantOp constant) {
        placeElements(constant, constant.getValue());
        return Status::ok();
      })
      .Case([&](npu::ViewOp view) {
        addresses_[view] = addresses_.at(view.getInput());
        return Status::ok();
      })
      .Case([&](npu::JoinOp join) {
        runJoin(join);
        return Status::ok();
      })
      .Case([&](npu::PartOp part) {
        runPart(part);
        return Status::ok();
      })
      .Case([&](npu::ConvOp conv) { return runConv(conv); })
      .Case([&](npu::PoolOp pool) { return runPool(pool); })
      .Case([&](npu::EltwiseOp eltwise) { return runEltwise(eltwise); })
      .Case([&](npu::LookupOp lookup) { return runLookup(lookup); })
      .Case([&](npu::DspOp dsp) { return runDsp(dsp); })
      .Default([](mlir::Operation *other) { return unsupported(other->getName().getStringRef().str()); });
}

Status PlacedRunner::runConv(npu::ConvOp op) {
  ConvCommand command = op.getCommand();
  command.input = mapOf(op.getInput(), command.input.zeroPoint);
  command.output = mapOf(op.getResult(), command.output.zeroPoint);
  command.weights = addresses_.at(op.getWeights());
  command.channelRecords = addresses_.at(op.getRecords());
  if (op.getDynamicScale())
    command.dynamicScale = addresses_.at(op.getDynamicScale());
  if (op.getTable())
    command.lookupTable = addresses_.at(op.getTable());
  if (op.getAddend())
    command.residual.addend = mapOf(op.getAddend(), command.residual.addend.zeroPoint);
  return runSets(command, bytesOf(op.getWeights()), setsOf(op.getWeights()));
}

Status PlacedRunner::runSets(ConvCommand command, uint32_t weightBytes, uint32_t sets) {
  command.weightBytes = weightBytes / sets;
  for (FeatureMap *map : {&command.input, &command.output})
    map->height = map->ringRows = map->height / sets;
  for (uint32_t set = 0; set < sets; ++set) {
    AVOCET_RETURN_IF_ERROR(execute(command));
    command.weights += command.weightBytes;
    for (FeatureMap *map : {&command.input, &command.output})
      map->address += map->height * map->rowStride;
  }
  return Status::ok();
}

Status PlacedRunner::runPool(npu::PoolOp op) {
  PoolCommand command = op.getCommand();
  command.input = mapOf(op.getInput(), command.input.zeroPoint);
  command.output = mapOf(op.getResult(), command.output.zeroPoint);
  return execute(command);
}

Status PlacedRunner::runEltwise(npu::EltwiseOp op) {
  EltwiseCommand command = op.getCommand();
  command.output = mapOf(op.getResult(), command.output.zeroPoint);
  command.inputA = mapOf(op.getInputA(), command.inputA.zeroPoint);
  command.inputB = mapOf(op.getInputB(), command.inputB.zeroPoint);
  broadcast(command.inputA, command.output);
  broadcast(command.inputB, command.output);
  return execute(command);
}

Status PlacedRunner::runLookup(npu::LookupOp op) {
  LookupCommand command = op.getCommand();
  command.input = mapOf(op.getInput(), command.input.zeroPoint);
  command.output = mapOf(op.getResult(), command.output.zeroPoint);
  command.table = addresses_.at(op.getTable());
  return execute(command);
}

Status PlacedRunner::runDsp(npu::DspOp op) {
  DspCommand command;
  AVOCET_ASSIGN_OR_RETURN(command.kernel, kernels::dspKernelNumber(op.getKernel().str()));
  command.parameters.assign(op.getParameters().begin(), op.getParameters().end());
  for (auto [value, zeroPoint] : llvm::zip(op.getInputs(), op.getInputZeroPoints()))
    command.inputs.push_back(mapOf(value, zeroPoint));
  for (auto [index, value] : llvm::enumerate(op.getResults())) {
    command.outputs.push_back(mapOf(value, op.getOutputZeroPoints()[index]));
    if (!op.getResultFills().empty() && op.getResultFills()[index] >= 0)
      std::memset(&memory_[addresses_.at(value)], op.getResultFills()[index], bytesOf(value));
  }
  return execute(command);
}

void PlacedRunner::copyBox(Value box, Value whole, std::array<int64_t, 3> position, std::array<int64_t, 2> steps,
                           bool isPart) {
  const FeatureMap small = mapOf(box, 0), large = mapOf(whole, 0);
  for (uint32_t y = 0; y < small.height; ++y)
    for (uint32_t x = 0; x < small.width; ++x) {
      auto inBox = memory_.begin() + small.address.offset + y * small.rowStride + x * small.pixelStride;
      auto inWhole = memory_.begin() + large.address.offset + (position[0] + y * steps[0]) * large.rowStride +
                     (position[1] + x * steps[1]) * large.pixelStride + position[2] * sizeOf(large.type);
      std::copy_n(isPart ? inWhole : inBox, small.pixelStride, isPart ? inBox : inWhole);
    }
}

void PlacedRunner::runJoin(npu::JoinOp op) {
  std::array<int64_t, 3> position{};
  std::array<int64_t, 2> steps{1, 1};
  if (op.getInterleaved())
    steps[op.getAxis()] = op.getNumOperands();
  for (Value input : op.getInputs()) {
    copyBox(input, op, position, steps, false);
    position[op.getAxis()] += op.getInterleaved() ? 1 : tensorOf(input).getDimSize(op.getAxis());
  }
}

void PlacedRunner::runPart(npu::PartOp op) {
  const llvm::ArrayRef<int32_t> position = op.getPosition();
  copyBox(op, op.getInput(), {position[0], position[1], position[2]}, {op.getSteps()[0], op.getSteps()[1]}, true);
}

} // namespace avocet::compiler
