//===- RingTable.h - The rings of all contexts ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maps contexts and ring numbers of the firmware to rings. Thread-safe; its lock is a leaf except for those of rings
// and logs.
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
  /// Frees the ring's number for another context. Requires that the context has a ring.
  void remove(ContextHandle context);

  /// Null: there is none.
  std::shared_ptr<ContextRing> find(ContextHandle context) const;
  std::shared_ptr<ContextRing> numbered(uint32_t number) const;
  Rings all() const;

  /// The smallest number below `limit` that no context uses.
  Result<uint32_t> freeNumber(uint32_t limit) const;

  /// Puts a job into its context's ring and calls `announce(ring number, may its doorbell be written)`, both under the
  /// lock: the ring cannot be removed or rebuilt in between. InvalidArgument: there is no such context, or a context of
  /// a dependency does not exist.
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

  /// After a reset of the device. Reports the jobs that it ended, and moves the others to the front of their rings. All
  /// reports come first, because they decide which dependencies stay; the device ends no job meanwhile. Until
  /// endRebuild() no doorbell is written: a bell for a ring that the firmware does not have is lost, and a job must not
  /// run before the rings of its dependencies exist.
  Rings rebuild();
  /// The firmware has all rings again. The caller then writes the doorbells of all rings.
  void endRebuild();

private:
  Result<ContextRing *> ringOf(ContextHandle context, const char *what) const;
  Status resolve(std::span<const JobReference> references, RingDependencies &dependencies) const;

  mutable std::shared_mutex mutex_;
  std::map<ContextHandle, std::shared_ptr<ContextRing>> ringOf_;
  Rings byNumber_; ///< by ring number
  bool isRebuilding_ = false;
};

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_BACKENDS_SIM_RINGTABLE_H
