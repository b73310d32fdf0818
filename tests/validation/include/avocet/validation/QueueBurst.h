//===- QueueBurst.h - Both ends of a burst in this process ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_QUEUEBURST_H
#define AVOCET_VALIDATION_QUEUEBURST_H

#include "avocet/hal/types/Interfaces.h"

namespace avocet::hal::conformance {

/// A burst whose requests go through the message queues of HAL 1.2 to a server in this process, which runs them in a
/// burst of the model.
hal::Result<std::shared_ptr<IBurst>> burstThroughQueues(const std::shared_ptr<IPreparedModel> &model);

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_QUEUEBURST_H
