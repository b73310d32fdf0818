//===- JobQueue.h - Rings and which job comes next --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes descriptors out of the drivers' rings and chooses among the jobs at their heads: highest priority, then
// earliest deadline, then order of arrival. A descriptor is copied once and never looked at in shared memory again.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_FIRMWARE_JOBQUEUE_H
#define AVOCET_SIM_LIB_FIRMWARE_JOBQUEUE_H

#include "avocet/firmware_iface/JobRing.h"
#include "avocet/firmware_iface/Mailbox.h"
#include "memory/Mmu.h"

#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace avocet::sim {

struct QueuedJob {
  uint32_t ring = 0;
  uint32_t context = 0; ///< of the ring; the descriptor's own field is checked against it when the job runs
  uint64_t arrival = 0;
  firmware::JobDescriptor descriptor{};
};

class JobQueue {
public:
  static constexpr uint32_t kMaxRings = 256;

  firmware::ReplyCode createRing(const firmware::RingRequest &request, const Mmu &mmu);
  /// Drops the ring; its queued jobs are returned, for their owner to be told.
  firmware::ReplyCode destroyRing(uint32_t context, uint32_t ring, std::vector<QueuedJob> &dropped);
  /// Drops all rings of a context.
  void destroyRings(uint32_t context, std::vector<QueuedJob> &dropped);
  /// Drops everything.
  void clear(std::vector<QueuedJob> &dropped);

  /// Takes new descriptors of a ring, as many as there is room for. Unknown rings are ignored; a ring that breaks the
  /// rules of RingHeader is not looked at again until it is created anew.
  void fetch(uint32_t ring);

  bool empty() const;
  /// Takes the next job. Requires !empty().
  QueuedJob take();
  /// Takes a queued job out of its place; nothing if it is not queued.
  std::optional<QueuedJob> remove(uint32_t context, uint32_t ring, uint64_t sequence);

private:
  /// Jobs of one ring that wait in the device; more stay in the ring.
  static constexpr size_t kMaxWaiting = 64;
  struct Ring {
    uint32_t context;
    uint64_t address;
    uint32_t entries;
    const Mmu *mmu;
    uint32_t head = 0;
    bool isBroken = false;
    std::deque<QueuedJob> waiting;
  };
  bool readHeader(Ring &ring, uint32_t &tail) const;
  bool fetchOne(uint32_t number, Ring &ring);

  std::map<uint32_t, Ring> rings_;
  uint64_t arrivals_ = 0;
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_FIRMWARE_JOBQUEUE_H
