//===- Events.cpp ---------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/Call.h"
#include "capi/Handles.h"
#include "execution/Event.h"

using namespace avocet::nnapi;

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
