//===- ContextRing.cpp - The job ring of one context ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContextRing.h"

#include "avocet/base/Rounding.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <fmt/core.h>
#include <utility>

namespace avocet::runtime {

using firmware::CompletionRecord;
using firmware::JobDescriptor;
using firmware::RingHeader;

/// All tables that one descriptor points to. Completion records are apart, next to each other, because each completion
/// scans all of them.
struct ContextRing::Tables {
  firmware::StreamEntry streams[firmware::kMaxJobStreams];
  firmware::RegionEntry regions[firmware::kMaxRegions];
  firmware::DependencyEntry dependencies[firmware::kMaxDependencies];
};

namespace {

constexpr size_t kRecordsOffset = sizeof(RingHeader) + ContextRing::kEntries * sizeof(JobDescriptor);
constexpr size_t kTablesOffset = roundUp(kRecordsOffset + ContextRing::kEntries * sizeof(CompletionRecord), kPageBytes);
static_assert(kRecordsOffset % firmware::kTableAlignment == 0 && sizeof(CompletionRecord) % 8 == 0);

} // namespace

Result<std::unique_ptr<ContextRing>> ContextRing::create(uint32_t firmwareContext, uint32_t ring, uint32_t owner,
                                                         std::shared_ptr<JobLog> jobs) {
  constexpr uint64_t kBytes = roundUp(kTablesOffset + kEntries * sizeof(Tables), kPageBytes);
  std::unique_ptr<ContextRing> created(new ContextRing(firmwareContext, ring, owner, std::move(jobs)));
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, createMemoryFile("avocet-ring", kBytes));
  AVOCET_ASSIGN_OR_RETURN(created->memory_, Mapping::map(file.get(), kBytes, Mapping::Access::ReadWrite));
  created->clearHeader();
  return created;
}

RingHeader &ContextRing::header() { return *reinterpret_cast<RingHeader *>(memory_.bytes().data()); }

JobDescriptor &ContextRing::descriptor(uint32_t index) {
  return reinterpret_cast<JobDescriptor *>(memory_.bytes().data() + sizeof(RingHeader))[index % kEntries];
}

CompletionRecord &ContextRing::record(uint32_t slot) {
  return reinterpret_cast<CompletionRecord *>(memory_.bytes().data() + kRecordsOffset)[slot];
}

ContextRing::Tables &ContextRing::tables(uint32_t slot) {
  return reinterpret_cast<Tables *>(memory_.bytes().data() + kTablesOffset)[slot];
}

uint64_t ContextRing::addressOf(const void *inside) const {
  return kDeviceAddress + static_cast<uint64_t>(static_cast<const uint8_t *>(inside) - memory_.bytes().data());
}

void ContextRing::clearHeader() {
  header() = {};
  header().magic = firmware::kRingMagic;
  header().entries = kEntries;
  header().entryBytes = sizeof(JobDescriptor);
}

void ContextRing::fillTables(uint32_t slot, const Submission &submission) {
  record(slot) = {};
  Tables &filled = tables(slot);
  for (size_t i = 0; i < submission.streams.size(); ++i) {
    const StreamBinding &stream = submission.streams[i];
    filled.streams[i] = {static_cast<uint32_t>(stream.engine.kind), stream.engine.index, stream.address, stream.words,
                         stream.section};
  }
  for (size_t i = 0; i < submission.regions.size(); ++i) {
    const RegionBinding &region = submission.regions[i];
    filled.regions[i] = {region.address, region.bytes, static_cast<uint32_t>(region.access), 0};
  }
}

void ContextRing::fillDescriptor(uint32_t index, uint32_t slot, JobHandle job, const Submission &submission) {
  Tables &pointed = tables(slot);
  JobDescriptor filled{};
  filled.sequence = job;
  filled.context = firmwareContext_;
  filled.priority = submission.priority;
  filled.watchdogCycles = submission.watchdogCycles;
  filled.targetFingerprint = submission.targetFingerprint;
  filled.encodingVersion = submission.encodingVersion;
  filled.streamTable = addressOf(pointed.streams);
  filled.regionTable = addressOf(pointed.regions);
  filled.dependencyTable = addressOf(pointed.dependencies);
  filled.streamCount = static_cast<uint32_t>(submission.streams.size());
  filled.regionCount = static_cast<uint32_t>(submission.regions.size());
  filled.completion = addressOf(&record(slot));
  filled.userData = submission.userData;
  filled.controlProgram = submission.control.address;
  filled.controlWords = submission.control.words;
  filled.loopTimeoutNs = submission.loopTimeoutNs;
  if (submission.clockLevel)
    filled.flags = (*submission.clockLevel + 1) << firmware::jobflags::kClockLevelShift;
  descriptor(index) = filled;
}

void ContextRing::fillDependencies(OpenJob &job, JobDescriptor &descriptor) {
  for (uint32_t i = 0; i < job.dependencyCount; ++i)
    tables(job.slot).dependencies[i] = job.dependencies[i].entry;
  descriptor.dependencyCount = job.dependencyCount;
}

void ContextRing::publishTail() { std::atomic_ref(header().tail).store(tail_, std::memory_order_release); }

Result<JobHandle> ContextRing::submit(const Submission &submission, uint64_t deadlineNs,
                                      std::span<const RingDependency> dependencies) {
  std::lock_guard lock(mutex_);
  if (tail_ - reaped_ >= kEntries)
    return resourceExhausted(fmt::format("submit: all {} entries of the context's queue are in use", kEntries));
  AVOCET_ASSIGN_OR_RETURN(JobHandle job, jobs_->begin(submission.sink));
  OpenJob &open = openJob(tail_);
  open.job = job;
  open.slot = static_cast<uint32_t>(std::countr_zero(freeSlots_));
  open.cancelled = false;
  open.dependencyCount = static_cast<uint32_t>(dependencies.size());
  std::copy(dependencies.begin(), dependencies.end(), open.dependencies.begin());
  freeSlots_ &= ~(1u << open.slot);
  fillTables(open.slot, submission);
  fillDescriptor(tail_, open.slot, job, submission);
  descriptor(tail_).deadlineNs = deadlineNs;
  fillDependencies(open, descriptor(tail_));
  ++tail_;
  publishTail();
  return job;
}

Status ContextRing::addDependency(JobHandle job, RingDependencies &dependencies) const {
  AVOCET_ASSIGN_OR_RETURN(JobLog::State state, jobs_->stateOf(job));
  if (state == JobLog::State::Forgotten)
    return invalidArgument(fmt::format("submit: job {} ended too long ago to wait for it", job));
  const uint32_t number = state == JobLog::State::Open ? ring_ : RingDependency::kFailed;
  if (state != JobLog::State::Complete)
    dependencies.entries[dependencies.count++] = {{number, 0, job}, jobs_};
  return Status::ok();
}

ContextRing::OpenJob *ContextRing::find(JobHandle job) {
  for (uint32_t index = reaped_; index != tail_; ++index)
    if (openJob(index).job == job)
      return &openJob(index);
  return nullptr;
}

bool ContextRing::requestCancel(JobHandle job) {
  std::lock_guard lock(mutex_);
  OpenJob *open = find(job);
  return open != nullptr && !std::exchange(open->cancelled, true);
}

std::vector<firmware::CancelRequest> ContextRing::cancelRequests() {
  std::lock_guard lock(mutex_);
  std::vector<firmware::CancelRequest> requests;
  for (uint32_t index = reaped_; index != tail_; ++index)
    if (const OpenJob &open = openJob(index); open.job != 0 && open.cancelled)
      requests.push_back({firmwareContext_, ring_, open.job});
  return requests;
}

bool ContextRing::hasEnded(uint32_t index) {
  auto state = std::atomic_ref(record(openJob(index).slot).state).load(std::memory_order_acquire);
  return state != static_cast<uint32_t>(firmware::JobState::Pending);
}

/// Usually the oldest job; a job that ended early may come before older ones.
bool ContextRing::takeEnded(JobHandle &job, JobOutcome &outcome) {
  std::lock_guard lock(mutex_);
  uint32_t index = reaped_;
  while (index != tail_ && (openJob(index).job == 0 || !hasEnded(index)))
    ++index;
  if (index == tail_)
    return false;
  OpenJob &open = openJob(index);
  job = std::exchange(open.job, 0);
  outcome = outcomeOf(record(open.slot));
  freeSlots_ |= 1u << open.slot;
  for (uint32_t i = 0; i < open.dependencyCount; ++i)
    open.dependencies[i].jobs.reset();
  while (reaped_ != tail_ && openJob(reaped_).job == 0)
    ++reaped_;
  return true;
}

void ContextRing::reap() {
  std::lock_guard turn(reporting_);
  JobHandle job = 0;
  JobOutcome outcome;
  while (takeEnded(job, outcome))
    jobs_->end(job, outcome);
}

void ContextRing::fail(firmware::FaultCode fault) {
  {
    std::lock_guard lock(mutex_);
    for (uint32_t index = reaped_; index != tail_; ++index) {
      if (openJob(index).job == 0 || hasEnded(index))
        continue;
      CompletionRecord &failed = record(openJob(index).slot);
      failed.faultCode = static_cast<uint32_t>(fault);
      failed.faultEngineKind = failed.faultEngineIndex = failed.faultCommand = failed.faultRegion = firmware::kNoIndex;
      failed.faultLayer = firmware::kNoLayer;
      std::atomic_ref(failed.state)
          .store(static_cast<uint32_t>(firmware::JobState::Faulted), std::memory_order_release);
    }
  }
  reap();
}

void ContextRing::settleDependencies(OpenJob &job) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < job.dependencyCount; ++i) {
    RingDependency &dependency = job.dependencies[i];
    Result<JobLog::State> state = dependency.jobs->stateOf(dependency.entry.sequence);
    if (state.isOk() && *state == JobLog::State::Complete)
      continue;
    if (!state.isOk() || *state != JobLog::State::Open)
      dependency.entry.ring = RingDependency::kFailed;
    std::swap(job.dependencies[kept++], dependency);
  }
  for (uint32_t i = kept; i < job.dependencyCount; ++i)
    job.dependencies[i].jobs.reset();
  job.dependencyCount = kept;
}

void ContextRing::rebuild() {
  std::lock_guard lock(mutex_);
  uint32_t filled = reaped_;
  for (uint32_t index = reaped_; index != tail_; ++index) {
    if (openJob(index).job == 0)
      continue;
    // Entries move towards the front only, so no entry is overwritten before it has moved.
    if (filled != index) {
      openJob(filled) = std::exchange(openJob(index), OpenJob());
      descriptor(filled) = descriptor(index);
    }
    OpenJob &open = openJob(filled);
    settleDependencies(open);
    fillDependencies(open, descriptor(filled));
    ++filled;
  }
  tail_ = filled;
  clearHeader();
  header().head = reaped_;
  publishTail();
}

bool ContextRing::isIdle() {
  std::lock_guard lock(mutex_);
  return reaped_ == tail_;
}

} // namespace avocet::runtime
