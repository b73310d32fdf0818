//===- JobQueue.cpp - Rings and which job comes next ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "firmware/JobQueue.h"

#include "firmware/MemoryWords.h"

#include <bit>
#include <iterator>
#include <tuple>

namespace avocet::sim {

using namespace firmware;

ReplyCode JobQueue::createRing(const RingRequest &request, const Mmu &mmu) {
  if (request.ring >= kMaxRings || !std::has_single_bit(request.entries) || request.entries > kMaxRingEntries ||
      request.address % kTableAlignment != 0 || rings_.contains(request.ring))
    return ReplyCode::BadMessage;
  Ring ring{request.context, request.address, request.entries, &mmu, 0, false, {}};
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

void JobQueue::clear(std::vector<QueuedJob> &dropped) {
  while (!rings_.empty())
    destroyRings(rings_.begin()->second.context, dropped);
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
bool JobQueue::fetchOne(uint32_t number, Ring &ring) {
  uint32_t tail = 0;
  ring.isBroken = !readHeader(ring, tail) || tail - ring.head > ring.entries;
  if (ring.isBroken || tail == ring.head)
    return false;
  QueuedJob job{number, ring.context, 0, {}};
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
  ring.waiting.push_back(job);
  return true;
}

void JobQueue::fetch(uint32_t number) {
  auto ring = rings_.find(number);
  if (ring == rings_.end())
    return;
  while (!ring->second.isBroken && ring->second.waiting.size() < kMaxWaiting && fetchOne(number, ring->second))
    ;
}

bool JobQueue::empty() const {
  for (const auto &[number, ring] : rings_)
    if (!ring.waiting.empty())
      return false;
  return true;
}

/// Smaller comes first.
static auto rankOf(const QueuedJob &job) {
  const JobDescriptor &d = job.descriptor;
  return std::tuple(UINT32_MAX - d.priority, d.deadlineNs == kNoDeadline ? UINT64_MAX : d.deadlineNs, job.arrival);
}

QueuedJob JobQueue::take() {
  uint32_t best = 0;
  const QueuedJob *first = nullptr;
  for (const auto &[number, ring] : rings_)
    if (!ring.waiting.empty() && (!first || rankOf(ring.waiting.front()) < rankOf(*first))) {
      first = &ring.waiting.front();
      best = number;
    }
  QueuedJob job = *first;
  rings_.at(best).waiting.pop_front();
  fetch(best);
  return job;
}

std::optional<QueuedJob> JobQueue::remove(uint32_t context, uint32_t number, uint64_t sequence) {
  auto ring = rings_.find(number);
  if (ring == rings_.end() || ring->second.context != context)
    return std::nullopt;
  auto &waiting = ring->second.waiting;
  for (auto job = waiting.begin(); job != waiting.end(); ++job)
    if (job->descriptor.sequence == sequence) {
      QueuedJob removed = *job;
      waiting.erase(job);
      return removed;
    }
  return std::nullopt;
}

} // namespace avocet::sim
