//===- PlannedBurst.cpp - Bursts of several steps -------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/PlannedBurst.h"

#include "avocet/hal/types/Validation.h"

namespace avocet::hal::partition {

int64_t PlannedBurst::ownIdentifier(int64_t identifier) {
  if (identifier < 0)
    return -1;
  auto [place, isNew] = identifiers_.try_emplace(identifier, next_);
  if (isNew)
    next_ += 2;
  return place->second;
}

ExecutionOutcome PlannedBurst::execute(const Request &request, const std::vector<int64_t> &memoryIdentifiers,
                                       const ExecutionOptions &options) {
  if (Outcome checked = validateMemoryIdentifiers(request, memoryIdentifiers); !checked)
    return failed(checked.error());
  if (Outcome checked = model_->checkCall(request, options); !checked)
    return failed(checked.error());
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock)
    return failed(generalFailure("burst: another execution of the burst runs"));
  std::vector<int64_t> identifiers;
  for (int64_t identifier : memoryIdentifiers)
    identifiers.push_back(ownIdentifier(identifier));
  return model_->run(request, options, *arena_, caller_, identifiers);
}

Outcome PlannedBurst::releaseMemoryResource(int64_t identifier) {
  AVOCET_RETURN_IF_ERROR(validateMemoryIdentifier(identifier));
  std::scoped_lock lock(mutex_);
  if (auto own = identifiers_.extract(identifier))
    caller_.release(own.mapped());
  return success();
}

} // namespace avocet::hal::partition
