//===- QueueBurst.cpp -----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/validation/QueueBurst.h"

#include "avocet/hal/burst/Burst.h"

namespace avocet::hal::conformance {

hal::Result<std::shared_ptr<IBurst>> burstThroughQueues(const std::shared_ptr<IPreparedModel> &model) {
  struct BothEnds {
    std::unique_ptr<ServedBurst> server;
    std::shared_ptr<IBurst> client; ///< destroyed first
  };
  auto ends = std::make_shared<BothEnds>();
  // Makes the server during the client's opening.
  auto serve = [&](const BurstOffer &offer) -> Outcome {
    AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IBurst> burst, model->configureBurst());
    AVOCET_ASSIGN_OR_RETURN(ends->server, serveBurst(std::move(burst), offer));
    return success();
  };
  AVOCET_ASSIGN_OR_RETURN(ends->client, openBurst(model, serve));
  return std::shared_ptr<IBurst>(ends, ends->client.get());
}

} // namespace avocet::hal::conformance
