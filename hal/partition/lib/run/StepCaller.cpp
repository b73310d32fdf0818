//===- StepCaller.cpp - How a step is executed ----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "run/StepCaller.h"

namespace avocet::hal::partition {

ExecutionOutcome BurstCaller::call(const std::shared_ptr<IPreparedModel> &model, const Request &request,
                                   const std::vector<int64_t> &identifiers, const ExecutionOptions &options) {
  auto [place, isNew] = bursts_.try_emplace(model);
  if (isNew)
    if (auto burst = model->configureBurst())
      place->second = std::move(burst).value();
  return place->second != nullptr ? place->second->execute(request, identifiers, options)
                                  : model->execute(request, options);
}

void BurstCaller::release(int64_t identifier) {
  for (auto &[model, burst] : bursts_)
    if (burst != nullptr)
      (void)burst->releaseMemoryResource(identifier); // unknown ones are accepted
}

} // namespace avocet::hal::partition
