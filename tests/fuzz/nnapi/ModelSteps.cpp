//===- ModelSteps.cpp ---------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"

namespace avocet::fuzz {

void World::makeModel() {
  if (models_.size() >= 6)
    return;
  auto slot = std::make_shared<ModelSlot>();
  slot->graph = chooseGraph(bytes_);
  slot->handle = buildModel(*slot->graph, slot->memories);
  slot->state = State::Finished;
  slot->numInputs = slot->graph->numInputs();
  slot->numOutputs = 1;
  models_.push_back(std::move(slot));
}

void World::useClosedModel() {
  const auto slot = any(models_);
  if (slot == nullptr || slot->state == State::Open)
    return;
  ANeuralNetworksModel *model = slot->handle.get();
  const uint32_t index = bytes_.below(4);
  const float value[2] = {};
  const ANeuralNetworksSymmPerChannelQuantParams scales{0, 1, value};
  const auto memory = any(memories_);
  switch (bytes_.below(10)) {
  case 0:
    return expect("finish", ANeuralNetworksModel_finish(model), {api::kBadState});
  case 1:
    return expect("addOperand", ANeuralNetworksModel_addOperand(model, api::Type(bytes_.below(20)).get()),
                  {api::kBadState});
  case 2:
    return expect("setOperandValue", ANeuralNetworksModel_setOperandValue(model, index, value, bytes_.below(8)),
                  {api::kBadState});
  case 3:
    return expect("addOperation", ANeuralNetworksModel_addOperation(model, index, 1, &index, 1, &index),
                  {api::kBadState});
  case 4:
    return expect("identify", ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &index, 1, &index),
                  {api::kBadState});
  case 5:
    return expect("relax", ANeuralNetworksModel_relaxComputationFloat32toFloat16(model, index != 0), {api::kBadState});
  case 6:
    return expect("setValueFromModel", ANeuralNetworksModel_setOperandValueFromModel(model, index, model),
                  {api::kBadState});
  case 7:
    return expect("setExtensionData", ANeuralNetworksModel_setOperandExtensionData(model, index, value, 4),
                  {api::kBadState});
  case 8:
    return expect("setChannelScales", ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, index, &scales),
                  {api::kBadState});
  default:
    if (memory != nullptr)
      expect("setValueFromMemory",
             ANeuralNetworksModel_setOperandValueFromMemory(model, index, memory->handle.get(), 0, 8),
             {api::kBadState});
  }
}

void World::askForSupport() {
  const auto slot = any(models_);
  if (slot == nullptr)
    return;
  std::vector<const ANeuralNetworksDevice *> chosen = devices();
  const bool isTwice = bytes_.oneIn(8), isEmpty = bytes_.oneIn(8);
  if (isTwice)
    chosen.push_back(chosen.front());
  const uint32_t count = isEmpty ? 0 : static_cast<uint32_t>(chosen.size());
  std::unique_ptr<bool[]> supported(new bool[4096]());
  const int code =
      ANeuralNetworksModel_getSupportedOperationsForDevices(slot->handle.get(), chosen.data(), count, supported.get());
  expect("getSupportedOperations", code,
         {isTwice || isEmpty               ? api::kBadData
          : slot->state != State::Finished ? api::kBadState
                                           : api::kOk});
  if (code == api::kOk && slot->graph != nullptr && !supported[0])
    expect("getSupportedOperations: ADD is not supported", code, {});
}

} // namespace avocet::fuzz
