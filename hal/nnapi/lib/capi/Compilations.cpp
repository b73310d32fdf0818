//===- Compilations.cpp - Functions ANeuralNetworksCompilation_* ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/Call.h"
#include "capi/Handles.h"
#include "compilation/Compilation.h"
#include "device/DebugSettings.h"
#include "device/DeviceList.h"
#include "model/ModelBuilder.h"

using namespace avocet::nnapi;

namespace {

ApiResult<std::shared_ptr<Compilation>> makeCompilation(const ModelBuilder &model, CompilationOptions options) {
  if (model.finished() == nullptr)
    return badState("the model is not finished, or not valid");
  return std::make_shared<Compilation>(model.finished(), std::move(options));
}

} // namespace

int ANeuralNetworksCompilation_create(ANeuralNetworksModel *model, ANeuralNetworksCompilation **compilation) {
  return create(__func__, {model}, compilation, [&] {
    CompilationOptions options;
    options.devices = DeviceList::instance().automatic();
    options.mayFallBack = DebugSettings::instance().partition == DebugSettings::Partition::WithFallback;
    return makeCompilation(*model->object, std::move(options));
  });
}

int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel *model,
                                                const ANeuralNetworksDevice *const *devices, uint32_t numDevices,
                                                ANeuralNetworksCompilation **compilation) {
  return create(__func__, {model, devices}, compilation, [&]() -> ApiResult<std::shared_ptr<Compilation>> {
    CompilationOptions options;
    options.choseDevices = true;
    AVOCET_ASSIGN_OR_RETURN(options.devices, devicesOf({devices, numDevices}));
    return makeCompilation(*model->object, std::move(options));
  });
}

void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation *compilation) { release(__func__, compilation); }

int ANeuralNetworksCompilation_setPreference(ANeuralNetworksCompilation *compilation, int32_t preference) {
  return call(__func__, {compilation}, [&] { return compilation->object->setPreference(preference); });
}

int ANeuralNetworksCompilation_setPriority(ANeuralNetworksCompilation *compilation, int priority) {
  return call(__func__, {compilation}, [&] { return compilation->object->setPriority(priority); });
}

int ANeuralNetworksCompilation_setTimeout(ANeuralNetworksCompilation *compilation, uint64_t duration) {
  return call(__func__, {compilation}, [&] { return compilation->object->setTimeout(duration); });
}

int ANeuralNetworksCompilation_setCaching(ANeuralNetworksCompilation *compilation, const char *cacheDir,
                                          const uint8_t *token) {
  return call(__func__, {compilation, cacheDir, token},
              [&] { return compilation->object->setCaching(cacheDir, token); });
}

int ANeuralNetworksCompilation_addExtensionAttribute(ANeuralNetworksCompilation *compilation, const char *extensionName,
                                                     uint16_t attributeCodeWithinExtension, const void *data,
                                                     size_t length) {
  return call(__func__, {compilation, extensionName, data}, [&] {
    return compilation->object->addHint(extensionName, attributeCodeWithinExtension,
                                        {static_cast<const uint8_t *>(data), length});
  });
}

int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation *compilation) {
  return call(__func__, {compilation}, [&] { return compilation->object->finish(); });
}

int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(const ANeuralNetworksCompilation *compilation,
                                                                   uint32_t index, uint32_t *alignment) {
  return call(__func__, {compilation, alignment}, [&]() -> ApiOutcome {
    AVOCET_ASSIGN_OR_RETURN(*alignment, compilation->object->preferredAlignment(false, index));
    return success();
  });
}

int ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(const ANeuralNetworksCompilation *compilation,
                                                                 uint32_t index, uint32_t *padding) {
  return call(__func__, {compilation, padding}, [&]() -> ApiOutcome {
    AVOCET_ASSIGN_OR_RETURN(*padding, compilation->object->preferredPadding(false, index));
    return success();
  });
}

int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(const ANeuralNetworksCompilation *compilation,
                                                                    uint32_t index, uint32_t *alignment) {
  return call(__func__, {compilation, alignment}, [&]() -> ApiOutcome {
    AVOCET_ASSIGN_OR_RETURN(*alignment, compilation->object->preferredAlignment(true, index));
    return success();
  });
}

int ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(const ANeuralNetworksCompilation *compilation,
                                                                  uint32_t index, uint32_t *padding) {
  return call(__func__, {compilation, padding}, [&]() -> ApiOutcome {
    AVOCET_ASSIGN_OR_RETURN(*padding, compilation->object->preferredPadding(true, index));
    return success();
  });
}
