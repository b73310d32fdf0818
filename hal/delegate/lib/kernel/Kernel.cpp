//===- Kernel.cpp - One partition of the interpreter on the device - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernel/Kernel.h"

#include "avocet/base/Rounding.h"
#include "model/TensorForm.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/core.h>

namespace avocet::delegate {
namespace {

constexpr uint64_t kAlignment = 64; ///< of tensors, as the interpreter's

uint64_t takePlace(uint64_t &size, uint64_t bytes) {
  const uint64_t offset = size;
  size = roundUp(size + bytes, kAlignment);
  return offset;
}

/// Of the interpreter's own kind: resizeTensor() takes ownership.
abi::IntArray *copyShape(const abi::IntArray &shape) {
  const size_t bytes = sizeof(int32_t) * (1 + shape.values().size());
  void *copy = std::malloc(bytes); // NOLINT(cppcoreguidelines-no-malloc): the interpreter calls free()
  if (copy != nullptr)
    std::memcpy(copy, &shape, bytes);
  return static_cast<abi::IntArray *>(copy);
}

} // namespace

Network networkOf(PartitionModel &model, const abi::Context &context) {
  Network network;
  const flatbuffers::DetachedBuffer file = model.write(context);
  network.file.assign(file.data(), file.data() + file.size());
  for (const std::vector<int32_t> *tensors : {&model.inputs(), &model.states()})
    for (int32_t tensor : *tensors)
      network.inputs.push_back(operandForm(context.tensors[tensor], model.shape(tensor)));
  for (const std::vector<int32_t> *tensors : {&model.outputs(), &model.states()})
    for (int32_t tensor : *tensors)
      network.outputs.push_back(operandForm(context.tensors[tensor], model.shape(tensor)));
  return network;
}

Result<std::unique_ptr<Kernel>> Kernel::make(std::shared_ptr<Shared> shared, abi::Context &context,
                                             const abi::DelegateParameters &parameters) {
  AVOCET_ASSIGN_OR_RETURN(const Graph graph, Graph::read(context, valuesOf(parameters.nodes)));
  AVOCET_ASSIGN_OR_RETURN(PartitionModel model, PartitionModel::make(graph, valuesOf(parameters.outputs)));
  std::unique_ptr<Kernel> kernel(new Kernel(std::move(shared), std::move(model)));
  const auto nodes = valuesOf(parameters.nodes);
  if (const auto found = kernel->shared_->planned.find({nodes.begin(), nodes.end()});
      found != kernel->shared_->planned.end())
    kernel->planned_ = found->second;
  kernel->number_ = kernel->shared_->profile.addPartition(graph.nodes().size());
  return kernel;
}

/// `old`: the area of the last preparation.
void Kernel::moveIn(abi::Tensor &tensor, const Operand &operand, bool isOutput, const Area *old) {
  const bool isOurs =
      tensor.allocation == abi::Allocation::Custom && old != nullptr && old->offsetOf(tensor.data, 0).has_value();
  // An operator of the interpreter may make a dynamic tensor, but the results of this partition have known shapes.
  const bool isFree = tensor.allocation == abi::Allocation::Arena ||
                      (isOutput && tensor.allocation == abi::Allocation::Dynamic && tensor.data == nullptr);
  if (!isOurs && !isFree)
    return;
  tensor.allocation = abi::Allocation::Custom;
  tensor.data = area_->data() + operand.offset;
}

Status Kernel::placeOperands(abi::Context &context) {
  uint64_t size = 0;
  auto place = [&](const std::vector<int32_t> &tensors, std::vector<Operand> &operands) {
    operands.clear();
    for (int32_t tensor : tensors)
      operands.push_back({tensor, context.tensors[tensor].bytes, takePlace(size, context.tensors[tensor].bytes)});
  };
  place(model_.inputs(), inputs_);
  place(model_.outputs(), outputs_);
  const std::shared_ptr<Area> old = area_;
  AVOCET_ASSIGN_OR_RETURN(area_, shared_->areas.create(size));
  for (const Operand &operand : outputs_)
    moveIn(context.tensors[operand.tensor], operand, true, old.get());
  for (const Operand &operand : inputs_)
    moveIn(context.tensors[operand.tensor], operand, false, old.get());
  return Status::ok();
}

Status Kernel::placeStates(abi::Context &context) {
  if (model_.states().empty())
    return Status::ok();
  release(context);
  uint64_t size = 0;
  states_.clear();
  for (int32_t tensor : model_.states()) {
    const uint64_t bytes = context.tensors[tensor].bytes;
    states_.push_back({tensor, bytes, {takePlace(size, bytes), takePlace(size, bytes)}});
  }
  AVOCET_ASSIGN_OR_RETURN(stateArea_, shared_->areas.create(size));
  return Status::ok();
}

Status Kernel::prepare(abi::Context &context) {
  if (planned_ == nullptr || model_.hasNewInputShapes(context)) {
    planned_ = nullptr; // networkOf() changes the shapes of model_, also if the device refuses them
    AVOCET_ASSIGN_OR_RETURN(planned_, shared_->engine->prepare(networkOf(model_, context)));
  }
  executions_ = Executions(planned_);
  if (shared_->engine->hasProfiles()) {
    const flatbuffers::DetachedBuffer file = model_.write(context);
    shared_->profile.setLayers(number_, shared_->engine->layerNames({file.data(), file.size()}));
  }
  AVOCET_RETURN_IF_ERROR(placeStates(context));
  return placeOperands(context);
}

/// The place of a tensor that lies in an area, otherwise that of the operand.
Place Kernel::placeOf(const abi::Tensor &tensor, const Operand &operand) {
  if (tensor.data == area_->data() + operand.offset)
    return {area_, operand.offset};
  if (tensor.data != nullptr)
    if (std::optional<Place> found = shared_->areas.find(tensor.data, operand.bytes))
      return std::move(*found);
  return {area_, operand.offset};
}

/// Inputs, states, outputs, states, as in the network.
std::vector<Binding> Kernel::bind(abi::Context &context) {
  std::vector<Binding> bindings;
  for (const Operand &operand : inputs_)
    bindings.push_back({placeOf(context.tensors[operand.tensor], operand), operand.bytes});
  for (const State &state : states_)
    bindings.push_back({{stateArea_, state.offsets[current_]}, state.bytes});
  for (const Operand &operand : outputs_)
    bindings.push_back({placeOf(context.tensors[operand.tensor], operand), operand.bytes});
  for (const State &state : states_)
    bindings.push_back({{stateArea_, state.offsets[1 - current_]}, state.bytes});
  return bindings;
}

void Kernel::copyIn(abi::Context &context, std::span<const Binding> bindings) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    uint8_t *place = bindings[i].place.area->data() + bindings[i].place.offset;
    const void *data = context.tensors[inputs_[i].tensor].data;
    if (data == place || data == nullptr)
      continue;
    std::memcpy(place, data, inputs_[i].bytes);
    shared_->counters.bytesCopied += inputs_[i].bytes;
  }
}

void Kernel::copyOut(abi::Context &context, std::span<const Binding> bindings) {
  bindings = bindings.subspan(inputs_.size() + states_.size());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const uint8_t *place = bindings[i].place.area->data() + bindings[i].place.offset;
    void *data = context.tensors[outputs_[i].tensor].data;
    if (data == place || data == nullptr)
      continue;
    std::memcpy(data, place, outputs_[i].bytes);
    shared_->counters.bytesCopied += outputs_[i].bytes;
  }
}

/// Dynamic tensors get their memory now; others have it.
Status Kernel::allocateDynamic(abi::Context &context) {
  for (const Operand &operand : outputs_) {
    abi::Tensor &tensor = context.tensors[operand.tensor];
    if (tensor.allocation != abi::Allocation::Dynamic || tensor.data != nullptr)
      continue;
    abi::IntArray *shape = copyShape(*tensor.shape);
    if (shape == nullptr || context.resizeTensor(&context, &tensor, shape) != abi::kOk || tensor.data == nullptr)
      return resourceExhausted(fmt::format("no memory for {} bytes of tensor {}", operand.bytes, operand.tensor));
  }
  return Status::ok();
}

/// The interpreter has placed variables in its own memory since the last run, with their initial values.
void Kernel::loadStates(abi::Context &context) {
  for (State &state : states_) {
    abi::Tensor &tensor = context.tensors[state.tensor];
    uint8_t *place = stateData(state, current_);
    if (tensor.data == place)
      continue;
    if (tensor.data != nullptr)
      std::memcpy(place, tensor.data, state.bytes);
    state.own = tensor.data;
    tensor.data = place;
  }
}

void Kernel::advanceStates(abi::Context &context) {
  if (states_.empty())
    return;
  current_ = 1 - current_;
  for (const State &state : states_)
    context.tensors[state.tensor].data = stateData(state, current_);
}

Status Kernel::invoke(abi::Context &context) {
  if (area_ == nullptr)
    return failedPrecondition("the tensors are not allocated; call AllocateTensors first");
  for (const std::vector<Operand> *operands : {&inputs_, &outputs_})
    for (const Operand &operand : *operands)
      if (context.tensors[operand.tensor].bytes != operand.bytes)
        return failedPrecondition(fmt::format("tensor {} has {} bytes, the network was compiled for {}; call "
                                              "AllocateTensors after a change of shapes",
                                              operand.tensor, context.tensors[operand.tensor].bytes, operand.bytes));
  AVOCET_RETURN_IF_ERROR(allocateDynamic(context));
  loadStates(context);
  const std::vector<Binding> bindings = bind(context);
  copyIn(context, bindings);
  AVOCET_ASSIGN_OR_RETURN(const hal::Timing timing, executions_.run(bindings, outputs_.size() + states_.size()));
  copyOut(context, bindings);
  advanceStates(context);
  ++shared_->counters.runs;
  shared_->profile.addRun(number_, timing, *shared_->engine);
  return Status::ok();
}

void Kernel::release(abi::Context &context) {
  for (const std::vector<Operand> *operands : {&inputs_, &outputs_})
    for (const Operand &operand : *operands) {
      abi::Tensor &tensor = context.tensors[operand.tensor];
      if (tensor.allocation != abi::Allocation::Custom || tensor.data != area_->data() + operand.offset)
        continue;
      tensor.allocation = abi::Allocation::Arena;
      tensor.data = nullptr;
    }
  for (const State &state : states_) {
    abi::Tensor &tensor = context.tensors[state.tensor];
    if (tensor.data == stateData(state, 0) || tensor.data == stateData(state, 1))
      tensor.data = state.own;
  }
}

} // namespace avocet::delegate
