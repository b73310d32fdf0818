//===- RequestRunner.cpp - From request packet to result packet ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RequestRunner.h"

#include "avocet/base/TraceRequest.h"
#include "avocet/hal/types/Tracing.h"
#include "avocet/hal/types/VerboseLog.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <fmt/core.h>

namespace avocet::hal {

bool SlotTable::find(std::span<const int32_t> slots, std::vector<RequestPool> &memories,
                     std::vector<int64_t> &identifiers) const {
  memories.resize(slots.size());
  identifiers.resize(slots.size());
  std::lock_guard lock(mutex_);
  for (size_t i = 0; i < slots.size(); ++i) {
    auto entry = entries_.find(slots[i]);
    if (entry == entries_.end())
      return false;
    memories[i] = entry->second.memory;
    identifiers[i] = entry->second.identifier;
  }
  return true;
}

std::vector<int32_t> SlotTable::unknown(std::span<const int32_t> slots) const {
  std::vector<int32_t> missing;
  std::lock_guard lock(mutex_);
  std::ranges::copy_if(slots, std::back_inserter(missing), [&](int32_t slot) { return !entries_.contains(slot); });
  std::ranges::sort(missing);
  auto repeated = std::ranges::unique(missing);
  missing.erase(repeated.begin(), repeated.end());
  return missing;
}

Outcome SlotTable::insert(std::span<const int32_t> slots, std::span<const SharedMemory> memories) {
  std::lock_guard lock(mutex_);
  if (slots.size() > maxSlots_ || entries_.size() > maxSlots_ - slots.size())
    return error(ErrorStatus::ResourceExhaustedTransient,
                 fmt::format("burst: {} more memories, {} of {} are in use", slots.size(), entries_.size(), maxSlots_));
  for (size_t i = 0; i < slots.size(); ++i)
    if (entries_.try_emplace(slots[i], Entry{memories[i], nextIdentifier_}).second)
      ++nextIdentifier_;
  return success();
}

std::optional<int64_t> SlotTable::erase(int32_t slot) {
  SharedMemory memory; // freed without the lock
  std::lock_guard lock(mutex_);
  auto entry = entries_.find(slot);
  if (entry == entries_.end())
    return std::nullopt;
  int64_t identifier = entry->second.identifier;
  memory = std::move(entry->second.memory);
  entries_.erase(entry);
  return identifier;
}

namespace {

ExecutionOutcome failed(const Error &error) {
  ExecutionOutcome outcome;
  outcome.status = error.code;
  outcome.message = error.message;
  return outcome;
}

ExecutionOutcome failed(std::string message) { return failed(generalFailure(std::move(message))); }

} // namespace

std::span<const FmqResultDatum> RequestRunner::run(std::span<const FmqRequestDatum> packet, size_t capacity) {
  ExecutionOutcome outcome;
  try {
    outcome = execute(packet);
  } catch (const std::exception &exception) {
    outcome = failed(exception.what());
  }
  // The packet has no room for the message.
  if (outcome.status != ErrorStatus::None)
    verbose(VerboseTag::Execution, "burst: {} {}", toString(outcome.status), outcome.message);
  // Drop the memories: the client may free them before the next request.
  std::ranges::fill(received_.request.pools, RequestPool());
  writeResultPacket(outcome, result_);
  if (result_.size() > capacity)
    writeResultPacket(failed("burst: the result is longer than the queue"), result_);
  return result_;
}

ExecutionOutcome RequestRunner::execute(std::span<const FmqRequestDatum> packet) {
  const TraceRequestScope request; // a packet has no place for the client's
  HalSpan span(TraceLayer::Ipc, TracePhase::Execution, "service burst");
  verbose(VerboseTag::Execution, "burst: request of {} datums", packet.size());
  if (Outcome outcome = read(packet); !outcome)
    return failed(outcome.error().message); // a malformed packet is a general failure
  if (Outcome outcome = resolve(); !outcome)
    return failed(outcome.error());
  ExecutionOptions options;
  options.measure = received_.measure;
  return burst_->execute(received_.request, identifiers_, options);
}

Outcome RequestRunner::read(std::span<const FmqRequestDatum> packet) {
  if (!last_.empty() && last_.size() == packet.size() &&
      std::memcmp(last_.data(), packet.data(), packet.size_bytes()) == 0)
    return success();
  last_.clear();
  AVOCET_RETURN_IF_ERROR(readRequestPacket(packet, received_));
  last_.assign(packet.begin(), packet.end());
  return success();
}

/// Sets the request's pools; memories of unknown slots are fetched once.
Outcome RequestRunner::resolve() {
  if (slots_.find(received_.slots, received_.request.pools, identifiers_))
    return success();
  AVOCET_RETURN_IF_ERROR(fetch(slots_.unknown(received_.slots)));
  if (!slots_.find(received_.slots, received_.request.pools, identifiers_))
    return generalFailure("burst: a slot was freed while its request began");
  return success();
}

Outcome RequestRunner::fetch(std::span<const int32_t> slots) {
  AVOCET_ASSIGN_OR_RETURN(std::vector<SharedMemory> memories, source_(slots));
  if (memories.size() != slots.size() || std::ranges::find(memories, nullptr) != memories.end())
    return generalFailure(
        fmt::format("burst: {} memories for {} slots, must be as many and not null", memories.size(), slots.size()));
  return slots_.insert(slots, memories);
}

void RequestRunner::freeMemory(int32_t slot) {
  if (std::optional<int64_t> identifier = slots_.erase(slot))
    (void)burst_->releaseMemoryResource(*identifier);
}

} // namespace avocet::hal
