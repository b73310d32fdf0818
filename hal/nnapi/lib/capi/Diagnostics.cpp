//===- Diagnostics.cpp - Callbacks after compilations and executions ------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "telemetry/Diagnostics.h"

using namespace avocet::nnapi;

void SL_ANeuralNetworksDiagnostic_registerCallbacks(
    ANeuralNetworksDiagnosticCompilationFinishedCallback compilationCallback,
    ANeuralNetworksDiagnosticExecutionFinishedCallback executionCallback, void *callbackContext) {
  diagnostics::setCallbacks(compilationCallback, executionCallback, callbackContext);
}

int32_t SL_ANeuralNetworksDiagnosticCompilationInfo_getSessionId(const ANeuralNetworksDiagnosticCompilationInfo *info) {
  return info == nullptr ? 0 : diagnostics::sessionId();
}

int64_t
SL_ANeuralNetworksDiagnosticCompilationInfo_getNnApiVersion(const ANeuralNetworksDiagnosticCompilationInfo *info) {
  return info == nullptr ? 0 : ANeuralNetworks_getRuntimeFeatureLevel();
}

const uint8_t *
SL_ANeuralNetworksDiagnosticCompilationInfo_getModelArchHash(const ANeuralNetworksDiagnosticCompilationInfo *info) {
  return info == nullptr ? nullptr : info->facts.model.architecture.data();
}

const char *
SL_ANeuralNetworksDiagnosticCompilationInfo_getDeviceIds(const ANeuralNetworksDiagnosticCompilationInfo *info) {
  return info == nullptr ? nullptr : info->facts.deviceIds.c_str();
}

int32_t SL_ANeuralNetworksDiagnosticCompilationInfo_getErrorCode(const ANeuralNetworksDiagnosticCompilationInfo *info) {
  return info == nullptr ? 0 : info->code;
}

ANeuralNetworksDiagnosticDataClass
SL_ANeuralNetworksDiagnosticCompilationInfo_getInputDataClass(const ANeuralNetworksDiagnosticCompilationInfo *info) {
  return info == nullptr ? ANNDIAG_DATA_CLASS_UNKNOWN : info->facts.model.inputs;
}

ANeuralNetworksDiagnosticDataClass
SL_ANeuralNetworksDiagnosticCompilationInfo_getOutputDataClass(const ANeuralNetworksDiagnosticCompilationInfo *info) {
  return info == nullptr ? ANNDIAG_DATA_CLASS_UNKNOWN : info->facts.model.outputs;
}

uint64_t SL_ANeuralNetworksDiagnosticCompilationInfo_getCompilationTimeNanos(
    const ANeuralNetworksDiagnosticCompilationInfo *info) {
  return info == nullptr ? 0 : info->nanoseconds;
}

bool SL_ANeuralNetworksDiagnosticCompilationInfo_isCachingEnabled(
    const ANeuralNetworksDiagnosticCompilationInfo *info) {
  return info == nullptr ? false : info->facts.isCachingEnabled;
}

bool SL_ANeuralNetworksDiagnosticCompilationInfo_isControlFlowUsed(
    const ANeuralNetworksDiagnosticCompilationInfo *info) {
  return info == nullptr ? false : info->facts.model.usesControlFlow;
}

bool SL_ANeuralNetworksDiagnosticCompilationInfo_areDynamicTensorsUsed(
    const ANeuralNetworksDiagnosticCompilationInfo *info) {
  return info == nullptr ? false : info->facts.model.hasDynamicTensors;
}

int32_t SL_ANeuralNetworksDiagnosticExecutionInfo_getSessionId(const ANeuralNetworksDiagnosticExecutionInfo *info) {
  return info == nullptr ? 0 : diagnostics::sessionId();
}

int64_t SL_ANeuralNetworksDiagnosticExecutionInfo_getNnApiVersion(const ANeuralNetworksDiagnosticExecutionInfo *info) {
  return info == nullptr ? 0 : ANeuralNetworks_getRuntimeFeatureLevel();
}

const uint8_t *
SL_ANeuralNetworksDiagnosticExecutionInfo_getModelArchHash(const ANeuralNetworksDiagnosticExecutionInfo *info) {
  return info == nullptr ? nullptr : info->facts.model.architecture.data();
}

const char *SL_ANeuralNetworksDiagnosticExecutionInfo_getDeviceIds(const ANeuralNetworksDiagnosticExecutionInfo *info) {
  return info == nullptr ? nullptr : info->facts.deviceIds.c_str();
}

ANeuralNetworksDiagnosticExecutionMode
SL_ANeuralNetworksDiagnosticExecutionInfo_getExecutionMode(const ANeuralNetworksDiagnosticExecutionInfo *info) {
  return info == nullptr ? ANNDIAG_EXECUTION_MODE_UNKNOWN : info->mode;
}

ANeuralNetworksDiagnosticDataClass
SL_ANeuralNetworksDiagnosticExecutionInfo_getInputDataClass(const ANeuralNetworksDiagnosticExecutionInfo *info) {
  return info == nullptr ? ANNDIAG_DATA_CLASS_UNKNOWN : info->facts.model.inputs;
}

ANeuralNetworksDiagnosticDataClass
SL_ANeuralNetworksDiagnosticExecutionInfo_getOutputDataClass(const ANeuralNetworksDiagnosticExecutionInfo *info) {
  return info == nullptr ? ANNDIAG_DATA_CLASS_UNKNOWN : info->facts.model.outputs;
}

uint32_t SL_ANeuralNetworksDiagnosticExecutionInfo_getErrorCode(const ANeuralNetworksDiagnosticExecutionInfo *info) {
  return info == nullptr ? 0 : static_cast<uint32_t>(info->code);
}

uint64_t SL_ANeuralNetworksDiagnosticExecutionInfo_getRuntimeExecutionTimeNanos(
    const ANeuralNetworksDiagnosticExecutionInfo *info) {
  return info == nullptr ? 0 : info->inRuntime;
}

uint64_t SL_ANeuralNetworksDiagnosticExecutionInfo_getDriverExecutionTimeNanos(
    const ANeuralNetworksDiagnosticExecutionInfo *info) {
  return info == nullptr ? 0 : info->inDriver;
}

uint64_t SL_ANeuralNetworksDiagnosticExecutionInfo_getHardwareExecutionTimeNanos(
    const ANeuralNetworksDiagnosticExecutionInfo *info) {
  return info == nullptr ? 0 : info->onDevice;
}

bool SL_ANeuralNetworksDiagnosticExecutionInfo_isCachingEnabled(const ANeuralNetworksDiagnosticExecutionInfo *info) {
  return info == nullptr ? false : info->facts.isCachingEnabled;
}

bool SL_ANeuralNetworksDiagnosticExecutionInfo_isControlFlowUsed(const ANeuralNetworksDiagnosticExecutionInfo *info) {
  return info == nullptr ? false : info->facts.model.usesControlFlow;
}

bool SL_ANeuralNetworksDiagnosticExecutionInfo_areDynamicTensorsUsed(
    const ANeuralNetworksDiagnosticExecutionInfo *info) {
  return info == nullptr ? false : info->facts.model.hasDynamicTensors;
}
