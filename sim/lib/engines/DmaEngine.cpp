//===- DmaEngine.cpp - A DMA channel ----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engines/DmaEngine.h"

#include "avocet/base/Rounding.h"
#include "avocet/kernels/EvenShare.h"
#include "job/DmaShape.h"

#include <algorithm>

namespace avocet::sim {

using namespace firmware;
using kernels::evenShare;

/// Length of a piece in cycles of the off-chip port: short compared with a tile, long compared with the host's cost of
/// an event.
static constexpr uint64_t kPieceQuanta = 8;

/// Bytes that a port moves for all runs of a command, whole units each. Limited to more than any watchdog allows, so
/// that sums of hostile extents cannot wrap.
static uint64_t portBytes(const DmaCommand &shape, uint64_t unit) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 48;
  const uint64_t runBytes = roundUp(shape.runBytes, unit);
  return std::min(bytesOf(shape) / shape.runBytes, kMostBytes / runBytes) * runBytes;
}

DmaEngine::End DmaEngine::endOf(uint32_t region, const DmaCommand &shape, bool isWrite) const {
  const SramModel &sram = job_.target.sram();
  const DramModel &dram = job_.target.dram();
  End end;
  if (region == kSramRegion) {
    end.port = &job_.sramPort;
    end.bytes = portBytes(shape, std::min(sram.portBytesPerCycle, sram.burstBytes));
    end.bytesPerQuantum = BandwidthCalendar::kNoLimit;
    end.latency = isWrite ? 0 : sram.latencyCycles;
    return end;
  }
  end.port = &job_.dramPort;
  end.bytes = portBytes(shape, dram.burstBytes);
  end.latency = isWrite ? dram.writeLatencyCycles : dram.readLatencyCycles;
  // At least 1, also if few bytes are outstanding for a long time: rates are divisors.
  end.bytesPerQuantum = std::max<uint64_t>(1, BandwidthCalendar::kQuantum * job_.target.dma().outstandingBytes /
                                                  std::max<uint64_t>(end.latency, 1));
  return end;
}

/// When earlier commands of this channel have written everything that the command reads.
uint64_t DmaEngine::hazardTime(const PreparedCommand &command) const {
  uint64_t time = 0;
  for (const Written &earlier : writes_)
    for (const ByteRange &written : earlier.command->ranges)
      for (const ByteRange &read : command.ranges)
        if (written.write && !read.write && written.region == read.region && written.begin < read.end &&
            read.begin < written.end)
          time = std::max(time, earlier.completion);
  return time;
}

bool DmaEngine::isLoad() const {
  return source_.port == &job_.dramPort && destination_.port == &job_.sramPort && source_.bytes != 0;
}

/// On-chip memory receives a load as fast as off-chip memory delivers it, and the rest of its port stays free.
void DmaEngine::limitLoad() {
  if (!isLoad())
    return;
  const uint64_t rate = std::min(source_.bytesPerQuantum, source_.port->quantumBytes());
  destination_.bytesPerQuantum = divideUp(rate * destination_.bytes, source_.bytes);
}

void DmaEngine::begin(const PreparedCommand &command, uint64_t ready) {
  const DmaCommand shape = folded(std::get<DmaCommand>(command.command.body));
  command_ = &command;
  while (!writes_.empty() && writes_.front().completion <= ready)
    writes_.pop_front();
  ask_ = std::max(ready, hazardTime(command));
  const bool isEmpty = bytesOf(shape) == 0;
  source_ = shape.kind == DmaKind::Fill || isEmpty ? End{} : endOf(shape.source.region, shape, false);
  destination_ = isEmpty ? End{} : endOf(shape.destination.region, shape, true);
  limitLoad();
  const uint64_t pieceBytes = kPieceQuanta * job_.dramPort.quantumBytes();
  pieces_ = std::max<uint64_t>(1, std::max(source_.bytes, destination_.bytes) / pieceBytes);
  piece_ = 0;
  written_ = arrived_ = ask_;
  bookStall(StallCause::FrontEnd, ask_);
}

void DmaEngine::movePiece(uint64_t sourceBytes, uint64_t destinationBytes) {
  auto cyclesOf = [](const End &end, uint64_t bytes) {
    const uint64_t rate = end.port ? std::min(end.bytesPerQuantum, end.port->quantumBytes()) : 1;
    return end.port ? divideUp(bytes * BandwidthCalendar::kQuantum, rate) : 0;
  };
  if (piece_ == 0 && source_.port)
    bookStall(StallCause::Latency, ask_ + source_.latency);
  const uint64_t read = source_.port ? source_.port->reserve(ask_, sourceBytes, source_.bytesPerQuantum) : ask_;
  const uint64_t from = std::max(ask_ + source_.latency, source_.port ? ask_ : written_);
  uint64_t stored =
      destination_.port ? destination_.port->reserve(from, destinationBytes, destination_.bytesPerQuantum) : from;
  stored = std::max(stored, read + source_.latency);

  if (isLoad()) { // if the port of on-chip memory is late, the next pieces catch up
    bookBusy(std::min(read + source_.latency, std::max(from, arrived_) + cyclesOf(source_, sourceBytes)));
    bookStall(StallCause::DramPort, read + source_.latency);
    arrived_ = read + source_.latency;
    ask_ = read;
    written_ = stored;
    return;
  }
  const uint64_t alone = std::max(cyclesOf(source_, sourceBytes), cyclesOf(destination_, destinationBytes));
  const bool readBound = read + source_.latency >= stored;
  const bool offChip = (readBound ? source_ : destination_).port == &job_.dramPort;
  bookBusy(std::min(stored, std::max(from, written_) + alone));
  bookStall(offChip ? StallCause::DramPort : StallCause::SramPort, stored);
  ask_ = source_.port ? read : stored;
  written_ = stored;
  if (destination_.port != &job_.dramPort)
    return;
  ask_ = std::max(ask_, posted_);
  posted_ = stored;
}

Engine::Progress DmaEngine::advance(uint64_t now) {
  while (piece_ < pieces_) {
    if (ask_ > now)
      return {false, ask_, 0};
    movePiece(evenShare(source_.bytes, piece_, pieces_), evenShare(destination_.bytes, piece_, pieces_));
    ++piece_;
  }
  const bool posted = destination_.port == &job_.dramPort;
  completion_ = std::max(completion_, written_ + (posted ? destination_.latency : 0));
  writes_.push_back({command_, completion_});
  return {true, std::max(now, ask_), completion_};
}

} // namespace avocet::sim
