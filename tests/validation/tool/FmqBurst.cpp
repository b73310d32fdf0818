//===- FmqBurst.cpp - Bursts over queues of the chosen device -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FmqBurst.h"

#include "avocet/validation/QueueBurst.h"

namespace avocet::tool {

hal::conformance::FmqBurstMaker fmqBurstOf(const ChosenDevice &device) {
  if (device.hasOwnBursts())
    return
        [](const hal::Model &, const std::shared_ptr<hal::IPreparedModel> &model) { return model->configureBurst(); };
  if (!device.queueDevice())
    return [](const hal::Model &, const std::shared_ptr<hal::IPreparedModel> &model) {
      return hal::conformance::burstThroughQueues(model);
    };
  return [queues = device.queueDevice()](
             const hal::Model &model,
             const std::shared_ptr<hal::IPreparedModel> &) -> hal::Result<std::shared_ptr<hal::IBurst>> {
    AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<hal::IPreparedModel> prepared, queues->prepareModel(model, {}));
    return prepared->configureBurst();
  };
}

} // namespace avocet::tool
