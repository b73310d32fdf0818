//===- ContextRing.cpp - The job ring of one context ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContextRing.h"

#include <atomic>
#include <fmt/core.h>

namespace avocet::runtime {

using firmware::CompletionRecord;
using firmware::JobDescriptor;
using firmware::RingHeader;

/// Everything that one ring entry points to.
struct ContextRing::Slot {
  CompletionRecord completion;
  firmware::StreamEntry streams[firmware::kMaxJobStreams];
  firmware::RegionEntry regions[firmware::kMaxRegions];
};

namespace {

constexpr size_t kSlotsOffset = sizeof(RingHeader) + ContextRing::kEntries * sizeof(JobDescriptor);
static_assert(kSlotsOffset % firmware::kTableAlignment == 0);

JobOutcome outcomeOf(const CompletionRecord &record) {
  JobOutcome outcome;
  outcome.state = static_cast<firmware::JobState>(record.state);
  outcome.fault = static_cast<firmware::FaultCode>(record.faultCode);
  outcome.faultEngineKind = record.faultEngineKind;
  outcome.faultEngineIndex = record.faultEngineIndex;
  outcome.faultCommand = record.faultCommand;
  outcome.faultSection = record.faultSection;
  outcome.faultLayer = record.faultLayer;
  outcome.faultRegion = record.faultRegion;
  outcome.faultAddress = record.faultAddress;
  outcome.startCycle = record.startCycle;
  outcome.endCycle = record.endCycle;
  outcome.counters = record.counters;
  return outcome;
}

} // namespace

Result<std::unique_ptr<ContextRing>> ContextRing::create(uint32_t firmwareContext, uint32_t ring,
                                                         std::shared_ptr<JobLog> jobs) {
  constexpr uint64_t kBytes = (kSlotsOffset + kEntries * sizeof(Slot) + kPageBytes - 1) / kPageBytes * kPageBytes;
  std::unique_ptr<ContextRing> created(new ContextRing(firmwareContext, ring, std::move(jobs)));
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, createMemoryFile("avocet-ring", kBytes));
  AVOCET_ASSIGN_OR_RETURN(created->memory_, Mapping::map(file.get(), kBytes, Mapping::Access::ReadWrite));
  created->restart();
  return created;
}

RingHeader &ContextRing::header() { return *reinterpret_cast<RingHeader *>(memory_.bytes().data()); }

JobDescriptor &ContextRing::descriptor(uint32_t index) {
  return reinterpret_cast<JobDescriptor *>(memory_.bytes().data() + sizeof(RingHeader))[index % kEntries];
}

ContextRing::Slot &ContextRing::slot(uint32_t index) {
  return reinterpret_cast<Slot *>(memory_.bytes().data() + kSlotsOffset)[index % kEntries];
}

uint64_t ContextRing::addressOf(const void *inside) const {
  return kDeviceAddress + static_cast<uint64_t>(static_cast<const uint8_t *>(inside) - memory_.bytes().data());
}

void ContextRing::fillTables(Slot &slot, const Submission &submission) {
  slot.completion = {};
  for (size_t i = 0; i < submission.streams.size(); ++i) {
    const StreamBinding &stream = submission.streams[i];
    slot.streams[i] = {static_cast<uint32_t>(stream.engine.kind), stream.engine.index, stream.address, stream.words,
                       stream.section};
  }
  for (size_t i = 0; i < submission.regions.size(); ++i) {
    const RegionBinding &region = submission.regions[i];
    slot.regions[i] = {region.address, region.bytes, static_cast<uint32_t>(region.access), 0};
  }
}

void ContextRing::fillDescriptor(uint32_t index, JobHandle job, const Submission &submission) {
  Slot &tables = slot(index);
  JobDescriptor filled{};
  filled.sequence = job;
  filled.context = firmwareContext_;
  filled.priority = submission.priority;
  filled.deadlineNs = firmware::kNoDeadline;
  filled.watchdogCycles = submission.watchdogCycles;
  filled.targetFingerprint = submission.targetFingerprint;
  filled.encodingVersion = submission.encodingVersion;
  filled.streamTable = addressOf(tables.streams);
  filled.regionTable = addressOf(tables.regions);
  filled.streamCount = static_cast<uint32_t>(submission.streams.size());
  filled.regionCount = static_cast<uint32_t>(submission.regions.size());
  filled.completion = addressOf(&tables.completion);
  filled.userData = submission.userData;
  filled.controlProgram = submission.control.address;
  filled.controlWords = submission.control.words;
  filled.loopTimeoutNs = submission.loopTimeoutNs;
  descriptor(index) = filled;
}

Result<JobHandle> ContextRing::submit(const Submission &submission) {
  std::lock_guard lock(mutex_);
  if (tail_ - reaped_ >= kEntries)
    return resourceExhausted(fmt::format("submit: all {} entries of the context's queue are in use", kEntries));
  AVOCET_ASSIGN_OR_RETURN(JobHandle job, jobs_->begin(submission.sink));
  fillTables(slot(tail_), submission);
  fillDescriptor(tail_, job, submission);
  ++tail_;
  std::atomic_ref(header().tail).store(tail_, std::memory_order_release);
  return job;
}

bool ContextRing::takeEnded(JobHandle &job, JobOutcome &outcome) {
  std::lock_guard lock(mutex_);
  if (reaped_ == tail_)
    return false;
  CompletionRecord &record = slot(reaped_).completion;
  auto state = std::atomic_ref(record.state).load(std::memory_order_acquire);
  if (state == static_cast<uint32_t>(firmware::JobState::Pending))
    return false;
  job = descriptor(reaped_).sequence;
  outcome = outcomeOf(record);
  ++reaped_;
  return true;
}

void ContextRing::reap() {
  JobHandle job = 0;
  JobOutcome outcome;
  while (takeEnded(job, outcome))
    jobs_->end(job, outcome);
}

void ContextRing::fail(firmware::FaultCode fault) {
  {
    std::lock_guard lock(mutex_);
    for (uint32_t index = reaped_; index != tail_; ++index) {
      CompletionRecord &record = slot(index).completion;
      if (record.state != static_cast<uint32_t>(firmware::JobState::Pending))
        continue;
      record.faultCode = static_cast<uint32_t>(fault);
      record.faultEngineKind = record.faultEngineIndex = record.faultCommand = record.faultRegion = firmware::kNoIndex;
      record.faultLayer = firmware::kNoLayer;
      std::atomic_ref(record.state)
          .store(static_cast<uint32_t>(firmware::JobState::Faulted), std::memory_order_release);
    }
  }
  reap();
}

void ContextRing::restart() {
  std::lock_guard lock(mutex_);
  tail_ = reaped_ = 0;
  header() = {};
  header().magic = firmware::kRingMagic;
  header().entries = kEntries;
  header().entryBytes = sizeof(JobDescriptor);
}

bool ContextRing::isIdle() {
  std::lock_guard lock(mutex_);
  return reaped_ == tail_;
}

} // namespace avocet::runtime
