//===- Executions.cpp - Functions ANeuralNetworksExecution_* --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/Log.h"
#include "capi/Call.h"
#include "capi/Handles.h"
#include "execution/Execution.h"

#include <algorithm>

using namespace avocet::nnapi;

int ANeuralNetworksExecution_create(ANeuralNetworksCompilation *compilation, ANeuralNetworksExecution **execution) {
  return create(__func__, {compilation}, execution, [&] { return Execution::create(compilation->object); });
}

void ANeuralNetworksExecution_free(ANeuralNetworksExecution *execution) {
  if (execution != nullptr && !execution->isStale() && execution->object->isComputing()) {
    avocet::logMessage(avocet::LogLevel::Error, "nnapi", "{}: the execution is being computed; it is not freed",
                       __func__);
    return;
  }
  release(__func__, execution);
}

int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution *execution, int32_t index,
                                      const ANeuralNetworksOperandType *type, const void *buffer, size_t length) {
  return call(__func__, {execution}, [&]() -> ApiOutcome {
    if (buffer == nullptr && length != 0)
      return unexpectedNull("the buffer is null");
    return execution->object->setArgument(false, index, type, {buffer, nullptr, 0, length});
  });
}

int ANeuralNetworksExecution_setInputFromMemory(ANeuralNetworksExecution *execution, int32_t index,
                                                const ANeuralNetworksOperandType *type,
                                                const ANeuralNetworksMemory *memory, size_t offset, size_t length) {
  return call(__func__, {execution, memory}, [&] {
    return execution->object->setArgument(false, index, type, {nullptr, memory->object, offset, length});
  });
}

int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution *execution, int32_t index,
                                       const ANeuralNetworksOperandType *type, void *buffer, size_t length) {
  return call(__func__, {execution}, [&]() -> ApiOutcome {
    if (buffer == nullptr && length != 0)
      return unexpectedNull("the buffer is null");
    return execution->object->setArgument(true, index, type, {buffer, nullptr, 0, length});
  });
}

int ANeuralNetworksExecution_setOutputFromMemory(ANeuralNetworksExecution *execution, int32_t index,
                                                 const ANeuralNetworksOperandType *type,
                                                 const ANeuralNetworksMemory *memory, size_t offset, size_t length) {
  return call(__func__, {execution, memory}, [&] {
    return execution->object->setArgument(true, index, type, {nullptr, memory->object, offset, length});
  });
}

int ANeuralNetworksExecution_enableInputAndOutputPadding(ANeuralNetworksExecution *execution, bool enable) {
  return call(__func__, {execution}, [&] { return execution->object->setPadding(enable); });
}

int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution *execution, bool reusable) {
  return call(__func__, {execution}, [&] { return execution->object->setReusable(reusable); });
}

int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution *execution, uint64_t duration) {
  return call(__func__, {execution}, [&] { return execution->object->setTimeout(duration); });
}

int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution *execution, uint64_t duration) {
  return call(__func__, {execution}, [&] { return execution->object->setLoopTimeout(duration); });
}

int ANeuralNetworksExecution_setMeasureTiming(ANeuralNetworksExecution *execution, bool measure) {
  return call(__func__, {execution}, [&] { return execution->object->setMeasure(measure); });
}

int ANeuralNetworksExecution_addExtensionAttribute(ANeuralNetworksExecution *execution, const char *extensionName,
                                                   uint16_t attributeCodeWithinExtension, const void *data,
                                                   size_t length) {
  return call(__func__, {execution, extensionName, data}, [&] {
    return execution->object->addHint(extensionName, attributeCodeWithinExtension,
                                      {static_cast<const uint8_t *>(data), length});
  });
}

int ANeuralNetworksExecution_compute(ANeuralNetworksExecution *execution) {
  return call(__func__, {execution}, [&] { return execution->object->compute(); });
}

int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution *execution, ANeuralNetworksEvent **event) {
  return create(__func__, {execution}, event, [&] { return execution->object->start(); });
}

int ANeuralNetworksExecution_startComputeWithDependencies(ANeuralNetworksExecution *execution,
                                                          const ANeuralNetworksEvent *const *dependencies,
                                                          uint32_t numDependencies, uint64_t duration,
                                                          ANeuralNetworksEvent **event) {
  return create(__func__, {execution}, event, [&]() -> ApiResult<std::shared_ptr<Event>> {
    if (dependencies == nullptr && numDependencies != 0)
      return unexpectedNull("the list of dependencies is null");
    std::vector<std::shared_ptr<Event>> events;
    for (uint32_t i = 0; i < numDependencies; ++i) {
      if (dependencies[i] == nullptr)
        return unexpectedNull("a dependency is null");
      events.push_back(dependencies[i]->object);
    }
    return execution->object->startAfter(events, duration);
  });
}

int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution *execution, ANeuralNetworksBurst *burst) {
  return call(__func__, {execution, burst}, [&] { return execution->object->computeIn(*burst->object); });
}

int ANeuralNetworksExecution_getDuration(const ANeuralNetworksExecution *execution, int32_t durationCode,
                                         uint64_t *duration) {
  return call(__func__, {execution, duration}, [&]() -> ApiOutcome {
    *duration = UINT64_MAX;
    AVOCET_ASSIGN_OR_RETURN(*duration, execution->object->duration(durationCode));
    return success();
  });
}

namespace {

/// OUTPUT_INSUFFICIENT_SIZE for an output that was too small; the caller has its shape all the same.
ApiOutcome sufficiency(const avocet::hal::OutputShape &shape) {
  if (shape.isSufficient)
    return success();
  return ApiError{ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE, "the output was too small"};
}

} // namespace

int ANeuralNetworksExecution_getOutputOperandRank(ANeuralNetworksExecution *execution, int32_t index, uint32_t *rank) {
  return call(__func__, {execution, rank}, [&]() -> ApiOutcome {
    AVOCET_ASSIGN_OR_RETURN(avocet::hal::OutputShape shape, execution->object->outputShape(index));
    *rank = static_cast<uint32_t>(shape.dimensions.size());
    return sufficiency(shape);
  });
}

int ANeuralNetworksExecution_getOutputOperandDimensions(ANeuralNetworksExecution *execution, int32_t index,
                                                        uint32_t *dimensions) {
  return call(__func__, {execution, dimensions}, [&]() -> ApiOutcome {
    AVOCET_ASSIGN_OR_RETURN(avocet::hal::OutputShape shape, execution->object->outputShape(index));
    if (shape.dimensions.empty())
      return badData("the output has rank 0 or an unknown rank");
    std::ranges::copy(shape.dimensions, dimensions);
    return sufficiency(shape);
  });
}

int ANeuralNetworksBurst_create(ANeuralNetworksCompilation *compilation, ANeuralNetworksBurst **burst) {
  return create(__func__, {compilation}, burst, [&] { return Burst::create(compilation->object); });
}

void ANeuralNetworksBurst_free(ANeuralNetworksBurst *burst) { release(__func__, burst); }

int ANeuralNetworksEvent_wait(ANeuralNetworksEvent *event) {
  return call(__func__, {event}, [&] { return event->object->wait(); });
}

void ANeuralNetworksEvent_free(ANeuralNetworksEvent *event) {
  if (event != nullptr && !event->isStale())
    (void)event->object->wait();
  release(__func__, event);
}

int ANeuralNetworksEvent_createFromSyncFenceFd(int syncFenceFd, ANeuralNetworksEvent **event) {
  return create(__func__, {}, event, [&] { return Event::fromDescriptor(syncFenceFd); });
}

int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent *event, int *syncFenceFd) {
  if (syncFenceFd != nullptr)
    *syncFenceFd = -1;
  return call(__func__, {event, syncFenceFd}, [&]() -> ApiOutcome {
    AVOCET_ASSIGN_OR_RETURN(*syncFenceFd, event->object->duplicateFence());
    return success();
  });
}
