//===- CommandCheck.cpp - Static rules of commands --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "job/CommandCheck.h"

#include "avocet/kernels/BlockChoice.h"
#include "job/DmaShape.h"
#include "job/Program.h"

#include <algorithm>

namespace avocet::sim {

using namespace firmware;

namespace {

/// Which engine performs a command; control commands run on all engines.
template <typename T> constexpr bool runsOn(EngineKind kind) {
  if constexpr (std::is_same_v<T, DmaCommand>)
    return kind == EngineKind::Dma;
  else if constexpr (std::is_same_v<T, DspCommand>)
    return kind == EngineKind::Dsp;
  else if constexpr (requires(T body) { body.block; })
    return kind == EngineKind::Mac;
  else
    return true;
}

bool engineRuns(EngineKind kind, const CommandBody &body) {
  return std::visit([&]<typename T>(const T &) { return runsOn<T>(kind); }, body);
}

/// Commands of the MAC array are those that walk blocks.
bool hasBlock(const CommandBody &body) {
  return std::visit([](const auto &command) { return requires { command.block; }; }, body);
}

JobFault checkSemaphore(const Target &target, const CommandBody &body) {
  auto limit = target.command().semaphores;
  auto fault = [&](uint32_t semaphore) {
    return semaphore < limit ? JobFault{} : faultOf(FaultCode::BadSemaphore, semaphore);
  };
  if (const auto *wait = std::get_if<WaitCommand>(&body))
    return fault(wait->semaphore);
  if (const auto *signal = std::get_if<SignalCommand>(&body))
    return fault(signal->semaphore);
  return {};
}

JobFault checkSramRanges(const Target &target, const std::vector<ByteRange> &ranges) {
  const uint64_t limit = target.sram().bytes;
  for (const ByteRange &range : ranges)
    if (range.region == kSramRegion && range.end > limit)
      return accessFault(FaultCode::SramOutOfBounds, kSramRegion, std::max<uint64_t>(range.begin, limit));
  return {};
}

/// Runs of the destination must not overlap: otherwise a short command could keep the DMA busy without limit inside a
/// tiny region. The destination's footprint is then at least as long as the bytes moved.
JobFault checkCopy(const std::vector<ByteRange> &ranges, const DmaCommand &dma) {
  const uint64_t bytes = bytesOf(dma);
  if (static_cast<uint32_t>(dma.kind) > static_cast<uint32_t>(DmaKind::Fill))
    return faultOf(FaultCode::UnsupportedCommand);
  if (bytes == 0)
    return {};
  const ByteRange &destination = ranges.back();
  if (destination.end - destination.begin < bytes)
    return accessFault(FaultCode::UnsupportedCommand, destination.region, destination.begin);
  return {};
}

} // namespace

JobFault checkCommand(const Target &target, Engine engine, const PreparedCommand &prepared) {
  const CommandBody &body = prepared.command.body;
  if (!engineRuns(engine.kind, body))
    return faultOf(FaultCode::UnsupportedCommand);
  if (JobFault fault = checkSemaphore(target, body))
    return fault;
  if (JobFault fault = checkSramRanges(target, prepared.ranges))
    return fault;
  if (const auto *dma = std::get_if<DmaCommand>(&body))
    return checkCopy(prepared.ranges, *dma);
  if (!hasBlock(body) && !std::holds_alternative<DspCommand>(body))
    return {};
  if (!prepared.kernel || !prepared.kernel->check(target, body).isOk())
    return faultOf(FaultCode::UnsupportedCommand);
  if (hasBlock(body) && !kernels::blockFits(target, body))
    return faultOf(FaultCode::UnsupportedCommand);
  return {};
}

} // namespace avocet::sim
