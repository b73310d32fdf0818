//===- CacheProbe.cpp - An application that caches its model --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nnapiCacheProbe FOLDER TOKEN FACTOR: multiplies 1, 2, 3, 4 by the factor on the first device, after it was asked
// whether it supports that, with the model cached in the folder under a token made of the number TOKEN. Exit code 0:
// the products are right; else the number of the failed step.
//
//===----------------------------------------------------------------------===//

#include "avocet/NeuralNetworks.h"
#include "avocet/base/GuardedMain.h"

#include <array>
#include <cstdlib>

namespace {

constexpr std::array<uint32_t, 1> kExtents = {4};
constexpr std::array<float, 4> kNumbers = {1, 2, 3, 4};

/// Operands: 0 the input, 1 the constant factor, 2 the activation, 3 the output.
bool build(ANeuralNetworksModel *model, const std::array<float, 4> &factors) {
  const ANeuralNetworksOperandType tensor = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, kExtents.data(), 0, 0};
  const ANeuralNetworksOperandType scalar = {ANEURALNETWORKS_INT32, 0, nullptr, 0, 0};
  const int32_t noActivation = ANEURALNETWORKS_FUSED_NONE;
  const std::array<uint32_t, 3> operands = {0, 1, 2};
  const std::array<uint32_t, 1> input = {0}, output = {3};
  int result = ANeuralNetworksModel_addOperand(model, &tensor);
  result |= ANeuralNetworksModel_addOperand(model, &tensor);
  result |= ANeuralNetworksModel_addOperand(model, &scalar);
  result |= ANeuralNetworksModel_addOperand(model, &tensor);
  result |= ANeuralNetworksModel_setOperandValue(model, 1, factors.data(), sizeof(factors));
  result |= ANeuralNetworksModel_setOperandValue(model, 2, &noActivation, sizeof(noActivation));
  result |= ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_MUL, 3, operands.data(), 1, output.data());
  result |= ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, input.data(), 1, output.data());
  result |= ANeuralNetworksModel_finish(model);
  return result == ANEURALNETWORKS_NO_ERROR;
}

bool isSupported(ANeuralNetworksModel *model) {
  ANeuralNetworksDevice *device = nullptr;
  bool supported = false;
  return ANeuralNetworks_getDevice(0, &device) == ANEURALNETWORKS_NO_ERROR &&
         ANeuralNetworksModel_getSupportedOperationsForDevices(model, &device, 1, &supported) ==
             ANEURALNETWORKS_NO_ERROR &&
         supported;
}

ANeuralNetworksCompilation *compile(ANeuralNetworksModel *model, const char *folder, uint8_t token) {
  ANeuralNetworksDevice *device = nullptr;
  ANeuralNetworksCompilation *compilation = nullptr;
  std::array<uint8_t, ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN> bytes{};
  bytes.fill(token);
  if (ANeuralNetworks_getDevice(0, &device) != ANEURALNETWORKS_NO_ERROR ||
      ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation) != ANEURALNETWORKS_NO_ERROR ||
      ANeuralNetworksCompilation_setCaching(compilation, folder, bytes.data()) != ANEURALNETWORKS_NO_ERROR ||
      ANeuralNetworksCompilation_finish(compilation) != ANEURALNETWORKS_NO_ERROR)
    return nullptr;
  return compilation;
}

bool multiplies(ANeuralNetworksCompilation *compilation, float factor) {
  ANeuralNetworksExecution *execution = nullptr;
  std::array<float, 4> products{};
  int result = ANeuralNetworksExecution_create(compilation, &execution);
  result |= ANeuralNetworksExecution_setInput(execution, 0, nullptr, kNumbers.data(), sizeof(kNumbers));
  result |= ANeuralNetworksExecution_setOutput(execution, 0, nullptr, products.data(), sizeof(products));
  result |= ANeuralNetworksExecution_compute(execution);
  ANeuralNetworksExecution_free(execution);
  for (size_t i = 0; i < products.size(); ++i)
    if (products[i] != kNumbers[i] * factor)
      return false;
  return result == ANEURALNETWORKS_NO_ERROR;
}

int runMain(int argc, char **argv) {
  if (argc != 4)
    return 1;
  const float factor = std::strtof(argv[3], nullptr);
  ANeuralNetworksModel *model = nullptr;
  if (ANeuralNetworksModel_create(&model) != ANEURALNETWORKS_NO_ERROR ||
      !build(model, {factor, factor, factor, factor}))
    return 2;
  if (!isSupported(model))
    return 5;
  ANeuralNetworksCompilation *compilation = compile(model, argv[1], static_cast<uint8_t>(std::atoi(argv[2])));
  if (compilation == nullptr)
    return 3;
  if (!multiplies(compilation, factor))
    return 4;
  ANeuralNetworksCompilation_free(compilation);
  ANeuralNetworksModel_free(model);
  return 0;
}

} // namespace

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
