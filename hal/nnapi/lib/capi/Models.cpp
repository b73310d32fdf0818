//===- Models.cpp - Functions ANeuralNetworksModel_* ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/Call.h"
#include "capi/Handles.h"
#include "compilation/Preparation.h"
#include "model/ModelBuilder.h"

using namespace avocet::nnapi;

int ANeuralNetworksModel_create(ANeuralNetworksModel **model) {
  return create(__func__, {}, model,
                []() -> ApiResult<std::shared_ptr<ModelBuilder>> { return std::make_shared<ModelBuilder>(); });
}

void ANeuralNetworksModel_free(ANeuralNetworksModel *model) { release(__func__, model); }

int ANeuralNetworksModel_addOperand(ANeuralNetworksModel *model, const ANeuralNetworksOperandType *type) {
  return call(__func__, {model, type}, [&] { return model->object->addOperand(*type); });
}

int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel *model, int32_t index, const void *buffer,
                                         size_t length) {
  return call(__func__, {model}, [&] { return model->object->setValue(index, buffer, length); });
}

int ANeuralNetworksModel_setOperandValueFromMemory(ANeuralNetworksModel *model, int32_t index,
                                                   const ANeuralNetworksMemory *memory, size_t offset, size_t length) {
  return call(__func__, {model, memory},
              [&] { return model->object->setValueFromMemory(index, memory->object, offset, length); });
}

int ANeuralNetworksModel_setOperandValueFromModel(ANeuralNetworksModel *model, int32_t index,
                                                  const ANeuralNetworksModel *value) {
  return call(__func__, {model, value}, [&] { return model->object->setValueFromModel(index, *value->object); });
}

int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
    ANeuralNetworksModel *model, int32_t index, const ANeuralNetworksSymmPerChannelQuantParams *channelQuant) {
  return call(__func__, {model, channelQuant},
              [&] { return model->object->setChannelQuantization(index, *channelQuant); });
}

int ANeuralNetworksModel_addOperation(ANeuralNetworksModel *model, ANeuralNetworksOperationType type,
                                      uint32_t inputCount, const uint32_t *inputs, uint32_t outputCount,
                                      const uint32_t *outputs) {
  return call(__func__, {model, inputs, outputs},
              [&] { return model->object->addOperation(type, {inputs, inputCount}, {outputs, outputCount}); });
}

int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel *model, uint32_t inputCount,
                                                  const uint32_t *inputs, uint32_t outputCount,
                                                  const uint32_t *outputs) {
  return call(__func__, {model, inputs, outputs},
              [&] { return model->object->setInputsAndOutputs({inputs, inputCount}, {outputs, outputCount}); });
}

int ANeuralNetworksModel_relaxComputationFloat32toFloat16(ANeuralNetworksModel *model, bool allow) {
  return call(__func__, {model}, [&] { return model->object->relax(allow); });
}

int ANeuralNetworksModel_finish(ANeuralNetworksModel *model) {
  return call(__func__, {model}, [&] { return model->object->finish(); });
}

int ANeuralNetworksModel_getExtensionOperandType(ANeuralNetworksModel *model, const char *extensionName,
                                                 uint16_t operandCodeWithinExtension, int32_t *type) {
  return call(__func__, {model, extensionName, type}, [&]() -> ApiOutcome {
    AVOCET_ASSIGN_OR_RETURN(*type, model->object->extensionCode(extensionName, operandCodeWithinExtension));
    return success();
  });
}

int ANeuralNetworksModel_getExtensionOperationType(ANeuralNetworksModel *model, const char *extensionName,
                                                   uint16_t operationCodeWithinExtension,
                                                   ANeuralNetworksOperationType *type) {
  return call(__func__, {model, extensionName, type}, [&]() -> ApiOutcome {
    AVOCET_ASSIGN_OR_RETURN(*type, model->object->extensionCode(extensionName, operationCodeWithinExtension));
    return success();
  });
}

int ANeuralNetworksModel_setOperandExtensionData(ANeuralNetworksModel *model, int32_t index, const void *data,
                                                 size_t length) {
  return call(__func__, {model}, [&] { return model->object->setExtensionData(index, data, length); });
}

int ANeuralNetworksModel_getSupportedOperationsForDevices(const ANeuralNetworksModel *model,
                                                          const ANeuralNetworksDevice *const *devices,
                                                          uint32_t numDevices, bool *supportedOps) {
  return call(__func__, {model, devices, supportedOps}, [&]() -> ApiOutcome {
    AVOCET_ASSIGN_OR_RETURN(std::vector<std::shared_ptr<Device>> chosen, devicesOf({devices, numDevices}));
    if (model->object->finished() == nullptr)
      return badState("the model is not finished, or not valid");
    const std::vector<bool> supported = supportedOperations(*model->object->finished(), chosen);
    std::copy(supported.begin(), supported.end(), supportedOps);
    return success();
  });
}
