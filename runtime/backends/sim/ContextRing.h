//===- ContextRing.h - The job ring of one context --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's side of one job ring (firmware_iface/JobRing.h): memory for descriptors, tables and completion records,
// filled by submit(), looked through by reap(). Each ring entry owns one slot of tables, so that submission allocates
// nothing.
//
// Thread-safe. Its lock is a leaf; it is not held while outcomes are reported.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BACKENDS_SIM_CONTEXTRING_H
#define AVOCET_RUNTIME_BACKENDS_SIM_CONTEXTRING_H

#include "JobLog.h"
#include "avocet/base/File.h"
#include "avocet/runtime/Backend.h"

#include <memory>
#include <mutex>
#include <span>

namespace avocet::runtime {

class ContextRing {
public:
  static constexpr uint32_t kEntries = 32;

  /// Where the ring's memory appears in the context: above everything that MemoryBackend gives out.
  static constexpr uint64_t kDeviceAddress = uint64_t(1) << 41;

  /// `firmwareContext` and `ring` are the numbers that the firmware knows them by.
  static Result<std::unique_ptr<ContextRing>> create(uint32_t firmwareContext, uint32_t ring,
                                                     std::shared_ptr<JobLog> jobs);

  uint32_t firmwareContext() const { return firmwareContext_; }
  uint32_t ring() const { return ring_; }
  std::span<uint8_t> memory() { return memory_.bytes(); }

  /// Fills the next entry and moves the tail; the caller rings the bell. ResourceExhausted when the ring is full.
  Result<JobHandle> submit(const Submission &submission);

  /// Reports every job whose completion record is written.
  void reap();

  /// Ends every open job with `fault`: the device will not do it any more.
  void fail(firmware::FaultCode fault);

  /// Empties the ring after a device reset. Requires that no job is open.
  void restart();

  bool isIdle();

private:
  ContextRing(uint32_t firmwareContext, uint32_t ring, std::shared_ptr<JobLog> jobs)
      : firmwareContext_(firmwareContext), ring_(ring), jobs_(std::move(jobs)) {}

  struct Slot;
  firmware::RingHeader &header();
  firmware::JobDescriptor &descriptor(uint32_t index);
  Slot &slot(uint32_t index);
  uint64_t addressOf(const void *inside) const;
  void fillTables(Slot &slot, const Submission &submission);
  void fillDescriptor(uint32_t index, JobHandle job, const Submission &submission);
  bool takeEnded(JobHandle &job, JobOutcome &outcome);

  const uint32_t firmwareContext_;
  const uint32_t ring_;
  std::shared_ptr<JobLog> jobs_;
  Mapping memory_;
  std::mutex mutex_;
  uint32_t tail_ = 0;   ///< guarded by mutex_, as all below
  uint32_t reaped_ = 0; ///< entries before it have been reported
};

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_BACKENDS_SIM_CONTEXTRING_H
