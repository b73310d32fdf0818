//===- Program.cpp - A decoded command stream -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "job/Program.h"
#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/kernels/BlockChoice.h"
#include "job/DmaShape.h"
#include "job/JobFault.h"

#include <algorithm>

namespace avocet::sim {
namespace {

using namespace firmware;

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

/// The rules that depend on the command and the device alone: its engine performs it, semaphores exist, SRAM accesses
/// lie inside the memory, its kernel accepts it, its block fits the array's buffer, a copy does not write a byte twice.
/// Region accesses are checked at issue, against the job's bindings.
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

} // namespace

static Traffic trafficOf(const PreparedCommand &prepared) {
  Traffic traffic;
  for (const kernels::BlockRun &run : prepared.cost.runs) {
    traffic.sramRead += run.count * (run.loadBytes + run.streamBytes + run.weightBytes);
    traffic.sramWrite += run.count * run.storeBytes;
  }
  if (const auto *dma = std::get_if<DmaCommand>(&prepared.command.body)) {
    const uint64_t bytes = bytesOf(*dma);
    (dma->destination.region == kSramRegion ? traffic.sramWrite : traffic.dramWrite) += bytes;
    if (dma->kind == DmaKind::Copy)
      (dma->source.region == kSramRegion ? traffic.sramRead : traffic.dramRead) += bytes;
  }
  return traffic;
}

/// Most block runs that a stream may keep; far more than any compiled network has. Commands after that are timed as one
/// block each, so that a small hostile stream cannot use up the host's memory.
static constexpr size_t kMaxRuns = size_t{1} << 20;

static void mergeRuns(kernels::TileCost &cost) {
  kernels::BlockRun all;
  for (const kernels::BlockRun &run : cost.runs) {
    all.loadBytes += run.count * run.loadBytes;
    all.streamBytes += run.count * run.streamBytes;
    all.weightBytes += run.count * run.weightBytes;
    all.computeCycles += run.count * run.computeCycles;
    all.outputCycles += run.count * run.outputCycles;
    all.storeBytes += run.count * run.storeBytes;
    all.inputRowsEnd = run.inputRowsEnd;
    all.addendRowsEnd = run.addendRowsEnd;
    all.outputRowsEnd = run.outputRowsEnd;
  }
  cost.runs = {all};
}

/// Rough work of a command: a byte moved and a multiply-accumulate count 1, and the processor does 64 in a nanosecond.
/// A result byte counts more, since its output stage takes longer.
static uint64_t workOf(const PreparedCommand &prepared) {
  constexpr uint64_t kPerResultByte = 8;
  return prepared.cost.macs + prepared.traffic.dramRead + prepared.traffic.dramWrite +
         (prepared.kernel ? kPerResultByte * prepared.traffic.sramWrite : 0);
}

/// The least work of a share. Another thread takes 1 us to take one if it polls, and 20 us if it sleeps.
static constexpr uint64_t kShareWork = uint64_t{1} << 17;

/// More shares than threads: they end at about the same time even if some threads start late.
static constexpr uint32_t kSharesPerThread = 2;

static std::vector<CommandBody> divide(const Target &target, const PreparedCommand &prepared, uint32_t threads) {
  const uint64_t most = std::min<uint64_t>(kSharesPerThread * threads, workOf(prepared) / kShareWork);
  if (prepared.fault || threads < 2 || most < 2)
    return {};
  if (prepared.kernel)
    return prepared.kernel->shares(target, prepared.command.body, static_cast<uint32_t>(most));
  std::vector<CommandBody> shares;
  if (const auto *dma = std::get_if<DmaCommand>(&prepared.command.body))
    for (const DmaCommand &share : sharesOf(*dma, static_cast<uint32_t>(most)))
      shares.push_back(share);
  return shares;
}

static PreparedCommand prepare(const Target &target, Engine engine, Command &&command, uint32_t threads) {
  PreparedCommand prepared;
  prepared.command = std::move(command);
  appendFootprint(prepared.command.body, prepared.ranges);
  prepared.kernel = kernels::findKernel(prepared.command.body);
  prepared.fault = checkCommand(target, engine, prepared);
  if (!prepared.fault && prepared.kernel)
    prepared.cost = prepared.kernel->cost(target, prepared.command.body);
  prepared.traffic = trafficOf(prepared);
  prepared.shares = divide(target, prepared, threads);
  return prepared;
}

/// Commands without a layer (mostly waits) count for the next command that has one.
static void assignLayers(std::vector<PreparedCommand> &commands) {
  uint32_t next = kNoLayer;
  for (auto command = commands.rbegin(); command != commands.rend(); ++command) {
    if (command->command.layer != kNoLayer)
      next = command->command.layer;
    command->layer = next;
  }
}

ByteRange enclosingRange(const ByteRange &one, const ByteRange &other) {
  if (one.begin == one.end)
    return other;
  if (other.begin == other.end)
    return one;
  return {kSramRegion, std::min(one.begin, other.begin), std::max(one.end, other.end)};
}

static uint64_t bytesOf(const PreparedCommand &prepared) {
  uint64_t bytes = sizeof(prepared) + prepared.cost.runs.size() * sizeof(kernels::BlockRun) +
                   prepared.ranges.size() * sizeof(ByteRange) + prepared.shares.size() * sizeof(CommandBody);
  if (const auto *yield = std::get_if<YieldCommand>(&prepared.command.body))
    bytes += yield->live.size() * sizeof(SramRange);
  return bytes;
}

Program Program::decode(const Target &target, Engine engine, std::span<const uint32_t> words, uint32_t threads) {
  Program program;
  program.engine_ = engine;
  program.words_.assign(words.begin(), words.end());
  program.commands_.reserve(countCommands(words));
  bool hasEnded = false;
  size_t runs = 0;
  for (size_t position = 0; position < words.size();) {
    const auto index = static_cast<uint32_t>(program.commands_.size());
    const uint64_t byteOffset = position * sizeof(uint32_t);
    Result<Command> command = firmware::decode(program.words_, position);
    if (!command.isOk() || hasEnded) {
      program.fault_ = faultOf(FaultCode::MalformedStream, byteOffset).at(engine, index, kNoLayer);
      return program;
    }
    hasEnded = std::holds_alternative<EndCommand>(command->body);
    program.hasYields_ |= std::holds_alternative<YieldCommand>(command->body);
    program.commands_.push_back(prepare(target, engine, std::move(command).value(), threads));
    for (const ByteRange &range : program.commands_.back().ranges)
      if (range.region == kSramRegion)
        program.sram_ = enclosingRange(program.sram_, range);
    kernels::TileCost &cost = program.commands_.back().cost;
    if (runs + cost.runs.size() > kMaxRuns)
      mergeRuns(cost);
    runs += cost.runs.size();
    program.bytes_ += bytesOf(program.commands_.back());
  }
  if (!hasEnded)
    program.fault_ = faultOf(FaultCode::MalformedStream, words.size_bytes())
                         .at(engine, static_cast<uint32_t>(program.commands_.size()), kNoLayer);
  program.bytes_ += words.size_bytes();
  assignLayers(program.commands_);
  return program;
}

bool Program::isMadeOf(std::span<const uint32_t> words) const {
  return std::equal(words.begin(), words.end(), words_.begin(), words_.end());
}

} // namespace avocet::sim
