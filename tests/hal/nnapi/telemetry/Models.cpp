//===- Models.cpp ---------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace avocet::nnapi::test {
namespace {

namespace fs = std::filesystem;

/// A folder that is removed when the process ends.
class Folder {
public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "nnapiTelemetryXXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr)
      path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

void expectOk(int result) { EXPECT_EQ(result, ANEURALNETWORKS_NO_ERROR); }

ANeuralNetworksOperandType tensorOf(const std::vector<uint32_t> &extents, int32_t type) {
  const bool isQuantized = type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
  return {type, static_cast<uint32_t>(extents.size()), extents.data(), isQuantized ? 0.5F : 0, 0};
}

constexpr ANeuralNetworksOperandType kNumber = {ANEURALNETWORKS_INT32, 0, nullptr, 0, 0};
constexpr int32_t kNoActivation = ANEURALNETWORKS_FUSED_NONE;

void identify(ANeuralNetworksModel *model, const std::vector<uint32_t> &inputs, uint32_t output) {
  expectOk(ANeuralNetworksModel_identifyInputsAndOutputs(model, static_cast<uint32_t>(inputs.size()), inputs.data(), 1,
                                                         &output));
  expectOk(ANeuralNetworksModel_finish(model));
}

} // namespace

const std::string &useEmbeddedDevice() {
  static const Folder kFolder;
  setenv("AVOCET_NNAPI_DEVICES", "embedded", 1);
  setenv("AVOCET_NNAPI_RECORDS", kFolder.path().c_str(), 1);
  return kFolder.path();
}

ANeuralNetworksDevice *deviceAt(uint32_t index) {
  ANeuralNetworksDevice *device = nullptr;
  expectOk(ANeuralNetworks_getDevice(index, &device));
  return device;
}

ANeuralNetworksDevice *cpuDevice() {
  uint32_t count = 0;
  expectOk(ANeuralNetworks_getDeviceCount(&count));
  return deviceAt(count - 1);
}

Owned<ANeuralNetworksModel> multiplication(const std::vector<uint32_t> &extents, float factor, int32_t type) {
  ANeuralNetworksModel *model = nullptr;
  expectOk(ANeuralNetworksModel_create(&model));
  const ANeuralNetworksOperandType tensor = tensorOf(extents, type);
  // The scale of a product must exceed the product of the scales.
  const ANeuralNetworksOperandType product = {type, tensor.dimensionCount, tensor.dimensions, tensor.scale * 2, 0};
  const std::vector<uint32_t> one = {1};
  const ANeuralNetworksOperandType constant = tensorOf(one, type);
  for (const ANeuralNetworksOperandType *operand : {&tensor, &constant, &kNumber, &product})
    expectOk(ANeuralNetworksModel_addOperand(model, operand));
  const auto byte = static_cast<uint8_t>(factor);
  if (type == ANEURALNETWORKS_TENSOR_FLOAT32)
    expectOk(ANeuralNetworksModel_setOperandValue(model, 1, &factor, sizeof(factor)));
  else
    expectOk(ANeuralNetworksModel_setOperandValue(model, 1, &byte, sizeof(byte)));
  expectOk(ANeuralNetworksModel_setOperandValue(model, 2, &kNoActivation, sizeof(kNoActivation)));
  const std::array<uint32_t, 3> inputs = {0, 1, 2};
  const uint32_t output = 3;
  expectOk(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_MUL, 3, inputs.data(), 1, &output));
  identify(model, {0}, output);
  return Owned<ANeuralNetworksModel>(model);
}

Owned<ANeuralNetworksModel> branching() {
  const std::vector<uint32_t> four = {4}, one = {1};
  const Owned<ANeuralNetworksModel> twice = multiplication(four, 2), thrice = multiplication(four, 3);
  ANeuralNetworksModel *model = nullptr;
  expectOk(ANeuralNetworksModel_create(&model));
  const ANeuralNetworksOperandType condition = tensorOf(one, ANEURALNETWORKS_TENSOR_BOOL8);
  const ANeuralNetworksOperandType branch = {ANEURALNETWORKS_MODEL, 0, nullptr, 0, 0};
  const ANeuralNetworksOperandType tensor = tensorOf(four, ANEURALNETWORKS_TENSOR_FLOAT32);
  for (const ANeuralNetworksOperandType *operand : {&condition, &branch, &branch, &tensor, &tensor})
    expectOk(ANeuralNetworksModel_addOperand(model, operand));
  expectOk(ANeuralNetworksModel_setOperandValueFromModel(model, 1, twice.get()));
  expectOk(ANeuralNetworksModel_setOperandValueFromModel(model, 2, thrice.get()));
  const std::array<uint32_t, 4> inputs = {0, 1, 2, 3};
  const uint32_t output = 4;
  expectOk(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_IF, 4, inputs.data(), 1, &output));
  identify(model, {0, 3}, output);
  return Owned<ANeuralNetworksModel>(model);
}

Owned<ANeuralNetworksCompilation> compilationFor(const Owned<ANeuralNetworksModel> &model,
                                                 ANeuralNetworksDevice *device) {
  ANeuralNetworksCompilation *compilation = nullptr;
  expectOk(ANeuralNetworksCompilation_createForDevices(model.get(), &device, 1, &compilation));
  return Owned<ANeuralNetworksCompilation>(compilation);
}

Owned<ANeuralNetworksCompilation> compiled(const Owned<ANeuralNetworksModel> &model, ANeuralNetworksDevice *device) {
  Owned<ANeuralNetworksCompilation> compilation = compilationFor(model, device);
  expectOk(ANeuralNetworksCompilation_finish(compilation.get()));
  return compilation;
}

Owned<ANeuralNetworksExecution> executionOf(const Owned<ANeuralNetworksCompilation> &compilation, Numbers &numbers) {
  ANeuralNetworksExecution *execution = nullptr;
  expectOk(ANeuralNetworksExecution_create(compilation.get(), &execution));
  expectOk(ANeuralNetworksExecution_setInput(execution, 0, nullptr, numbers.x.data(), sizeof(numbers.x)));
  expectOk(ANeuralNetworksExecution_setOutput(execution, 0, nullptr, numbers.y.data(), sizeof(numbers.y)));
  return Owned<ANeuralNetworksExecution>(execution);
}

} // namespace avocet::nnapi::test
