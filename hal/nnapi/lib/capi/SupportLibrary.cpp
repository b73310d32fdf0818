//===- SupportLibrary.cpp - The function table of NNAPI's support library -===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/NeuralNetworksSupportLibrary.h"

#include "capi/Call.h"
#include "capi/Handles.h"
#include "compilation/Compilation.h"
#include "device/DeviceList.h"

#include <fmt/format.h>

#include <cstddef>

using namespace avocet::nnapi;

namespace {

// Other programs have the layout compiled in: slot n is at byte 8 + 8n.
constexpr size_t slotAt(size_t offset) { return (offset - sizeof(NnApiSLDriverImpl)) / sizeof(void *); }
static_assert(sizeof(NnApiSLDriverImpl) == 8 && sizeof(NnApiSLDriverImplFL7) == 840);
static_assert(slotAt(offsetof(NnApiSLDriverImplFL7, ANeuralNetworksBurst_create)) == 0);
static_assert(slotAt(offsetof(NnApiSLDriverImplFL7, ANeuralNetworksCompilation_createForDevices)) == 2);
static_assert(slotAt(offsetof(NnApiSLDriverImplFL7, ANeuralNetworksDevice_getExtensionSupport)) == 13);
static_assert(slotAt(offsetof(NnApiSLDriverImplFL7, ANeuralNetworksEvent_createFromSyncFenceFd)) == 19);
static_assert(slotAt(offsetof(NnApiSLDriverImplFL7, ANeuralNetworksExecution_burstCompute)) == 23);
static_assert(slotAt(offsetof(NnApiSLDriverImplFL7, ANeuralNetworksMemoryDesc_addInputRole)) == 40);
static_assert(slotAt(offsetof(NnApiSLDriverImplFL7, ANeuralNetworksMemory_copy)) == 46);
static_assert(slotAt(offsetof(NnApiSLDriverImplFL7, ANeuralNetworksModel_addOperand)) == 51);
static_assert(slotAt(offsetof(NnApiSLDriverImplFL7, ANeuralNetworks_getDefaultLoopTimeout)) == 66);
static_assert(slotAt(offsetof(NnApiSLDriverImplFL7, SL_ANeuralNetworksCompilation_setCachingFromFds)) == 71);
static_assert(slotAt(offsetof(NnApiSLDriverImplFL7, SL_ANeuralNetworksDiagnosticCompilationInfo_getSessionId)) == 78);
static_assert(slotAt(offsetof(NnApiSLDriverImplFL7, SL_ANeuralNetworksDiagnosticExecutionInfo_getSessionId)) == 89);
static_assert(slotAt(offsetof(NnApiSLDriverImplFL7, SL_ANeuralNetworksDiagnostic_registerCallbacks)) == 103);

SL_ANeuralNetworksPerformanceInfo figuresOf(const avocet::hal::PerformanceInfo &info) {
  return {info.execTime, info.powerUsage};
}

ApiResult<const avocet::hal::Extension *> extensionAt(const Device &device, uint32_t index) {
  const auto &extensions = device.hal()->supportedExtensions();
  if (index >= extensions.size())
    return badData(fmt::format("extension {} of device {}, which has {}", index, device.name(), extensions.size()));
  return &extensions[index];
}

} // namespace

int SL_ANeuralNetworksCompilation_setCachingFromFds(ANeuralNetworksCompilation *compilation, const int *modelCacheFds,
                                                    uint32_t numModelCacheFiles, const int *dataCacheFds,
                                                    uint32_t numDataCacheFiles, const uint8_t *token) {
  return call(__func__, {compilation, token}, [&]() -> ApiOutcome {
    if ((modelCacheFds == nullptr && numModelCacheFiles != 0) || (dataCacheFds == nullptr && numDataCacheFiles != 0))
      return unexpectedNull("a list of cache files is null");
    return compilation->object->setCachingFiles({modelCacheFds, numModelCacheFiles}, {dataCacheFds, numDataCacheFiles},
                                                token);
  });
}

int SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(const ANeuralNetworksDevice *device,
                                                         uint32_t *numModelCacheFiles, uint32_t *numDataCacheFiles) {
  return call(__func__, {device, numModelCacheFiles, numDataCacheFiles}, [&] {
    const avocet::hal::NumberOfCacheFiles needed = device->object->hal()->numberOfCacheFilesNeeded();
    *numModelCacheFiles = needed.numModelCache;
    *numDataCacheFiles = needed.numDataCache;
    return success();
  });
}

int SL_ANeuralNetworksDevice_getPerformanceInfo(const ANeuralNetworksDevice *device, int32_t performanceInfoKind,
                                                SL_ANeuralNetworksPerformanceInfo *performanceInfo) {
  return call(__func__, {device, performanceInfo}, [&]() -> ApiOutcome {
    const avocet::hal::Capabilities &capabilities = device->object->hal()->capabilities();
    switch (performanceInfoKind) {
    case SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_SCALAR:
      *performanceInfo = figuresOf(capabilities.relaxedFloat32toFloat16PerformanceScalar);
      return success();
    case SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_TENSOR:
      *performanceInfo = figuresOf(capabilities.relaxedFloat32toFloat16PerformanceTensor);
      return success();
    case SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_IF:
      *performanceInfo = figuresOf(capabilities.ifPerformance);
      return success();
    case SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_WHILE:
      *performanceInfo = figuresOf(capabilities.whilePerformance);
      return success();
    default:
      return badData(fmt::format("performance figure {}; it must be 0 to 3", performanceInfoKind));
    }
  });
}

int SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(const ANeuralNetworksDevice *device, void *context,
                                                           void (*callback)(SL_ANeuralNetworksOperandPerformanceInfo,
                                                                            void *)) {
  return call(__func__, {device}, [&]() -> ApiOutcome {
    if (callback == nullptr)
      return unexpectedNull("the callback is null");
    for (const auto &[type, info] : device->object->hal()->capabilities().operandPerformance)
      callback({static_cast<int32_t>(type), figuresOf(info)}, context);
    return success();
  });
}

int SL_ANeuralNetworksDevice_getVendorExtensionCount(const ANeuralNetworksDevice *device,
                                                     uint32_t *vendorExtensionCount) {
  return call(__func__, {device, vendorExtensionCount}, [&] {
    *vendorExtensionCount = static_cast<uint32_t>(device->object->hal()->supportedExtensions().size());
    return success();
  });
}

int SL_ANeuralNetworksDevice_getVendorExtensionName(const ANeuralNetworksDevice *device, uint32_t vendorExtensionIndex,
                                                    const char **extensionName) {
  return call(__func__, {device, extensionName}, [&]() -> ApiOutcome {
    AVOCET_ASSIGN_OR_RETURN(const avocet::hal::Extension *extension,
                            extensionAt(*device->object, vendorExtensionIndex));
    *extensionName = extension->name.c_str();
    return success();
  });
}

int SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation(
    const ANeuralNetworksDevice *device, uint32_t vendorExtensionIndex, void *context,
    void (*callback)(SL_ANeuralNetworksExtensionOperandTypeInformation, void *)) {
  return call(__func__, {device}, [&]() -> ApiOutcome {
    if (callback == nullptr)
      return unexpectedNull("the callback is null");
    AVOCET_ASSIGN_OR_RETURN(const avocet::hal::Extension *extension,
                            extensionAt(*device->object, vendorExtensionIndex));
    for (const auto &type : extension->operandTypes)
      callback({type.byteSize, type.type, type.isTensor}, context);
    return success();
  });
}

NnApiSLDriverImpl *ANeuralNetworks_getSLDriverImpl(void) {
  // Not constant: the type of the result lets the caller write it.
#define AVOCET_SUPPORT_LIBRARY_FUNCTION(FUNCTION) FUNCTION,
  static NnApiSLDriverImplFL7 table{{ANEURALNETWORKS_FEATURE_LEVEL_7},
                                    AVOCET_SUPPORT_LIBRARY_SLOTS(AVOCET_SUPPORT_LIBRARY_FUNCTION)};
#undef AVOCET_SUPPORT_LIBRARY_FUNCTION
  return &table.base;
}
