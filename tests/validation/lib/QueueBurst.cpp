//===- QueueBurst.cpp -----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/validation/QueueBurst.h"

#include "avocet/hal/burst/Burst.h"

namespace avocet::hal::conformance {
namespace {

class QueueBurst final : public IBurst {
public:
  /// Makes the server during the client's opening; it is destroyed after the client.
  Outcome serve(const std::shared_ptr<IPreparedModel> &model, const BurstOffer &offer) {
    AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IBurst> burst, model->configureBurst());
    AVOCET_ASSIGN_OR_RETURN(server_, serveBurst(std::move(burst), offer));
    return success();
  }
  void setClient(std::shared_ptr<IBurst> client) { client_ = std::move(client); }

  ExecutionOutcome execute(const Request &request, const std::vector<int64_t> &memoryIdentifiers,
                           const ExecutionOptions &options) override {
    return client_->execute(request, memoryIdentifiers, options);
  }
  Outcome releaseMemoryResource(int64_t identifier) override { return client_->releaseMemoryResource(identifier); }

private:
  std::unique_ptr<ServedBurst> server_;
  std::shared_ptr<IBurst> client_;
};

} // namespace

hal::Result<std::shared_ptr<IBurst>> burstThroughQueues(const std::shared_ptr<IPreparedModel> &model) {
  auto burst = std::make_shared<QueueBurst>();
  auto client = openBurst(model, [&](const BurstOffer &offer) { return burst->serve(model, offer); });
  if (!client)
    return client.error();
  burst->setClient(std::move(*client));
  return std::shared_ptr<IBurst>(std::move(burst));
}

} // namespace avocet::hal::conformance
