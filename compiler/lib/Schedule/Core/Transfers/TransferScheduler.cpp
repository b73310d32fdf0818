//===- TransferScheduler.cpp - Order of transfers by a simple clock -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransferScheduler.h"

#include "avocet/base/Rounding.h"
#include "avocet/compiler/Support/Cancel.h"
#include "avocet/firmware_iface/Addresses.h"
#include "avocet/kernels/BlockChoice.h"

#include <algorithm>
#include <tuple>

namespace avocet::compiler::schedule {

using namespace firmware;

const std::vector<StepFootprints::Range> &StepFootprints::rangesOf(const Sequence &sequence, uint32_t index) {
  auto [entry, isNew] = ranges_.try_emplace(index);
  if (!isNew)
    return entry->second;
  const Step &step = sequence.steps[index];
  // Places the step's distinct buffers side by side, far enough apart to identify the buffer of each range.
  std::vector<std::pair<uint32_t, uint32_t>> bases; ///< base, buffer
  uint32_t end = 0;
  size_t next = 0;
  CommandBody body = step.command;
  std::visit(
      [&](auto &command) {
        visitAddresses(command, [&](auto &field) {
          if constexpr (std::is_same_v<std::remove_reference_t<decltype(field)>, SramAddress>) {
            field += end;
            bases.emplace_back(end, step.buffers[next]);
            end += uint32_t(sequence.buffers[step.buffers[next++]].bytes) + 64;
          }
        });
      },
      body);
  std::vector<ByteRange> ranges;
  appendFootprint(body, ranges);
  for (const ByteRange &range : ranges) {
    auto base = std::upper_bound(bases.begin(), bases.end(), std::pair(uint32_t(range.begin), UINT32_MAX));
    if (base == bases.begin())
      continue;
    --base;
    entry->second.push_back({base->second, range.begin - base->first, range.end - base->first, range.write});
  }
  return entry->second;
}

bool StepFootprints::touches(const Sequence &sequence, uint32_t step, uint32_t buffer, uint64_t begin, uint64_t end) {
  for (const Range &range : rangesOf(sequence, step))
    if (range.buffer == buffer && range.begin < end && begin < range.end)
      return true;
  return false;
}

bool StepFootprints::writes(const Sequence &sequence, uint32_t step, uint32_t buffer, uint64_t begin, uint64_t end) {
  for (const Range &range : rangesOf(sequence, step))
    if (range.write && range.buffer == buffer && range.begin < end && begin < range.end)
      return true;
  return false;
}

void StoreTracker::done(uint64_t begin, uint64_t end, uint64_t time, uint32_t transfer) {
  for (auto [open, last] = open_.equal_range(begin); open != last; ++open)
    if (open->second.end == end) {
      open_.erase(open);
      break;
    }
  Done &done = done_[begin];
  done = {std::max(done.end, end), {time, transfer}};
}

void StoreTracker::doneSomewhere(uint64_t time, uint32_t transfer) {
  openSomewhere_.pop_front();
  doneSomewhere_ = {time, transfer};
}

std::optional<StoreTracker::Ready> StoreTracker::readyAt(uint64_t begin, uint64_t end, uint32_t step) const {
  if (!openSomewhere_.empty() && openSomewhere_.front() < step)
    return std::nullopt;
  // Ranges are disjoint: those before the first one that ends too early end earlier still.
  for (auto open = open_.lower_bound(end); open != open_.begin();) {
    --open;
    if (open->second.end <= begin)
      break;
    if (open->second.step < step)
      return std::nullopt;
  }
  Ready ready = doneSomewhere_;
  for (auto done = done_.lower_bound(end); done != done_.begin();) {
    --done;
    if (done->second.end <= begin)
      break;
    if (done->second.ready.time >= ready.time)
      ready = done->second.ready;
  }
  return ready;
}

namespace {

bool isOneRun(const DmaCommand &dma) { return dma.count0 == 1 && dma.count1 == 1 && dma.count2 == 1; }

/// End of the bytes that one end of a copy touches.
uint64_t spanEnd(const DmaCommand &dma, const DmaEnd &end) { return end.offset + spanOf(dma, end); }

} // namespace

uint64_t constantsPiece(const Target &target, uint64_t bytes) {
  constexpr uint64_t kPieceCycles = 512;
  const Rate rate = kernels::loadRate(target);
  const uint64_t burst = target.dram().burstBytes;
  const uint64_t pieces = std::max<uint64_t>(1, bytes * rate.cycles / rate.count / kPieceCycles);
  return roundUp(bytes / pieces, burst);
}

TransferScheduler::TransferScheduler(const Target &target, const Sequence &lowered,
                                     const std::vector<uint32_t> &compute, const std::vector<Transfer> &transfers,
                                     bool mayBeSpread)
    : target_(target), lowered_(lowered), compute_(compute), transfers_(transfers),
      isSpread_(mayBeSpread && kernels::loadChannels(target) > 1), channelEnds_(target.dma().channels, 0),
      waitingFor_(compute.size() + 1, 0), dataThere_(compute.size() + 1, 0) {
  fillQueues();
}

/// Constants are in the order in which their memory becomes free, the others in the order of the lowered sequence.
void TransferScheduler::fillQueues() {
  std::vector<const Transfer *> constants;
  for (const Transfer &transfer : transfers_)
    transfer.kind == TransferKind::Constants ? constants.push_back(&transfer) : addPieces(transfer);
  std::sort(constants.begin(), constants.end(), [](const Transfer *a, const Transfer *b) {
    return std::tuple(a->ready, a->need, a) < std::tuple(b->ready, b->need, b);
  });
  for (const Transfer *transfer : constants)
    addPieces(*transfer);
}

void TransferScheduler::addPieces(const Transfer &transfer) {
  const Step &step = lowered_.steps[transfer.step];
  const auto &dma = std::get<DmaCommand>(step.command);
  const bool isStore = transfer.kind == TransferKind::Store;
  const Rate ofChannel = isStore ? kernels::channelStoreRate(target_) : kernels::channelLoadRate(target_);
  const Rate rate = !isSpread_ ? ofChannel : isStore ? kernels::storeRate(target_) : kernels::loadRate(target_);
  const uint64_t burst = target_.dram().burstBytes;
  const uint64_t end = std::min<uint64_t>(dma.runBytes, transfer.end), whole = end - transfer.begin;
  const uint64_t runs = uint64_t(dma.count0) * dma.count1 * dma.count2;
  const bool isCut = runs == 1 && (transfer.kind == TransferKind::Constants || (isSpread_ && !isStore));
  const uint64_t share = isSpread_ ? roundUp(divideUp(whole, kernels::loadChannels(target_)), burst) : whole;
  const uint64_t piece = isCut ? std::min(constantsPiece(target_, dma.runBytes), share) : whole;
  for (uint64_t offset = transfer.begin; offset < end; offset += piece) {
    const uint64_t bytes = std::min(piece, end - offset);
    const uint64_t moved = dma.kind == DmaKind::Fill ? 0 : roundUp(bytes, burst);
    queues_[uint32_t(transfer.kind)].push_back(
        {&transfer, offset, bytes, runs * rate.cyclesFor(moved), runs * ofChannel.cyclesFor(moved)});
    ++waitingFor_[std::min<size_t>(transfer.need, compute_.size())];
    if (isStore) {
      expectStore(queues_[uint32_t(transfer.kind)].back());
      openNeeds_.insert(transfer.need);
    }
  }
}

/// Computes the end of every compute step whose transfers have been issued.
void TransferScheduler::advanceCompute() {
  while (finish_.size() < compute_.size() && waitingFor_[finish_.size()] == 0) {
    const size_t time = finish_.size();
    const uint64_t start = std::max(time ? finish_[time - 1] : 0, dataThere_[time]);
    finish_.push_back(start + lowered_.steps[compute_[time]].time.cycles);
  }
}

uint64_t TransferScheduler::readyTime(const Piece &piece) const {
  const Transfer &transfer = *piece.transfer;
  const bool isStore = transfer.kind == TransferKind::Store;
  const uint32_t ready = isStore ? transfer.time : transfer.ready;
  if (ready > finish_.size())
    return kUnknown;
  if (!isStore && !openNeeds_.empty() && *openNeeds_.begin() <= ready) // its memory may be that of a store's source
    return kUnknown;
  const auto stores = storesBefore(piece);
  return stores ? std::max(stores->time, ready ? finish_[ready - 1] : 0) : kUnknown;
}

/// Scratch is read back only after it has been written.
std::optional<StoreTracker::Ready> TransferScheduler::storesBefore(const Piece &piece) const {
  const Step &step = lowered_.steps[piece.transfer->step];
  const auto stores = stores_.find(step.buffers[0]);
  if (piece.transfer->kind != TransferKind::Load || stores == stores_.end())
    return StoreTracker::Ready();
  const auto &dma = std::get<DmaCommand>(step.command);
  return stores->second.readyAt(dma.source.offset + piece.offset, spanEnd(dma, dma.source), piece.transfer->step);
}

void TransferScheduler::expectStore(const Piece &piece) {
  const Step &step = lowered_.steps[piece.transfer->step];
  const auto &dma = std::get<DmaCommand>(step.command);
  StoreTracker &stores = stores_[step.buffers.back()];
  const uint32_t number = piece.transfer->step;
  isOneRun(dma) ? stores.expect(dma.destination.offset, spanEnd(dma, dma.destination), number)
                : stores.expectSomewhere(number);
}

void TransferScheduler::finishStore(const Piece &piece, uint64_t time) {
  const Step &step = lowered_.steps[piece.transfer->step];
  const auto &dma = std::get<DmaCommand>(step.command);
  StoreTracker &stores = stores_[step.buffers.back()];
  const uint32_t number = uint32_t(played_.size() - 1);
  isOneRun(dma) ? stores.done(dma.destination.offset, spanEnd(dma, dma.destination), time, number)
                : stores.doneSomewhere(time, number);
}

/// Of the constants whose memory is free, those come first that are needed first.
void TransferScheduler::admitConstants() {
  std::deque<Piece> &waiting = queues_[uint32_t(TransferKind::Constants)];
  for (; !waiting.empty() && readyTime(waiting.front()) <= port_; waiting.pop_front())
    startable_.emplace(std::pair(waiting.front().transfer->need, admitted_++), waiting.front());
}

bool TransferScheduler::isEmpty(uint32_t queue) const {
  return queues_[queue].empty() && (queue != uint32_t(TransferKind::Constants) || startable_.empty());
}

const TransferScheduler::Piece &TransferScheduler::front(uint32_t queue) const {
  const bool isAdmitted = queue == uint32_t(TransferKind::Constants) && !startable_.empty();
  return isAdmitted ? startable_.begin()->second : queues_[queue].front();
}

TransferScheduler::Piece TransferScheduler::takeFront(uint32_t queue) {
  const Piece piece = front(queue);
  if (queue == uint32_t(TransferKind::Constants) && !startable_.empty())
    startable_.erase(startable_.begin());
  else
    queues_[queue].pop_front();
  return piece;
}

/// The queue whose head can start first; among those that would not delay the port, the one needed first.
int TransferScheduler::chooseQueue() const {
  int best = -1;
  uint64_t bestStart = kUnknown;
  uint32_t bestNeed = 0;
  for (int i = 0; i < int(queues_.size()); ++i) {
    if (isEmpty(i))
      continue;
    const uint64_t ready = readyTime(front(i));
    if (ready == kUnknown)
      continue;
    const uint64_t start = std::max(port_, ready);
    const uint32_t need = front(i).transfer->need;
    if (best < 0 || start < bestStart || (start == bestStart && need < bestNeed))
      best = i, bestStart = start, bestNeed = need;
  }
  return best;
}

void TransferScheduler::emitComputeUpTo(uint32_t time, std::vector<Step> &steps) {
  for (; emitted_ < time; ++emitted_)
    steps.push_back(lowered_.steps[compute_[emitted_]]);
}

/// If one channel can saturate the port, all loads are in its stream, in the order in which they are needed: two would
/// share the port without regard to urgency. Stores, which wait for computation, then have their own stream. Otherwise
/// each transfer goes to the channel that is free first. A load then never waits for a store that waits for its data.
uint32_t TransferScheduler::channelFor(TransferKind kind, uint64_t ready) const {
  const bool isStore = kind == TransferKind::Store;
  if (!isSpread_)
    return isStore && target_.dma().channels > 1 ? 1 : 0;
  const auto start = [&](uint32_t channel) { return std::max(channelEnds_[channel], ready); };
  uint32_t best = 0;
  for (uint32_t channel = 1; channel < channelEnds_.size(); ++channel)
    if (start(channel) < start(best) || (isStore && start(channel) == start(best)))
      best = channel;
  return best;
}

/// Whether the piece follows the last one issued, in memory and in time, without a step between them. They are then one
/// command.
bool TransferScheduler::continuesLast(const Piece &piece, const std::vector<Step> &steps) const {
  constexpr uint64_t kMostCycles = 4096; // so that a job can stop soon
  return !isSpread_ && last_.transfer == piece.transfer && piece.transfer->kind == TransferKind::Constants &&
         last_.offset + last_.bytes == piece.offset && piece.transfer->ready <= emitted_ && steps.back().isDma() &&
         last_.cycles + piece.cycles <= kMostCycles && readyTime(piece) <= port_;
}

void TransferScheduler::extendLast(const Piece &piece, std::vector<Step> &steps) {
  std::get<DmaCommand>(steps.back().command).runBytes += uint32_t(piece.bytes);
  played_.back().cycles += piece.channelCycles;
  last_.bytes += piece.bytes;
  last_.cycles += piece.cycles;
  port_ += piece.cycles;
  noteArrival(*piece.transfer, port_ + target_.dram().readLatencyCycles);
}

void TransferScheduler::noteArrival(const Transfer &transfer, uint64_t time) {
  const uint32_t need = std::min<uint32_t>(transfer.need, uint32_t(compute_.size()));
  --waitingFor_[need];
  dataThere_[need] = std::max(dataThere_[need], time);
}

void TransferScheduler::issue(uint32_t queue, std::vector<Step> &steps) {
  const Piece piece = takeFront(queue);
  if (continuesLast(piece, steps))
    return extendLast(piece, steps);
  last_ = piece;
  const Transfer &transfer = *piece.transfer;
  const bool isStore = transfer.kind == TransferKind::Store;
  emitComputeUpTo(isStore ? transfer.time : transfer.ready, steps);
  Step step = lowered_.steps[transfer.step];
  auto &dma = std::get<DmaCommand>(step.command);
  dma.source.offset += piece.offset;
  dma.destination.offset += piece.offset;
  dma.runBytes = uint32_t(piece.bytes);
  const uint64_t start = std::max(port_, readyTime(piece));
  step.channel = channelFor(transfer.kind, start);
  port_ = start + piece.cycles;
  uint64_t &channelEnd = channelEnds_[step.channel];
  channelEnd = std::max(channelEnd, start) + piece.channelCycles;
  const uint64_t latency = isStore ? target_.dram().writeLatencyCycles : target_.dram().readLatencyCycles;
  const uint64_t arrival = (isSpread_ ? channelEnd : port_) + latency;
  played_.push_back({piece.channelCycles, isStore ? transfer.time : transfer.ready, transfer.need,
                     isStore ? kNone : storesBefore(piece)->transfer, isStore, step.channel});
  if (isStore) {
    openNeeds_.erase(openNeeds_.find(transfer.need));
    finishStore(piece, arrival);
  }
  noteArrival(transfer, arrival);
  steps.push_back(std::move(step));
}

PlayedTimes TransferScheduler::run(std::vector<Step> &steps) {
  steps.reserve(lowered_.steps.size());
  advanceCompute();
  while (!isCancelled()) {
    admitConstants();
    const int queue = chooseQueue();
    if (queue < 0)
      break;
    issue(uint32_t(queue), steps);
    advanceCompute();
  }
  emitComputeUpTo(uint32_t(compute_.size()), steps);
  return playTimes(target_, lowered_, compute_, played_);
}

} // namespace avocet::compiler::schedule
