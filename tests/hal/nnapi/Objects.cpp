//===- Objects.cpp --------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include <fmt/format.h>

#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

namespace avocet::nnapi::testing {

void need(int code, const char *call) {
  if (code != ANEURALNETWORKS_NO_ERROR)
    throw std::runtime_error(fmt::format("{} returned {}", call, code));
}

Type::Type(int32_t code, std::vector<uint32_t> dimensions, float scale, int32_t zeroPoint)
    : dimensions_(std::move(dimensions)), type_{code, static_cast<uint32_t>(dimensions_.size()),
                                                dimensions_.empty() ? nullptr : dimensions_.data(), scale, zeroPoint} {}

ModelMaker::ModelMaker() {
  ANeuralNetworksModel *made = nullptr;
  NEED(ANeuralNetworksModel_create(&made));
  model_.reset(made);
}

uint32_t ModelMaker::operand(const Type &type) {
  NEED(ANeuralNetworksModel_addOperand(get(), type.get()));
  return count_++;
}

uint32_t ModelMaker::scalar(int32_t value) {
  uint32_t index = operand({ANEURALNETWORKS_INT32});
  NEED(ANeuralNetworksModel_setOperandValue(get(), static_cast<int32_t>(index), &value, sizeof(value)));
  return index;
}

uint32_t ModelMaker::constant(std::vector<uint32_t> dimensions, std::span<const float> values) {
  uint32_t index = floats(std::move(dimensions));
  NEED(ANeuralNetworksModel_setOperandValue(get(), static_cast<int32_t>(index), values.data(), values.size_bytes()));
  return index;
}

uint32_t ModelMaker::submodel(const Model &model) {
  uint32_t index = operand({ANEURALNETWORKS_MODEL});
  NEED(ANeuralNetworksModel_setOperandValueFromModel(get(), static_cast<int32_t>(index), model.get()));
  return index;
}

void ModelMaker::operation(int32_t code, std::vector<uint32_t> inputs, std::vector<uint32_t> outputs) {
  NEED(ANeuralNetworksModel_addOperation(get(), code, static_cast<uint32_t>(inputs.size()), inputs.data(),
                                         static_cast<uint32_t>(outputs.size()), outputs.data()));
}

void ModelMaker::identify(std::vector<uint32_t> inputs, std::vector<uint32_t> outputs) {
  NEED(ANeuralNetworksModel_identifyInputsAndOutputs(get(), static_cast<uint32_t>(inputs.size()), inputs.data(),
                                                     static_cast<uint32_t>(outputs.size()), outputs.data()));
}

Model ModelMaker::finish() {
  NEED(ANeuralNetworksModel_finish(get()));
  return std::move(model_);
}

Model addModel(std::vector<uint32_t> dimensions) {
  ModelMaker maker;
  const uint32_t a = maker.floats(dimensions), b = maker.floats(dimensions), sum = maker.floats(dimensions);
  maker.add(a, b, sum);
  maker.identify({a, b}, {sum});
  return maker.finish();
}

Model addConstantModel(float value) {
  ModelMaker maker;
  const float values[] = {value, value};
  const uint32_t input = maker.floats({2}), sum = maker.floats({2});
  maker.add(input, maker.constant({2}, values), sum);
  maker.identify({input}, {sum});
  return maker.finish();
}

Model ifModel() {
  const Model yes = addConstantModel(1), no = addConstantModel(10);
  ModelMaker maker;
  const uint32_t condition = maker.operand({ANEURALNETWORKS_TENSOR_BOOL8, {1}});
  const uint32_t input = maker.floats({2}), output = maker.floats({2});
  maker.operation(ANEURALNETWORKS_IF, {condition, maker.submodel(yes), maker.submodel(no), input}, {output});
  maker.identify({condition, input}, {output});
  return maker.finish();
}

namespace {

Model lessModel(float limit) {
  ModelMaker maker;
  const float limits[] = {limit};
  const uint32_t value = maker.floats({1}), isLess = maker.operand({ANEURALNETWORKS_TENSOR_BOOL8, {1}});
  maker.operation(ANEURALNETWORKS_LESS, {value, maker.constant({1}, limits)}, {isLess});
  maker.identify({value}, {isLess});
  return maker.finish();
}

Model incrementModel() {
  ModelMaker maker;
  const float one[] = {1};
  const uint32_t value = maker.floats({1}), sum = maker.floats({1});
  maker.add(value, maker.constant({1}, one), sum);
  maker.identify({value}, {sum});
  return maker.finish();
}

} // namespace

Model whileModel(float limit) {
  const Model condition = lessModel(limit), body = incrementModel();
  ModelMaker maker;
  const uint32_t input = maker.floats({1}), output = maker.floats({1});
  maker.operation(ANEURALNETWORKS_WHILE, {maker.submodel(condition), maker.submodel(body), input}, {output});
  maker.identify({input}, {output});
  return maker.finish();
}

std::vector<const ANeuralNetworksDevice *> allDevices() {
  uint32_t count = 0;
  NEED(ANeuralNetworks_getDeviceCount(&count));
  std::vector<const ANeuralNetworksDevice *> devices;
  for (uint32_t i = 0; i < count; ++i) {
    ANeuralNetworksDevice *device = nullptr;
    NEED(ANeuralNetworks_getDevice(i, &device));
    devices.push_back(device);
  }
  return devices;
}

const ANeuralNetworksDevice *firstDevice() { return allDevices().at(0); }

Compilation compilationOf(const Model &model) {
  ANeuralNetworksCompilation *made = nullptr;
  NEED(ANeuralNetworksCompilation_create(model.get(), &made));
  return Compilation(made);
}

Compilation compilationFor(const Model &model, std::vector<const ANeuralNetworksDevice *> devices) {
  ANeuralNetworksCompilation *made = nullptr;
  NEED(ANeuralNetworksCompilation_createForDevices(model.get(), devices.data(), static_cast<uint32_t>(devices.size()),
                                                   &made));
  return Compilation(made);
}

Compilation compile(const Model &model) {
  Compilation compilation = compilationFor(model, {firstDevice()});
  NEED(ANeuralNetworksCompilation_finish(compilation.get()));
  return compilation;
}

Compilation compileForAll(const Model &model) {
  Compilation compilation = compilationOf(model);
  NEED(ANeuralNetworksCompilation_finish(compilation.get()));
  return compilation;
}

Execution executionOf(const Compilation &compilation) {
  ANeuralNetworksExecution *made = nullptr;
  NEED(ANeuralNetworksExecution_create(compilation.get(), &made));
  return Execution(made);
}

Burst burstOf(const Compilation &compilation) {
  ANeuralNetworksBurst *made = nullptr;
  NEED(ANeuralNetworksBurst_create(compilation.get(), &made));
  return Burst(made);
}

Memory memoryFor(const Compilation &compilation, std::vector<uint32_t> inputs, std::vector<uint32_t> outputs) {
  ANeuralNetworksMemoryDesc *description = nullptr;
  NEED(ANeuralNetworksMemoryDesc_create(&description));
  const MemoryDesc desc(description);
  for (uint32_t index : inputs)
    NEED(ANeuralNetworksMemoryDesc_addInputRole(desc.get(), compilation.get(), index, 1));
  for (uint32_t index : outputs)
    NEED(ANeuralNetworksMemoryDesc_addOutputRole(desc.get(), compilation.get(), index, 0.5f));
  NEED(ANeuralNetworksMemoryDesc_finish(desc.get()));
  ANeuralNetworksMemory *made = nullptr;
  NEED(ANeuralNetworksMemory_createFromDesc(desc.get(), &made));
  return Memory(made);
}

Addition::Addition(const Compilation &compilation, bool isReusable) : execution(executionOf(compilation)) {
  NEED(ANeuralNetworksExecution_setReusable(get(), isReusable));
  NEED(ANeuralNetworksExecution_setInput(get(), 0, nullptr, first, sizeof(first)));
  NEED(ANeuralNetworksExecution_setInput(get(), 1, nullptr, second, sizeof(second)));
  NEED(ANeuralNetworksExecution_setOutput(get(), 0, nullptr, output, sizeof(output)));
}

SharedFile::SharedFile(size_t bytes) : size_(bytes), descriptor_(memfd_create("test", MFD_CLOEXEC)) {
  if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0)
    throw std::runtime_error("no memory file");
  address_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (address_ == MAP_FAILED)
    throw std::runtime_error("a memory file cannot be mapped");
}

SharedFile::~SharedFile() {
  munmap(address_, size_);
  close(descriptor_);
}

Memory SharedFile::memory() const {
  ANeuralNetworksMemory *made = nullptr;
  NEED(ANeuralNetworksMemory_createFromFd(size_, PROT_READ | PROT_WRITE, descriptor_, 0, &made));
  return Memory(made);
}

} // namespace avocet::nnapi::testing
