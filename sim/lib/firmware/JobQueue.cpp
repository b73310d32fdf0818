//===- JobQueue.cpp - Rings and the jobs that wait in them ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "firmware/JobQueue.h"

#include "firmware/MemoryWords.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace avocet::sim {

using namespace firmware;

ReplyCode JobQueue::createRing(const RingRequest &request, const Mmu &mmu, uint32_t owner) {
  if (request.ring >= kMaxRings || !std::has_single_bit(request.entries) || request.entries > kMaxRingEntries ||
      request.address % kTableAlignment != 0 || rings_.contains(request.ring))
    return ReplyCode::BadMessage;
  Ring ring{
      .context = request.context, .owner = owner, .address = request.address, .entries = request.entries, .mmu = &mmu};
  uint32_t tail = 0;
  if (!readHeader(ring, tail))
    return ReplyCode::BadMessage;
  std::span<uint8_t> head = mmu.find(ring.address + offsetof(RingHeader, head), sizeof(uint32_t), access::kRead);
  ring.head = loadAcquire(head).value_or(0);
  rings_.emplace(request.ring, std::move(ring));
  return ReplyCode::Ok;
}

ReplyCode JobQueue::destroyRing(uint32_t context, uint32_t number, std::vector<QueuedJob> &dropped) {
  auto ring = rings_.find(number);
  if (ring == rings_.end() || ring->second.context != context)
    return ReplyCode::NoSuchRing;
  std::move(ring->second.waiting.begin(), ring->second.waiting.end(), std::back_inserter(dropped));
  rings_.erase(ring);
  waiting_.erase(number);
  return ReplyCode::Ok;
}

void JobQueue::destroyRings(uint32_t context, std::vector<QueuedJob> &dropped) {
  for (auto ring = rings_.begin(); ring != rings_.end();) {
    const uint32_t number = ring->first;
    const bool isOwn = ring->second.context == context;
    ++ring;
    if (isOwn)
      (void)destroyRing(context, number, dropped);
  }
}

/// Checks the header and reads the tail.
bool JobQueue::readHeader(Ring &ring, uint32_t &tail) const {
  RingHeader header;
  uint64_t badAddress;
  std::span<uint8_t> bytes(reinterpret_cast<uint8_t *>(&header), offsetof(RingHeader, tail));
  if (!ring.mmu->read(ring.address, bytes, badAddress))
    return false;
  auto word = loadAcquire(ring.mmu->find(ring.address + offsetof(RingHeader, tail), sizeof(uint32_t), access::kRead));
  tail = word.value_or(0);
  return word && header.magic == kRingMagic && header.entries == ring.entries &&
         header.entryBytes == sizeof(JobDescriptor);
}

/// False: no descriptor is there, or the ring is broken.
bool JobQueue::fetchOne(uint32_t number, Ring &ring, uint64_t now) {
  uint32_t tail = 0;
  ring.isBroken = !readHeader(ring, tail) || tail - ring.head > ring.entries;
  if (ring.isBroken || tail == ring.head)
    return false;
  QueuedJob job{.ring = number, .context = ring.context, .owner = ring.owner, .arrivalCycle = now};
  uint64_t badAddress;
  const uint64_t address =
      ring.address + sizeof(RingHeader) + uint64_t{ring.head % ring.entries} * sizeof(JobDescriptor);
  std::span<uint8_t> bytes(reinterpret_cast<uint8_t *>(&job.descriptor), sizeof(JobDescriptor));
  std::span<uint8_t> head = ring.mmu->find(ring.address + offsetof(RingHeader, head), sizeof(uint32_t), access::kWrite);
  ring.isBroken = !ring.mmu->read(address, bytes, badAddress) || !storeRelease(head, ring.head + 1);
  if (ring.isBroken)
    return false;
  ++ring.head;
  job.arrival = arrivals_++;
  readDependencies(ring, job);
  ring.firstTaken = std::min(ring.firstTaken, job.descriptor.sequence);
  ring.lastTaken = std::max(ring.lastTaken, job.descriptor.sequence);
  ring.waiting.push_back(std::move(job));
  waiting_.insert(number);
  return true;
}

/// A descriptor that breaks rules is refused when the job begins.
void JobQueue::readDependencies(const Ring &ring, QueuedJob &job) const {
  const JobDescriptor &d = job.descriptor;
  if (d.dependencyCount > kMaxDependencies || d.dependencyTable % kTableAlignment != 0)
    return;
  job.dependencies.resize(d.dependencyCount);
  uint64_t badAddress = 0;
  std::span<uint8_t> bytes(reinterpret_cast<uint8_t *>(job.dependencies.data()),
                           job.dependencies.size() * sizeof(DependencyEntry));
  if (ring.mmu->read(d.dependencyTable, bytes, badAddress))
    return;
  job.dependencies.clear();
  job.fault = faultOf(FaultCode::PageFault, badAddress);
}

void JobQueue::fetch(uint32_t number, uint64_t now, const std::function<void(uint32_t)> &taken) {
  auto ring = rings_.find(number);
  if (ring == rings_.end())
    return;
  while (!ring->second.isBroken && ring->second.waiting.size() < kMaxWaiting && fetchOne(number, ring->second, now))
    taken(ring->second.owner);
}

/// Whether a job of the ring has not ended: it was begun, waits, or is in the ring after those that wait.
bool JobQueue::isToCome(const Ring &ring, uint64_t sequence) const {
  if (ring.hasBegun && ring.begun == sequence)
    return true;
  for (const QueuedJob &job : ring.waiting)
    if (job.descriptor.sequence == sequence)
      return true;
  return sequence > ring.lastTaken && ring.waiting.size() >= kMaxWaiting;
}

JobQueue::Readiness JobQueue::settle(QueuedJob &job) const {
  while (!job.dependencies.empty()) {
    const DependencyEntry &on = job.dependencies.back();
    auto ring = rings_.find(on.ring);
    if (ring == rings_.end() || on.reserved != 0 || (on.ring == job.ring && on.sequence >= job.descriptor.sequence))
      return Readiness::Hopeless;
    if (isToCome(ring->second, on.sequence))
      return Readiness::Waits;
    auto end = ring->second.history.find(on.sequence);
    if (!end || end->faulted || on.sequence < ring->second.firstTaken || on.sequence > ring->second.lastTaken)
      return Readiness::Hopeless;
    job.arrivalCycle = std::max(job.arrivalCycle, end->cycle);
    job.dependencies.pop_back();
  }
  return Readiness::Ready;
}

QueuedJob JobQueue::begin(uint32_t number) {
  Ring &ring = rings_.at(number);
  QueuedJob job = std::move(ring.waiting.front());
  ring.waiting.pop_front();
  if (ring.waiting.empty())
    waiting_.erase(number);
  ring.hasBegun = true;
  ring.begun = job.descriptor.sequence;
  return job;
}

void JobQueue::ended(const QueuedJob &job, uint64_t cycle, bool faulted) {
  auto ring = rings_.find(job.ring);
  if (ring == rings_.end() || ring->second.context != job.context)
    return;
  ring->second.history.add({job.descriptor.sequence, cycle, faulted});
  if (ring->second.hasBegun && ring->second.begun == job.descriptor.sequence)
    ring->second.hasBegun = false;
}

std::optional<QueuedJob> JobQueue::remove(uint32_t context, uint32_t number, uint64_t sequence) {
  auto ring = rings_.find(number);
  if (ring == rings_.end() || ring->second.context != context)
    return std::nullopt;
  auto &waiting = ring->second.waiting;
  for (auto job = waiting.begin(); job != waiting.end(); ++job)
    if (job->descriptor.sequence == sequence) {
      QueuedJob removed = std::move(*job);
      waiting.erase(job);
      if (waiting.empty())
        waiting_.erase(number);
      return removed;
    }
  return std::nullopt;
}

} // namespace avocet::sim
