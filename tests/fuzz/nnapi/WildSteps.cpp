//===- WildSteps.cpp ----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Models whose calls are only mostly right. Nothing is known of them but what every call promises.

#include "World.h"

#include <string_view>

namespace avocet::fuzz {
namespace {

/// An operation and its inputs: t tensor, i INT32, f FLOAT32, b BOOL, v INT32 vector, m model.
struct Form {
  int32_t code;
  std::string_view inputs;
  uint32_t outputs = 1;
};

constexpr Form kForms[] = {
    {ANEURALNETWORKS_ADD, "tti"},
    {ANEURALNETWORKS_AVERAGE_POOL_2D, "tiiiiii"},
    {ANEURALNETWORKS_CONCATENATION, "tti"},
    {ANEURALNETWORKS_CONV_2D, "tttiiii"},
    {ANEURALNETWORKS_DEQUANTIZE, "t"},
    {ANEURALNETWORKS_FULLY_CONNECTED, "ttti"},
    {ANEURALNETWORKS_LOGISTIC, "t"},
    {ANEURALNETWORKS_MUL, "tti"},
    {ANEURALNETWORKS_RELU, "t"},
    {ANEURALNETWORKS_RESHAPE, "tv"},
    {ANEURALNETWORKS_SOFTMAX, "tf"},
    {ANEURALNETWORKS_MEAN, "tvi"},
    {ANEURALNETWORKS_PAD, "tv"},
    {ANEURALNETWORKS_TRANSPOSE, "tv"},
    {ANEURALNETWORKS_ARGMAX, "ti"},
    {ANEURALNETWORKS_CAST, "t"},
    {ANEURALNETWORKS_EXPAND_DIMS, "ti"},
    {ANEURALNETWORKS_GATHER, "tiv"},
    {ANEURALNETWORKS_MAXIMUM, "tt"},
    {ANEURALNETWORKS_QUANTIZE, "t"},
    {ANEURALNETWORKS_SPLIT, "tii", 2},
    {ANEURALNETWORKS_REDUCE_ALL, "tvb"},
    {ANEURALNETWORKS_SELECT, "ttt"},
    {ANEURALNETWORKS_SLICE, "tvv"},
    {ANEURALNETWORKS_TILE, "tv"},
    {ANEURALNETWORKS_IF, "tmmtt"},
    {ANEURALNETWORKS_WHILE, "mmt"},
    {ANEURALNETWORKS_PACK, "itt"},
};

constexpr int32_t kTensors[] = {ANEURALNETWORKS_TENSOR_FLOAT32,
                                ANEURALNETWORKS_TENSOR_FLOAT32,
                                ANEURALNETWORKS_TENSOR_INT32,
                                ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
                                ANEURALNETWORKS_TENSOR_FLOAT16,
                                ANEURALNETWORKS_TENSOR_BOOL8,
                                ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED};

size_t elementBytes(int32_t code) {
  switch (code) {
  case ANEURALNETWORKS_TENSOR_FLOAT32:
  case ANEURALNETWORKS_TENSOR_INT32:
  case ANEURALNETWORKS_FLOAT32:
  case ANEURALNETWORKS_INT32:
    return 4;
  case ANEURALNETWORKS_TENSOR_FLOAT16:
    return 2;
  default:
    return 1;
  }
}

/// Builds one wild model.
class Wild {
public:
  Wild(ModelSlot &slot, Bytes &bytes, const std::vector<std::shared_ptr<ModelSlot>> &others)
      : slot_(slot), bytes_(bytes), others_(others) {}

  void build() {
    for (uint32_t count = 1 + bytes_.below(3); count != 0; --count)
      addOperation();
    identify();
  }

private:
  struct Made {
    uint32_t index = 0;
    int32_t code = 0;
    size_t bytes = 0;
  };

  ANeuralNetworksModel *raw() const { return slot_.handle.get(); }

  Made operand(int32_t code, std::vector<uint32_t> extents) {
    const bool isQuantized =
        code == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM || code == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
    size_t bytes = elementBytes(code);
    for (uint32_t extent : extents)
      bytes *= extent;
    expect("addOperand",
           ANeuralNetworksModel_addOperand(raw(), api::Type(code, std::move(extents), isQuantized ? 0.5f : 0).get()),
           {api::kOk});
    return {slot_.numOperands++, code, bytes};
  }

  Made tensor(int32_t code) {
    std::vector<uint32_t> extents;
    for (uint32_t rank = 1 + bytes_.below(4); rank != 0; --rank)
      extents.push_back(bytes_.oneIn(16) ? 0 : 1 + bytes_.below(4));
    return operand(code, std::move(extents));
  }

  Made constant(Made made) {
    std::vector<uint8_t> &value = slot_.values.emplace_back(made.bytes);
    for (uint8_t &byte : value)
      byte = made.code == ANEURALNETWORKS_INT32 || made.code == ANEURALNETWORKS_TENSOR_INT32 ? 0 : bytes_.byte();
    for (size_t at = 0; elementBytes(made.code) == 4 && at + 4 <= value.size(); at += 4)
      value[at] = static_cast<uint8_t>(bytes_.below(3));
    const int code =
        ANeuralNetworksModel_setOperandValue(raw(), static_cast<int32_t>(made.index), value.data(), value.size());
    expect("setOperandValue", code, {api::kOk}); // without bytes the vector is null: an omitted operand
    return made;
  }

  Made tensorInput(int32_t code) {
    if (!tensors_.empty() && !bytes_.oneIn(3))
      return tensors_[bytes_.below(static_cast<uint32_t>(tensors_.size()))];
    const Made made = tensor(code);
    if (bytes_.oneIn(2))
      return constant(made);
    inputs_.push_back(made);
    tensors_.push_back(made);
    return made;
  }

  uint32_t input(char form, int32_t code) {
    switch (form) {
    case 'i':
      return constant(operand(ANEURALNETWORKS_INT32, {})).index;
    case 'f':
      return constant(operand(ANEURALNETWORKS_FLOAT32, {})).index;
    case 'b':
      return constant(operand(ANEURALNETWORKS_BOOL, {})).index;
    case 'v':
      return constant(operand(ANEURALNETWORKS_TENSOR_INT32, {1 + bytes_.below(4)})).index;
    case 'm': {
      const Made made = operand(ANEURALNETWORKS_MODEL, {});
      if (!others_.empty()) {
        const auto &other = others_[bytes_.below(static_cast<uint32_t>(others_.size()))];
        expect(
            "setOperandValueFromModel",
            ANeuralNetworksModel_setOperandValueFromModel(raw(), static_cast<int32_t>(made.index), other->handle.get()),
            {other->state == State::Finished ? api::kOk : api::kBadState});
      }
      return made.index;
    }
    default:
      return tensorInput(code).index;
    }
  }

  void addOperation() {
    const Form &form = bytes_.pick(kForms);
    const int32_t code = bytes_.pick(kTensors);
    std::vector<uint32_t> inputs, outputs;
    for (char next : form.inputs)
      inputs.push_back(input(next, code));
    std::vector<Made> results;
    for (uint32_t i = 0; i < form.outputs; ++i) {
      results.push_back(bytes_.oneIn(3) ? tensor(code) : operand(code, {}));
      outputs.push_back(results.back().index);
    }
    if (bytes_.oneIn(16))
      inputs[0] = bytes_.byte();
    const int added = ANeuralNetworksModel_addOperation(raw(), bytes_.oneIn(32) ? bytes_.byte() : form.code,
                                                        static_cast<uint32_t>(inputs.size()), inputs.data(),
                                                        static_cast<uint32_t>(outputs.size()), outputs.data());
    expect("addOperation", added, {added == api::kOk ? added : api::kBadData});
    if (added == api::kOk) {
      tensors_.insert(tensors_.end(), results.begin(), results.end());
      outputs_ = results;
    }
  }

  void identify() {
    std::vector<uint32_t> inputs, outputs;
    for (const Made &made : inputs_) {
      inputs.push_back(made.index);
      slot_.inputBytes.push_back(made.bytes == 0 ? 16 : made.bytes);
    }
    for (const Made &made : outputs_) {
      outputs.push_back(made.index);
      slot_.outputBytes.push_back(made.bytes <= 1 ? 4096 : made.bytes);
    }
    slot_.numInputs = inputs.size();
    slot_.numOutputs = outputs.size();
    const uint32_t none = 0;
    const int code = ANeuralNetworksModel_identifyInputsAndOutputs(
        raw(), static_cast<uint32_t>(inputs.size()), inputs.empty() ? &none : inputs.data(),
        static_cast<uint32_t>(outputs.size()), outputs.empty() ? &none : outputs.data());
    expect("identifyInputsAndOutputs", code, {code == api::kOk ? code : api::kBadData});
  }

  ModelSlot &slot_;
  Bytes &bytes_;
  const std::vector<std::shared_ptr<ModelSlot>> &others_;
  std::vector<Made> tensors_, inputs_, outputs_;
};

void finishWild(ModelSlot &slot) {
  const int code = ANeuralNetworksModel_finish(slot.handle.get());
  expect("finish", code, {code == api::kOk ? code : api::kBadData});
  slot.state = code == api::kOk ? State::Finished : State::Failed;
  slot.values.clear();
}

} // namespace

void World::makeWildModel() {
  if (models_.size() >= 6)
    return;
  auto slot = std::make_shared<ModelSlot>();
  ANeuralNetworksModel *made = nullptr;
  expect("Model_create", ANeuralNetworksModel_create(&made), {api::kOk});
  slot->handle.reset(made);
  Wild(*slot, bytes_, models_).build();
  if (!bytes_.oneIn(4))
    finishWild(*slot);
  models_.push_back(std::move(slot));
}

void World::editModel() {
  const auto slot = any(models_);
  if (slot == nullptr || slot->state != State::Open)
    return;
  ANeuralNetworksModel *raw = slot->handle.get();
  const uint32_t indices[] = {bytes_.below(24), bytes_.below(24), bytes_.below(24)};
  const auto index = static_cast<int32_t>(indices[0]) - 1;
  const auto memory = any(memories_);
  const uint32_t extents[] = {bytes_.below(4), bytes_.word()};
  const ANeuralNetworksOperandType type{static_cast<int32_t>(bytes_.oneIn(4) ? bytes_.word() : bytes_.below(18)),
                                        bytes_.below(3), extents, static_cast<float>(bytes_.below(3)),
                                        static_cast<int32_t>(bytes_.below(3))};
  switch (bytes_.below(7)) {
  case 0: {
    const int code = ANeuralNetworksModel_addOperand(raw, &type);
    slot->numOperands += code == api::kOk ? 1 : 0;
    return expect("addOperand", code, {code == api::kOk ? code : api::kBadData});
  }
  case 1: {
    // Values over 128 bytes must stay, small ones need not.
    const std::vector<uint8_t> value(bytes_.below(129));
    return expectCode("setOperandValue", ANeuralNetworksModel_setOperandValue(raw, index, value.data(), value.size()));
  }
  case 2:
    if (memory != nullptr)
      expectCode("setOperandValueFromMemory", ANeuralNetworksModel_setOperandValueFromMemory(
                                                  raw, index, memory->handle.get(), bytes_.byte(), bytes_.below(64)));
    return;
  case 3:
    return expectCode("addOperation", ANeuralNetworksModel_addOperation(raw, bytes_.byte(), bytes_.below(4), indices,
                                                                        bytes_.below(3), indices + 1));
  case 4: {
    const uint32_t count = bytes_.below(3);
    const int code = ANeuralNetworksModel_identifyInputsAndOutputs(raw, count, indices, 1, indices + 2);
    expectCode("identifyInputsAndOutputs", code);
    if (code == api::kOk) {
      slot->numInputs = count, slot->numOutputs = 1;
      slot->inputBytes.assign(count, 16), slot->outputBytes.assign(1, 4096);
    }
    return;
  }
  case 5: {
    const float scales[] = {1, 2, 0.5f, static_cast<float>(bytes_.below(2))};
    const ANeuralNetworksSymmPerChannelQuantParams given{bytes_.below(4), bytes_.below(5), scales};
    return expectCode("setChannelScales", ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(raw, index, &given));
  }
  default:
    finishWild(*slot);
  }
}

} // namespace avocet::fuzz
