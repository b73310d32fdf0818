//===- NeuralNetworksSupportLibrary.h - NNAPI as a table --------*- C -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library as an NNAPI support library: one symbol returns a table of all functions, so that a program can load
// several drivers beside each other. The table has the layout of Android's NnApiSLDriverImplFL7: the level, then
// functions in a fixed order.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_NEURALNETWORKSSUPPORTLIBRARY_H
#define AVOCET_NEURALNETWORKSSUPPORTLIBRARY_H

#include "avocet/NeuralNetworks.h"
#include "avocet/NeuralNetworksDiagnostic.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Time and energy relative to the CPU's: less is better.
typedef struct {
  float execTime;
  float powerUsage;
} SL_ANeuralNetworksPerformanceInfo;

/// The figures of operations whose first input has the type. Of float32: those of models that are not relaxed.
typedef struct {
  int32_t operandType;
  SL_ANeuralNetworksPerformanceInfo performanceInfo;
} SL_ANeuralNetworksOperandPerformanceInfo;

typedef struct {
  uint32_t byteSize; ///< of a scalar, or of one element
  uint16_t type;     ///< number within the extension
  bool isTensor;
} SL_ANeuralNetworksExtensionOperandTypeInformation;

/// Relaxed: float32 that is computed with float16. If, while: the operation itself, without branches and bodies.
typedef enum {
  SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_SCALAR = 0,
  SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_RELAXED_TENSOR = 1,
  SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_IF = 2,
  SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_WHILE = 3,
} SL_ANeuralNetworksPerformanceInfoCode;

/// As ANeuralNetworksCompilation_setCaching(), with files of the caller, open for reading and writing, instead of a
/// folder. The descriptors are duplicated. The library reads a compiled model from them, or writes it; an empty file is
/// no error. BAD_DATA: the compilation is not for exactly one device, the device needs another number of files, or a
/// descriptor is closed.
int SL_ANeuralNetworksCompilation_setCachingFromFds(ANeuralNetworksCompilation *compilation, const int *modelCacheFds,
                                                    uint32_t numModelCacheFiles, const int *dataCacheFds,
                                                    uint32_t numDataCacheFiles, const uint8_t *token);
/// Both 0: the device caches nothing.
int SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(const ANeuralNetworksDevice *device,
                                                         uint32_t *numModelCacheFiles, uint32_t *numDataCacheFiles);
/// `performanceInfoKind`: a SL_ANeuralNetworksPerformanceInfoCode.
int SL_ANeuralNetworksDevice_getPerformanceInfo(const ANeuralNetworksDevice *device, int32_t performanceInfoKind,
                                                SL_ANeuralNetworksPerformanceInfo *performanceInfo);
/// Calls `callback` once for each type of operand, in the order of the types. `context` may be null.
int SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(const ANeuralNetworksDevice *device, void *context,
                                                           void (*callback)(SL_ANeuralNetworksOperandPerformanceInfo,
                                                                            void *));
int SL_ANeuralNetworksDevice_getVendorExtensionCount(const ANeuralNetworksDevice *device,
                                                     uint32_t *vendorExtensionCount);
/// The name lives as long as the process.
int SL_ANeuralNetworksDevice_getVendorExtensionName(const ANeuralNetworksDevice *device, uint32_t vendorExtensionIndex,
                                                    const char **extensionName);
/// Calls `callback` once for each operand type of the extension. `context` may be null.
int SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation(
    const ANeuralNetworksDevice *device, uint32_t vendorExtensionIndex, void *context,
    void (*callback)(SL_ANeuralNetworksExtensionOperandTypeInformation, void *));

/// The functions of the table, in its order. Compilation_create() and Execution_startCompute() have no place in it.
// clang-format off
#define AVOCET_SUPPORT_LIBRARY_SLOTS(SLOT) \
  SLOT(ANeuralNetworksBurst_create) \
  SLOT(ANeuralNetworksBurst_free) \
  SLOT(ANeuralNetworksCompilation_createForDevices) \
  SLOT(ANeuralNetworksCompilation_finish) \
  SLOT(ANeuralNetworksCompilation_free) \
  SLOT(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput) \
  SLOT(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput) \
  SLOT(ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput) \
  SLOT(ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput) \
  SLOT(ANeuralNetworksCompilation_setCaching) \
  SLOT(ANeuralNetworksCompilation_setPreference) \
  SLOT(ANeuralNetworksCompilation_setPriority) \
  SLOT(ANeuralNetworksCompilation_setTimeout) \
  SLOT(ANeuralNetworksDevice_getExtensionSupport) \
  SLOT(ANeuralNetworksDevice_getFeatureLevel) \
  SLOT(ANeuralNetworksDevice_getName) \
  SLOT(ANeuralNetworksDevice_getType) \
  SLOT(ANeuralNetworksDevice_getVersion) \
  SLOT(ANeuralNetworksDevice_wait) \
  SLOT(ANeuralNetworksEvent_createFromSyncFenceFd) \
  SLOT(ANeuralNetworksEvent_free) \
  SLOT(ANeuralNetworksEvent_getSyncFenceFd) \
  SLOT(ANeuralNetworksEvent_wait) \
  SLOT(ANeuralNetworksExecution_burstCompute) \
  SLOT(ANeuralNetworksExecution_compute) \
  SLOT(ANeuralNetworksExecution_create) \
  SLOT(ANeuralNetworksExecution_enableInputAndOutputPadding) \
  SLOT(ANeuralNetworksExecution_free) \
  SLOT(ANeuralNetworksExecution_getDuration) \
  SLOT(ANeuralNetworksExecution_getOutputOperandDimensions) \
  SLOT(ANeuralNetworksExecution_getOutputOperandRank) \
  SLOT(ANeuralNetworksExecution_setInput) \
  SLOT(ANeuralNetworksExecution_setInputFromMemory) \
  SLOT(ANeuralNetworksExecution_setLoopTimeout) \
  SLOT(ANeuralNetworksExecution_setMeasureTiming) \
  SLOT(ANeuralNetworksExecution_setOutput) \
  SLOT(ANeuralNetworksExecution_setOutputFromMemory) \
  SLOT(ANeuralNetworksExecution_setReusable) \
  SLOT(ANeuralNetworksExecution_setTimeout) \
  SLOT(ANeuralNetworksExecution_startComputeWithDependencies) \
  SLOT(ANeuralNetworksMemoryDesc_addInputRole) \
  SLOT(ANeuralNetworksMemoryDesc_addOutputRole) \
  SLOT(ANeuralNetworksMemoryDesc_create) \
  SLOT(ANeuralNetworksMemoryDesc_finish) \
  SLOT(ANeuralNetworksMemoryDesc_free) \
  SLOT(ANeuralNetworksMemoryDesc_setDimensions) \
  SLOT(ANeuralNetworksMemory_copy) \
  SLOT(ANeuralNetworksMemory_createFromAHardwareBuffer) \
  SLOT(ANeuralNetworksMemory_createFromDesc) \
  SLOT(ANeuralNetworksMemory_createFromFd) \
  SLOT(ANeuralNetworksMemory_free) \
  SLOT(ANeuralNetworksModel_addOperand) \
  SLOT(ANeuralNetworksModel_addOperation) \
  SLOT(ANeuralNetworksModel_create) \
  SLOT(ANeuralNetworksModel_finish) \
  SLOT(ANeuralNetworksModel_free) \
  SLOT(ANeuralNetworksModel_getExtensionOperandType) \
  SLOT(ANeuralNetworksModel_getExtensionOperationType) \
  SLOT(ANeuralNetworksModel_getSupportedOperationsForDevices) \
  SLOT(ANeuralNetworksModel_identifyInputsAndOutputs) \
  SLOT(ANeuralNetworksModel_relaxComputationFloat32toFloat16) \
  SLOT(ANeuralNetworksModel_setOperandExtensionData) \
  SLOT(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams) \
  SLOT(ANeuralNetworksModel_setOperandValue) \
  SLOT(ANeuralNetworksModel_setOperandValueFromMemory) \
  SLOT(ANeuralNetworksModel_setOperandValueFromModel) \
  SLOT(ANeuralNetworks_getDefaultLoopTimeout) \
  SLOT(ANeuralNetworks_getDevice) \
  SLOT(ANeuralNetworks_getDeviceCount) \
  SLOT(ANeuralNetworks_getMaximumLoopTimeout) \
  SLOT(ANeuralNetworks_getRuntimeFeatureLevel) \
  SLOT(SL_ANeuralNetworksCompilation_setCachingFromFds) \
  SLOT(SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded) \
  SLOT(SL_ANeuralNetworksDevice_getPerformanceInfo) \
  SLOT(SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo) \
  SLOT(SL_ANeuralNetworksDevice_getVendorExtensionCount) \
  SLOT(SL_ANeuralNetworksDevice_getVendorExtensionName) \
  SLOT(SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation) \
  SLOT(SL_ANeuralNetworksDiagnosticCompilationInfo_getSessionId) \
  SLOT(SL_ANeuralNetworksDiagnosticCompilationInfo_getNnApiVersion) \
  SLOT(SL_ANeuralNetworksDiagnosticCompilationInfo_getModelArchHash) \
  SLOT(SL_ANeuralNetworksDiagnosticCompilationInfo_getDeviceIds) \
  SLOT(SL_ANeuralNetworksDiagnosticCompilationInfo_getErrorCode) \
  SLOT(SL_ANeuralNetworksDiagnosticCompilationInfo_getInputDataClass) \
  SLOT(SL_ANeuralNetworksDiagnosticCompilationInfo_getOutputDataClass) \
  SLOT(SL_ANeuralNetworksDiagnosticCompilationInfo_getCompilationTimeNanos) \
  SLOT(SL_ANeuralNetworksDiagnosticCompilationInfo_isCachingEnabled) \
  SLOT(SL_ANeuralNetworksDiagnosticCompilationInfo_isControlFlowUsed) \
  SLOT(SL_ANeuralNetworksDiagnosticCompilationInfo_areDynamicTensorsUsed) \
  SLOT(SL_ANeuralNetworksDiagnosticExecutionInfo_getSessionId) \
  SLOT(SL_ANeuralNetworksDiagnosticExecutionInfo_getNnApiVersion) \
  SLOT(SL_ANeuralNetworksDiagnosticExecutionInfo_getModelArchHash) \
  SLOT(SL_ANeuralNetworksDiagnosticExecutionInfo_getDeviceIds) \
  SLOT(SL_ANeuralNetworksDiagnosticExecutionInfo_getExecutionMode) \
  SLOT(SL_ANeuralNetworksDiagnosticExecutionInfo_getInputDataClass) \
  SLOT(SL_ANeuralNetworksDiagnosticExecutionInfo_getOutputDataClass) \
  SLOT(SL_ANeuralNetworksDiagnosticExecutionInfo_getErrorCode) \
  SLOT(SL_ANeuralNetworksDiagnosticExecutionInfo_getRuntimeExecutionTimeNanos) \
  SLOT(SL_ANeuralNetworksDiagnosticExecutionInfo_getDriverExecutionTimeNanos) \
  SLOT(SL_ANeuralNetworksDiagnosticExecutionInfo_getHardwareExecutionTimeNanos) \
  SLOT(SL_ANeuralNetworksDiagnosticExecutionInfo_isCachingEnabled) \
  SLOT(SL_ANeuralNetworksDiagnosticExecutionInfo_isControlFlowUsed) \
  SLOT(SL_ANeuralNetworksDiagnosticExecutionInfo_areDynamicTensorsUsed) \
  SLOT(SL_ANeuralNetworksDiagnostic_registerCallbacks)
// clang-format on

/// The start of every table: which fields follow.
typedef struct {
  int64_t implFeatureLevel; ///< a FeatureLevelCode
} NnApiSLDriverImpl;

/// Types of the functions. A member of a struct cannot have the name of the function that gives its type in C++.
#define AVOCET_SUPPORT_LIBRARY_TYPE(FUNCTION) typedef __typeof__(FUNCTION) *FUNCTION##_Slot;
AVOCET_SUPPORT_LIBRARY_SLOTS(AVOCET_SUPPORT_LIBRARY_TYPE)
#undef AVOCET_SUPPORT_LIBRARY_TYPE

/// Levels 5 to 7 have the same functions. Each member has the name of its function.
#define AVOCET_SUPPORT_LIBRARY_MEMBER(FUNCTION) FUNCTION##_Slot FUNCTION;
typedef struct NnApiSLDriverImplFL5 {
  NnApiSLDriverImpl base;
  AVOCET_SUPPORT_LIBRARY_SLOTS(AVOCET_SUPPORT_LIBRARY_MEMBER)
} NnApiSLDriverImplFL5;
#undef AVOCET_SUPPORT_LIBRARY_MEMBER
typedef NnApiSLDriverImplFL5 NnApiSLDriverImplFL6;
typedef NnApiSLDriverImplFL5 NnApiSLDriverImplFL7;

/// The table of this library, of level 7: an NnApiSLDriverImplFL7 that lives as long as the process. Level 8, which
/// this library implements, is not offered: TensorFlow Lite refuses tables above level 7. Never null.
NnApiSLDriverImpl *ANeuralNetworks_getSLDriverImpl(void);

#ifdef __cplusplus
}
#endif

#endif // AVOCET_NEURALNETWORKSSUPPORTLIBRARY_H
