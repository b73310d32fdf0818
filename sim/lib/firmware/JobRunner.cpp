//===- JobRunner.cpp - From descriptor to completion record -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "firmware/JobRunner.h"

#include "avocet/firmware_iface/Version.h"
#include "firmware/MemoryWords.h"
#include "timing/DeviceTime.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace avocet::sim {

using namespace firmware;

/// Length of one step of restoring; the scheduler runs between steps.
static constexpr uint64_t kRestoreCycles = 4096;

/// That of a cache line and of the longest vectors: operands that the compiler aligned stay aligned.
static constexpr uint64_t kSramAlignment = 64;

std::span<uint8_t> JobRunner::sram() {
  const auto address = reinterpret_cast<uintptr_t>(sram_.get());
  return {sram_.get() + (kSramAlignment - address % kSramAlignment) % kSramAlignment, target_.sram().bytes};
}

static uint8_t *clearedMemory(uint64_t bytes) {
  auto *memory = static_cast<uint8_t *>(std::calloc(bytes + kSramAlignment, 1));
  if (memory == nullptr)
    throw std::bad_alloc();
  return memory;
}

/// Threads that compute.
static uint32_t threadsOf(const DeviceOptions &options) {
  return options.functional ? std::clamp(options.threads, 1u, Workers::kMostThreads) : 1;
}

JobRunner::JobRunner(const Target &target, const DeviceOptions &options)
    : target_(target), options_(options), images_(target, ImageStore::kKeptBytes, threadsOf(options)),
      workers_(threadsOf(options) > 1 ? std::make_unique<Workers>(threadsOf(options)) : nullptr),
      sram_(clearedMemory(target.sram().bytes)) {}

static uint32_t levelFieldOf(uint32_t flags) {
  return (flags & jobflags::kClockLevelMask) >> jobflags::kClockLevelShift;
}

/// A clock level means nothing where cycles are not counted.
bool JobRunner::hasKnownFlags(uint32_t flags) const {
  const uint32_t levels = options_.timing ? static_cast<uint32_t>(target_.power().levels.size()) : 0;
  return (flags & ~jobflags::kClockLevelMask) == 0 && levelFieldOf(flags) <= levels;
}

/// Index of the level in the target.
static uint32_t levelOf(const JobDescriptor &descriptor, const PowerModel &power) {
  const uint32_t field = levelFieldOf(descriptor.flags);
  return field == 0 ? power.defaultLevel : field - 1;
}

JobFault JobRunner::checkDescriptor(const QueuedJob &job) const {
  const JobDescriptor &d = job.descriptor;
  if (d.encodingVersion != kEncodingVersion)
    return faultOf(FaultCode::VersionMismatch);
  if (d.targetFingerprint != target_.fingerprint())
    return faultOf(FaultCode::TargetMismatch);
  const bool aligned = d.streamTable % kTableAlignment == 0 && d.regionTable % kTableAlignment == 0 &&
                       d.completion % kTableAlignment == 0 && d.controlProgram % kTableAlignment == 0;
  const bool counts = d.streamCount >= 1 && d.streamCount <= kMaxJobStreams && d.regionCount <= kMaxRegions;
  if (d.context != job.context || d.priority > kMaxPriority || !hasKnownFlags(d.flags) || !aligned || !counts ||
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

RunLimits JobRunner::limitsOf(const ActiveJob &job, uint64_t now) const {
  const JobDescriptor &descriptor = job.queued.descriptor;
  auto levelCycles = [&](uint64_t deviceCycles) {
    return levelCyclesIn(target_.power(), deviceCycles, job.clockLevel);
  };
  const uint64_t loopNs =
      descriptor.loopTimeoutNs == kDefaultLoopTimeout ? kDefaultLoopTimeoutNs : descriptor.loopTimeoutNs;
  RunLimits limits{UINT64_MAX, options_.watchdogCycles, UINT64_MAX, levelCycles(cyclesIn(target_, loopNs)),
                   levelCycles(cyclesIn(target_, kHardStopNs))};
  if (descriptor.watchdogCycles != kDefaultWatchdog) {
    limits.sectionCycles = std::min(descriptor.watchdogCycles, kMaxWatchdogCycles);
    limits.idleCycles = UINT64_MAX;
  }
  if (descriptor.deadlineNs != kNoDeadline && options_.timing) {
    const uint64_t deadline = cyclesIn(target_, descriptor.deadlineNs);
    limits.deadlineCycles = saturatingSum(job.run.elapsed(), deadline > now ? levelCycles(deadline - now) : 0);
  }
  return limits;
}

std::unique_ptr<ActiveJob> JobRunner::begin(QueuedJob &job, const Mmu &mmu, uint64_t now, JobFault &fault) {
  JobTables tables;
  fault = job.fault ? job.fault : checkDescriptor(job);
  if (!fault)
    fault = readTables(job.descriptor, mmu, tables);
  std::shared_ptr<const JobImage> image;
  if (!fault)
    image = images_.find(mmu, tables, fault);
  if (fault)
    return nullptr;
  const uint32_t level = levelOf(job.descriptor, target_.power());
  return std::make_unique<ActiveJob>(std::move(job), std::move(tables), std::move(image), target_, options_, sram(),
                                     mmu, workers_.get(), now, level);
}

/// Clears SRAM if it holds data of another context or if the job resumes: a resumed job reads only its declared live
/// bytes.
void JobRunner::prepareSram(ActiveJob &job) {
  const bool isOwn = sramOwner_ == job.queued.context && job.preemption.preemptions == 0;
  if (!isOwn && options_.functional)
    std::memset(sram().data() + used_.begin, 0, used_.end - used_.begin);
  if (!isOwn)
    used_ = {};
  for (const Program &program : job.image->programs)
    used_ = enclosingRange(used_, program.sram());
  used_ = enclosingRange(used_, job.saved->extent()); // the declared live bytes may be anything
  used_.end = std::min<uint64_t>(used_.end, target_.sram().bytes);
  used_.begin = std::min(used_.begin, used_.end);
  sramOwner_ = job.queued.context;
  job.saved->copyBack(sram());
  job.preemption.evacuatedBytes += job.saved->evacuatedBytes();
  *job.saved = {};
}

bool JobRunner::run(ActiveJob &job, const std::vector<std::unique_ptr<ActiveJob>> &others, uint64_t now,
                    RunWatch &watch) {
  if (job.preemption.preemptions != 0)
    job.preemption.suspendedCycles += now - job.stoppedAt;
  prepareSram(job);
  Evacuation evacuation(target_);
  for (const auto &other : others)
    evacuation.add(other->saved);
  job.state.evacuation = evacuation.isNeeded() ? &evacuation : nullptr;
  const uint64_t before = job.run.elapsed();
  const bool hasEnded = job.run.run(limitsOf(job, now), watch);
  job.state.evacuation = nullptr;
  if (!hasEnded)
    suspend(job, now + defaultCyclesOf(target_.power(), job.run.elapsed() - before, job.clockLevel));
  return hasEnded;
}

void JobRunner::suspend(ActiveJob &job, uint64_t now) {
  *job.saved = SavedSram(job.run.live(), sram(), options_.functional);
  job.stoppedAt = now;
  ++job.preemption.preemptions;
  job.preemption.liveBytes += job.saved->bytes();
  sramOwner_ = 0;
}

uint64_t JobRunner::bringBack(ActiveJob &job, const std::vector<std::unique_ptr<ActiveJob>> &others) {
  if (job.saved->isComplete())
    return 0;
  const DramModel &dram = target_.dram();
  const uint64_t most = std::max<uint64_t>(1, kRestoreCycles * dram.bandwidth.count / dram.bandwidth.cycles);
  const SavedSram::Range range = job.saved->bringBack(most);
  Evacuation evacuation(target_);
  for (const auto &other : others)
    evacuation.add(other->saved);
  const uint64_t bytes = range.end - range.begin;
  return dram.readLatencyCycles + dram.bandwidth.cyclesFor(bytes + evacuation.clear(range.begin, range.end, bytes));
}

JobProfile JobRunner::end(ActiveJob &job, uint64_t now) const {
  JobProfile profile;
  profile.record.startCycle = job.startCycle;
  profile.record.endCycle = now;
  profile.record.counters = job.state.counters.total(options_.timing ? job.run.elapsed() : 0);
  if (job.state.badIndex) {
    profile.record.indexExtent = job.state.badIndex->extent;
    profile.record.indexLayer = job.state.badIndexLayer;
    profile.record.index = job.state.badIndex->index;
  }
  profile.preemption = job.preemption;
  profile.preemption.evacuatedBytes += job.saved->evacuatedBytes();
  *job.saved = {}; // no job has to evacuate it any more
  if (options_.profile) {
    profile.layers = job.state.counters.byLayer();
    profile.regions = job.state.counters.byRegion();
  }
  profile.spans = std::move(job.state.spans);
  profile.clockPercent = target_.power().levels[job.clockLevel].clockPercent;
  profile.sections = std::move(job.state.sections);
  complete(job.queued, job.mmu, job.state.fault, profile);
  return profile;
}

JobProfile JobRunner::end(const QueuedJob &job, const Mmu &mmu, uint64_t now, const JobFault &fault) const {
  JobProfile profile;
  profile.record.startCycle = profile.record.endCycle = now;
  complete(job, mmu, fault, profile);
  return profile;
}

/// Fills in the record and writes it for the driver, its state last. A record that the context has not mapped is
/// dropped: there is no other way to report it.
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
  record.arrivalCycle = job.arrivalCycle;

  const uint64_t address = job.descriptor.completion;
  if (address % kTableAlignment != 0)
    return;
  std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t *>(&record), sizeof(record));
  uint64_t badAddress;
  if (mmu.write(address + sizeof(uint32_t), bytes.subspan(sizeof(uint32_t)), badAddress))
    (void)storeRelease(mmu.find(address, sizeof(uint32_t), access::kWrite), record.state);
}

} // namespace avocet::sim
