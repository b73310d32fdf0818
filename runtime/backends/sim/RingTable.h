//===- RingTable.h - The rings of all contexts ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which ring belongs to which context, and to which number of the firmware's. Thread-safe; its lock is a leaf but for
// those of rings and logs.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BACKENDS_SIM_RINGTABLE_H
#define AVOCET_RUNTIME_BACKENDS_SIM_RINGTABLE_H

#include "ContextRing.h"

#include <map>
#include <shared_mutex>

namespace avocet::runtime {

class RingTable {
public:
  using Rings = std::vector<std::shared_ptr<ContextRing>>;

  void add(ContextHandle context, std::shared_ptr<ContextRing> ring);
  /// From here on the ring's number is free for another context. Requires that the context has a ring.
  void remove(ContextHandle context);

  /// Null: there is none.
  std::shared_ptr<ContextRing> find(ContextHandle context) const;
  std::shared_ptr<ContextRing> numbered(uint32_t number) const;
  Rings all() const;

  /// The smallest number below `limit` that no context uses.
  Result<uint32_t> freeNumber(uint32_t limit) const;

  /// Puts a job into its context's ring and calls `announce(ring number, may its bell be rung)` before anybody can take
  /// the ring away or fill it anew. InvalidArgument: there is no such context, or none that the job depends on.
  template <typename Announce>
  Result<JobHandle> submit(const Submission &submission, uint64_t deadlineNs, Announce announce) {
    std::shared_lock lock(mutex_);
    AVOCET_ASSIGN_OR_RETURN(ContextRing * ring, ringOf(submission.context, "submit"));
    RingDependencies dependencies;
    if (!submission.dependencies.empty())
      AVOCET_RETURN_IF_ERROR(resolve(submission.dependencies, dependencies));
    AVOCET_ASSIGN_OR_RETURN(JobHandle job, ring->submit(submission, deadlineNs, dependencies.used()));
    announce(ring->ring(), !isRebuilding_);
    return job;
  }

  /// After a reset of the device. Reports what it ended, and puts what it did not at the front of the rings. All ends
  /// first, because they decide which dependencies stay; the device ends nothing meanwhile. Bells wait from now on, so
  /// that none of a job that is submitted meanwhile gets lost or comes too early: jobs wait for jobs of other rings.
  Rings rebuild();
  /// The firmware knows all rings again. The caller rings the bells of all rings behind it.
  void endRebuild();

private:
  Result<ContextRing *> ringOf(ContextHandle context, const char *what) const;
  Status resolve(std::span<const JobReference> references, RingDependencies &dependencies) const;

  mutable std::shared_mutex mutex_;
  std::map<ContextHandle, std::shared_ptr<ContextRing>> ringOf_;
  Rings byNumber_; ///< the same by ring number
  bool isRebuilding_ = false;
};

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_BACKENDS_SIM_RINGTABLE_H
