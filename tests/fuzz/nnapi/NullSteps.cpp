//===- NullSteps.cpp ----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"

namespace avocet::fuzz {
namespace {

/// Objects that a call with a null elsewhere gets; some are null themselves.
struct Objects {
  ANeuralNetworksModel *model;
  ANeuralNetworksCompilation *compilation;
  ANeuralNetworksExecution *execution;
  ANeuralNetworksBurst *burst;
  ANeuralNetworksEvent *event;
  ANeuralNetworksMemory *memory;
  ANeuralNetworksMemoryDesc *desc;
  const ANeuralNetworksDevice *device;
};

using Call = int (*)(const Objects &);
const uint8_t kData[32] = {};
const uint32_t kIndex = 0;

/// Each has a null argument where an object is needed.
constexpr Call kCalls[] = {
    [](const Objects &) { return ANeuralNetworks_getDeviceCount(nullptr); },
    [](const Objects &) { return ANeuralNetworks_getDevice(0, nullptr); },
    [](const Objects &o) { return ANeuralNetworksDevice_getName(o.device, nullptr); },
    [](const Objects &o) { return ANeuralNetworksDevice_getExtensionSupport(o.device, nullptr, nullptr); },
    [](const Objects &) { return ANeuralNetworksDevice_wait(nullptr); },
    [](const Objects &) { return ANeuralNetworksMemory_createFromFd(8, 3, 1, 0, nullptr); },
    [](const Objects &) { return ANeuralNetworksMemory_createFromAHardwareBuffer(nullptr, nullptr); },
    [](const Objects &o) { return ANeuralNetworksMemory_createFromDesc(o.desc, nullptr); },
    [](const Objects &o) { return ANeuralNetworksMemory_copy(o.memory, nullptr); },
    [](const Objects &o) { return ANeuralNetworksMemory_copy(nullptr, o.memory); },
    [](const Objects &) { return ANeuralNetworksMemoryDesc_create(nullptr); },
    [](const Objects &o) { return ANeuralNetworksMemoryDesc_addInputRole(o.desc, nullptr, 0, 1); },
    [](const Objects &o) { return ANeuralNetworksMemoryDesc_addOutputRole(nullptr, o.compilation, 0, 1); },
    [](const Objects &o) { return ANeuralNetworksMemoryDesc_setDimensions(o.desc, 1, nullptr); },
    [](const Objects &) { return ANeuralNetworksMemoryDesc_finish(nullptr); },
    [](const Objects &) { return ANeuralNetworksModel_create(nullptr); },
    [](const Objects &o) { return ANeuralNetworksModel_addOperand(o.model, nullptr); },
    [](const Objects &) { return ANeuralNetworksModel_setOperandValue(nullptr, 0, kData, 4); },
    [](const Objects &o) { return ANeuralNetworksModel_setOperandValueFromMemory(o.model, 0, nullptr, 0, 4); },
    [](const Objects &o) { return ANeuralNetworksModel_setOperandValueFromModel(o.model, 0, nullptr); },
    [](const Objects &o) { return ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(o.model, 0, nullptr); },
    [](const Objects &o) { return ANeuralNetworksModel_addOperation(o.model, 0, 0, nullptr, 1, &kIndex); },
    [](const Objects &o) { return ANeuralNetworksModel_addOperation(o.model, 0, 1, &kIndex, 1, nullptr); },
    [](const Objects &o) { return ANeuralNetworksModel_identifyInputsAndOutputs(o.model, 0, nullptr, 1, &kIndex); },
    [](const Objects &) { return ANeuralNetworksModel_relaxComputationFloat32toFloat16(nullptr, true); },
    [](const Objects &) { return ANeuralNetworksModel_finish(nullptr); },
    [](const Objects &o) { return ANeuralNetworksModel_getExtensionOperandType(o.model, "x", 0, nullptr); },
    [](const Objects &o) { return ANeuralNetworksModel_getExtensionOperationType(o.model, nullptr, 0, nullptr); },
    [](const Objects &) { return ANeuralNetworksModel_setOperandExtensionData(nullptr, 0, kData, 4); },
    [](const Objects &o) {
      return ANeuralNetworksModel_getSupportedOperationsForDevices(o.model, &o.device, 1, nullptr);
    },
    [](const Objects &o) { return ANeuralNetworksCompilation_create(o.model, nullptr); },
    [](const Objects &o) { return ANeuralNetworksCompilation_createForDevices(o.model, &o.device, 1, nullptr); },
    [](const Objects &) { return ANeuralNetworksCompilation_setPreference(nullptr, 0); },
    [](const Objects &) { return ANeuralNetworksCompilation_setPriority(nullptr, 90); },
    [](const Objects &) { return ANeuralNetworksCompilation_setTimeout(nullptr, 1); },
    [](const Objects &o) { return ANeuralNetworksCompilation_setCaching(o.compilation, nullptr, kData); },
    [](const Objects &o) { return ANeuralNetworksCompilation_setCaching(o.compilation, "/", nullptr); },
    [](const Objects &o) {
      return ANeuralNetworksCompilation_addExtensionAttribute(o.compilation, nullptr, 0, kData, 1);
    },
    [](const Objects &) { return ANeuralNetworksCompilation_finish(nullptr); },
    [](const Objects &o) {
      return ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(o.compilation, 0, nullptr);
    },
    [](const Objects &o) {
      return ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(o.compilation, 0, nullptr);
    },
    [](const Objects &o) { return ANeuralNetworksExecution_create(o.compilation, nullptr); },
    [](const Objects &o) { return ANeuralNetworksExecution_setInput(o.execution, 0, nullptr, nullptr, 8); },
    [](const Objects &o) { return ANeuralNetworksExecution_setOutput(o.execution, 0, nullptr, nullptr, 8); },
    [](const Objects &o) {
      return ANeuralNetworksExecution_setInputFromMemory(o.execution, 0, nullptr, nullptr, 0, 8);
    },
    [](const Objects &o) { return ANeuralNetworksExecution_setOutputFromMemory(nullptr, 0, nullptr, o.memory, 0, 8); },
    [](const Objects &) { return ANeuralNetworksExecution_enableInputAndOutputPadding(nullptr, true); },
    [](const Objects &) { return ANeuralNetworksExecution_setReusable(nullptr, true); },
    [](const Objects &) { return ANeuralNetworksExecution_setTimeout(nullptr, 1); },
    [](const Objects &) { return ANeuralNetworksExecution_setLoopTimeout(nullptr, 1); },
    [](const Objects &) { return ANeuralNetworksExecution_setMeasureTiming(nullptr, true); },
    [](const Objects &o) { return ANeuralNetworksExecution_addExtensionAttribute(o.execution, "x", 0, nullptr, 1); },
    [](const Objects &) { return ANeuralNetworksExecution_compute(nullptr); },
    [](const Objects &o) { return ANeuralNetworksExecution_startCompute(o.execution, nullptr); },
    [](const Objects &o) {
      ANeuralNetworksEvent *made = nullptr;
      return ANeuralNetworksExecution_startComputeWithDependencies(o.execution, nullptr, 1, 0, &made);
    },
    [](const Objects &o) {
      return ANeuralNetworksExecution_startComputeWithDependencies(o.execution, nullptr, 0, 0, nullptr);
    },
    [](const Objects &o) { return ANeuralNetworksExecution_burstCompute(o.execution, nullptr); },
    [](const Objects &o) { return ANeuralNetworksExecution_burstCompute(nullptr, o.burst); },
    [](const Objects &o) { return ANeuralNetworksExecution_getDuration(o.execution, 0, nullptr); },
    [](const Objects &o) { return ANeuralNetworksExecution_getOutputOperandRank(o.execution, 0, nullptr); },
    [](const Objects &o) { return ANeuralNetworksExecution_getOutputOperandDimensions(o.execution, 0, nullptr); },
    [](const Objects &o) { return ANeuralNetworksBurst_create(o.compilation, nullptr); },
    [](const Objects &) { return ANeuralNetworksEvent_wait(nullptr); },
    [](const Objects &) { return ANeuralNetworksEvent_createFromSyncFenceFd(1, nullptr); },
    [](const Objects &o) { return ANeuralNetworksEvent_getSyncFenceFd(o.event, nullptr); },
};

/// The handle of an entry of a table, or null.
template <typename Table> auto *handleOf(const Table &table, Bytes &bytes) {
  return table.empty() ? nullptr : table[bytes.below(static_cast<uint32_t>(table.size()))]->handle.get();
}

} // namespace

void World::passNull() {
  const Objects objects{handleOf(models_, bytes_),     handleOf(compilations_, bytes_),
                        handleOf(executions_, bytes_), handleOf(bursts_, bytes_),
                        handleOf(events_, bytes_),     handleOf(memories_, bytes_),
                        handleOf(descs_, bytes_),      devices().front()};
  expect("a call with null", bytes_.pick(kCalls)(objects), {api::kNull});
}

} // namespace avocet::fuzz
