//===- JobRunner.cpp - From descriptor to completion record -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "firmware/JobRunner.h"

#include "avocet/firmware_iface/Version.h"
#include "firmware/MemoryWords.h"

#include <algorithm>

namespace avocet::sim {

using namespace firmware;

JobRunner::JobRunner(const Target &target, const DeviceOptions &options)
    : target_(target), options_(options), images_(target), sram_((target.sram().bytes + 7) / 8) {}

JobFault JobRunner::checkDescriptor(const QueuedJob &job) const {
  const JobDescriptor &d = job.descriptor;
  if (d.encodingVersion != kEncodingVersion)
    return faultOf(FaultCode::VersionMismatch);
  if (d.targetFingerprint != target_.fingerprint())
    return faultOf(FaultCode::TargetMismatch);
  const bool aligned = d.streamTable % kTableAlignment == 0 && d.regionTable % kTableAlignment == 0 &&
                       d.completion % kTableAlignment == 0 && d.controlProgram % kTableAlignment == 0;
  const bool counts = d.streamCount >= 1 && d.streamCount <= kMaxJobStreams && d.regionCount <= kMaxRegions;
  if (d.context != job.context || d.priority > kMaxPriority || d.flags != 0 || !aligned || !counts ||
      d.controlWords > kMaxControlWords || d.loopTimeoutNs > kMaxLoopTimeoutNs ||
      d.dependencyCount > kMaxDependencies || d.dependencyTable % kTableAlignment != 0 || d.reserved != 0)
    return faultOf(FaultCode::BadDescriptor);
  return {};
}

template <typename Entry>
static JobFault readTable(const Mmu &mmu, uint64_t address, uint32_t count, std::vector<Entry> &entries) {
  entries.resize(count);
  uint64_t badAddress = 0;
  std::span<uint8_t> bytes(reinterpret_cast<uint8_t *>(entries.data()), count * sizeof(Entry));
  return mmu.read(address, bytes, badAddress) ? JobFault{} : faultOf(FaultCode::PageFault, badAddress);
}

JobFault JobRunner::readTables(const JobDescriptor &descriptor, const Mmu &mmu, JobTables &tables) const {
  if (JobFault fault = readTable(mmu, descriptor.streamTable, descriptor.streamCount, tables.streams))
    return fault;
  if (JobFault fault = readTable(mmu, descriptor.regionTable, descriptor.regionCount, tables.regions))
    return fault;
  if (JobFault fault = readTable(mmu, descriptor.controlProgram, descriptor.controlWords, tables.control))
    return fault;
  for (const RegionEntry &region : tables.regions) {
    uint64_t end;
    if (region.reserved != 0 || (region.access & ~(access::kRead | access::kWrite)) != 0 ||
        __builtin_add_overflow(region.address, region.bytes, &end))
      return faultOf(FaultCode::BadDescriptor, region.address);
  }
  return {};
}

/// Cycle in which `ns` nanoseconds of device time have passed.
static uint64_t cycleAt(const Target &target, uint64_t ns) {
  const auto cycles = static_cast<unsigned __int128>(ns) * target.clockHz() / 1'000'000'000u;
  return cycles > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(cycles);
}

RunLimits JobRunner::limitsOf(const JobDescriptor &descriptor, uint64_t now,
                              const std::function<JobFault()> &interruption) const {
  const uint64_t loopNs =
      descriptor.loopTimeoutNs == kDefaultLoopTimeout ? kDefaultLoopTimeoutNs : descriptor.loopTimeoutNs;
  RunLimits limits{kWatchdogCycles, UINT64_MAX, UINT64_MAX, cycleAt(target_, loopNs), interruption};
  if (descriptor.watchdogCycles != kDefaultWatchdog)
    limits.watchdogCycles = descriptor.watchdogCycles;
  if (descriptor.deadlineNs != kNoDeadline && options_.timing) {
    const uint64_t deadline = cycleAt(target_, descriptor.deadlineNs);
    limits.deadlineCycles = deadline > now ? deadline - now : 0;
  }
  return limits;
}

/// No context may find another one's data.
void JobRunner::clearSramFor(uint32_t context) {
  if (sramOwner_ != context && options_.functional)
    std::fill(sram_.begin(), sram_.end(), 0);
  sramOwner_ = context;
}

JobProfile JobRunner::run(const QueuedJob &job, const Mmu &mmu, uint64_t &now,
                          const std::function<JobFault()> &interruption) {
  JobTables tables;
  JobFault fault = checkDescriptor(job);
  if (!fault)
    fault = readTables(job.descriptor, mmu, tables);
  std::shared_ptr<const JobImage> image;
  if (!fault)
    image = images_.find(mmu, tables, fault);
  if (fault)
    return end(job, mmu, now, fault);

  clearSramFor(job.context);
  std::span<uint8_t> sram(reinterpret_cast<uint8_t *>(sram_.data()), target_.sram().bytes);
  JobMemory memory(sram, mmu, std::move(tables.regions));
  JobState state(target_, memory, options_.functional, options_.trace);
  const RunLimits limits = limitsOf(job.descriptor, now, interruption);
  JobProfile profile;
  profile.record.startCycle = now;
  runJob(state, *image, limits, options_.timing ? runTimed : runUntimed);
  if (options_.timing)
    now += state.elapsed;
  profile.record.endCycle = now;
  profile.record.counters = state.counters.total(now - profile.record.startCycle);
  if (options_.profile)
    profile.layers = state.counters.byLayer();
  profile.spans = std::move(state.spans);
  complete(job, mmu, state.fault, profile);
  return profile;
}

JobProfile JobRunner::end(const QueuedJob &job, const Mmu &mmu, uint64_t now, const JobFault &fault) const {
  JobProfile profile;
  profile.record.startCycle = profile.record.endCycle = now;
  complete(job, mmu, fault, profile);
  return profile;
}

/// Fills in the record and writes it for the driver, its state last. A record that the context has not mapped is lost:
/// there is nobody to tell.
void JobRunner::complete(const QueuedJob &job, const Mmu &mmu, const JobFault &fault, JobProfile &profile) const {
  profile.context = job.context;
  profile.ring = job.ring;
  CompletionRecord &record = profile.record;
  record.state = static_cast<uint32_t>(fault ? firmware::JobState::Faulted : firmware::JobState::Complete);
  record.faultCode = static_cast<uint32_t>(fault.code);
  record.sequence = job.descriptor.sequence;
  record.userData = job.descriptor.userData;
  record.faultEngineKind = fault.engineKind;
  record.faultEngineIndex = fault.engineIndex;
  record.faultCommand = fault.command;
  record.faultLayer = fault.layer;
  record.faultRegion = fault.region;
  record.faultSection = fault.section;
  record.faultAddress = fault.address;

  const uint64_t address = job.descriptor.completion;
  if (address % kTableAlignment != 0)
    return;
  std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t *>(&record), sizeof(record));
  uint64_t badAddress;
  if (mmu.write(address + sizeof(uint32_t), bytes.subspan(sizeof(uint32_t)), badAddress))
    (void)storeRelease(mmu.find(address, sizeof(uint32_t), access::kWrite), record.state);
}

} // namespace avocet::sim
