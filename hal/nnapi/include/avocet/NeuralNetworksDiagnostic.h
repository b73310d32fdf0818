//===- NeuralNetworksDiagnostic.h - Telemetry of NNAPI ----------*- C -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Callbacks after each compilation and each execution of this process. An info object is valid during the callback that
// receives it, and so are the pointers that its getters return. Getters accept null: they return 0, false or null then.
// Without callbacks nothing is measured.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_NEURALNETWORKSDIAGNOSTIC_H
#define AVOCET_NEURALNETWORKSDIAGNOSTIC_H

#include "avocet/NeuralNetworks.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Types of all inputs, or of all outputs. Only tensors of floating point and of quantized values count.
typedef enum {
  ANNDIAG_DATA_CLASS_UNKNOWN = 0, ///< there are none
  ANNDIAG_DATA_CLASS_OTHER = 1,   ///< none of them counts
  ANNDIAG_DATA_CLASS_FLOAT32 = 2,
  ANNDIAG_DATA_CLASS_FLOAT16 = 3,
  ANNDIAG_DATA_CLASS_QUANT = 4,
  ANNDIAG_DATA_CLASS_MIXED = 5, ///< of several classes
} ANeuralNetworksDiagnosticDataClass;

typedef enum {
  ANNDIAG_EXECUTION_MODE_UNKNOWN = 0,
  ANNDIAG_EXECUTION_MODE_ASYNC = 1,
  ANNDIAG_EXECUTION_MODE_SYNC = 2,
  ANNDIAG_EXECUTION_MODE_BURST = 3,
  ANNDIAG_EXECUTION_MODE_ASYNC_WITH_DEPS = 4,
} ANeuralNetworksDiagnosticExecutionMode;

typedef struct ANeuralNetworksDiagnosticCompilationInfo ANeuralNetworksDiagnosticCompilationInfo;
typedef struct ANeuralNetworksDiagnosticExecutionInfo ANeuralNetworksDiagnosticExecutionInfo;
typedef void (*ANeuralNetworksDiagnosticCompilationFinishedCallback)(
    const void *context, const ANeuralNetworksDiagnosticCompilationInfo *info);
typedef void (*ANeuralNetworksDiagnosticExecutionFinishedCallback)(const void *context,
                                                                   const ANeuralNetworksDiagnosticExecutionInfo *info);

/// Sets both callbacks; null: none. A call on another thread that has begun may still use those of before. They run on
/// the thread that finishes the compilation or execution, several at a time: for an asynchronous execution a thread of
/// the library, before its event ends. A callback must not wait for the event of its own execution.
void SL_ANeuralNetworksDiagnostic_registerCallbacks(
    ANeuralNetworksDiagnosticCompilationFinishedCallback compilationCallback,
    ANeuralNetworksDiagnosticExecutionFinishedCallback executionCallback, void *callbackContext);

/// A random number of this process.
int32_t SL_ANeuralNetworksDiagnosticCompilationInfo_getSessionId(const ANeuralNetworksDiagnosticCompilationInfo *info);
/// As ANeuralNetworks_getRuntimeFeatureLevel().
int64_t
SL_ANeuralNetworksDiagnosticCompilationInfo_getNnApiVersion(const ANeuralNetworksDiagnosticCompilationInfo *info);
/// 32 bytes: a hash of operations, operand types and extents. Constants and quantization do not change it.
const uint8_t *
SL_ANeuralNetworksDiagnosticCompilationInfo_getModelArchHash(const ANeuralNetworksDiagnosticCompilationInfo *info);
/// "name=version,name=version": the device that runs the model; if there are several, those it was compiled for.
const char *
SL_ANeuralNetworksDiagnosticCompilationInfo_getDeviceIds(const ANeuralNetworksDiagnosticCompilationInfo *info);
/// A ResultCode.
int32_t SL_ANeuralNetworksDiagnosticCompilationInfo_getErrorCode(const ANeuralNetworksDiagnosticCompilationInfo *info);
ANeuralNetworksDiagnosticDataClass
SL_ANeuralNetworksDiagnosticCompilationInfo_getInputDataClass(const ANeuralNetworksDiagnosticCompilationInfo *info);
ANeuralNetworksDiagnosticDataClass
SL_ANeuralNetworksDiagnosticCompilationInfo_getOutputDataClass(const ANeuralNetworksDiagnosticCompilationInfo *info);
/// UINT64_MAX: the callbacks were registered during the compilation.
uint64_t SL_ANeuralNetworksDiagnosticCompilationInfo_getCompilationTimeNanos(
    const ANeuralNetworksDiagnosticCompilationInfo *info);
/// Whether the application gave a place for cache files.
bool SL_ANeuralNetworksDiagnosticCompilationInfo_isCachingEnabled(const ANeuralNetworksDiagnosticCompilationInfo *info);
/// Whether the model has an IF or a WHILE.
bool SL_ANeuralNetworksDiagnosticCompilationInfo_isControlFlowUsed(
    const ANeuralNetworksDiagnosticCompilationInfo *info);
/// Whether an extent or a rank of the model is unknown.
bool SL_ANeuralNetworksDiagnosticCompilationInfo_areDynamicTensorsUsed(
    const ANeuralNetworksDiagnosticCompilationInfo *info);

/// The same values for an execution.
int32_t SL_ANeuralNetworksDiagnosticExecutionInfo_getSessionId(const ANeuralNetworksDiagnosticExecutionInfo *info);
int64_t SL_ANeuralNetworksDiagnosticExecutionInfo_getNnApiVersion(const ANeuralNetworksDiagnosticExecutionInfo *info);
const uint8_t *
SL_ANeuralNetworksDiagnosticExecutionInfo_getModelArchHash(const ANeuralNetworksDiagnosticExecutionInfo *info);
const char *SL_ANeuralNetworksDiagnosticExecutionInfo_getDeviceIds(const ANeuralNetworksDiagnosticExecutionInfo *info);
ANeuralNetworksDiagnosticExecutionMode
SL_ANeuralNetworksDiagnosticExecutionInfo_getExecutionMode(const ANeuralNetworksDiagnosticExecutionInfo *info);
ANeuralNetworksDiagnosticDataClass
SL_ANeuralNetworksDiagnosticExecutionInfo_getInputDataClass(const ANeuralNetworksDiagnosticExecutionInfo *info);
ANeuralNetworksDiagnosticDataClass
SL_ANeuralNetworksDiagnosticExecutionInfo_getOutputDataClass(const ANeuralNetworksDiagnosticExecutionInfo *info);
/// A ResultCode.
uint32_t SL_ANeuralNetworksDiagnosticExecutionInfo_getErrorCode(const ANeuralNetworksDiagnosticExecutionInfo *info);
/// From the start of the call until the outputs are there. UINT64_MAX: not known.
uint64_t SL_ANeuralNetworksDiagnosticExecutionInfo_getRuntimeExecutionTimeNanos(
    const ANeuralNetworksDiagnosticExecutionInfo *info);
/// UINT64_MAX unless the execution succeeded and was measured (ANeuralNetworksExecution_setMeasureTiming()).
uint64_t SL_ANeuralNetworksDiagnosticExecutionInfo_getDriverExecutionTimeNanos(
    const ANeuralNetworksDiagnosticExecutionInfo *info);
uint64_t SL_ANeuralNetworksDiagnosticExecutionInfo_getHardwareExecutionTimeNanos(
    const ANeuralNetworksDiagnosticExecutionInfo *info);
bool SL_ANeuralNetworksDiagnosticExecutionInfo_isCachingEnabled(const ANeuralNetworksDiagnosticExecutionInfo *info);
bool SL_ANeuralNetworksDiagnosticExecutionInfo_isControlFlowUsed(const ANeuralNetworksDiagnosticExecutionInfo *info);
bool SL_ANeuralNetworksDiagnosticExecutionInfo_areDynamicTensorsUsed(
    const ANeuralNetworksDiagnosticExecutionInfo *info);

#ifdef __cplusplus
}
#endif

#endif // AVOCET_NEURALNETWORKSDIAGNOSTIC_H
