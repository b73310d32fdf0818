//===- EnginePlay.cpp - Tiles of the array, block by block ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EnginePlay.h"

#include <algorithm>

namespace avocet::compiler::schedule {

using namespace firmware;

namespace {

/// The maps of a command of the array, in the order of its step's buffers.
struct ArrayMaps {
  std::array<const FeatureMap *, 2> inputs{};
  size_t numInputs = 0;
  const FeatureMap *output = nullptr;
  const FeatureMap *addend = nullptr; ///< in the last buffer
};

struct MapFinder {
  ArrayMaps &maps;
  void operator()(const EltwiseCommand &command) const {
    maps = {{&command.inputA, &command.inputB}, 2, &command.output, nullptr};
  }
  template <typename T> void operator()(const T &command) const {
    if constexpr (requires { command.block; })
      maps = {{&command.input}, 1, &command.output, nullptr};
    if constexpr (requires { command.residual; })
      if (command.residual.isPresent())
        maps.addend = &command.residual.addend;
  }
};

ArrayMaps mapsOf(const CommandBody &command) {
  ArrayMaps maps;
  std::visit(MapFinder{maps}, command);
  return maps;
}

bool wraps(const FeatureMap &map) { return uint64_t{map.firstRow} + map.height > map.ringRows; }

/// Row y of the reader is row y + shift of the writer.
std::optional<int64_t> shiftBetween(const FeatureMap &reader, const FeatureMap &writer) {
  if (reader.rowStride != writer.rowStride || reader.rowStride == 0 || wraps(reader) || wraps(writer))
    return std::nullopt;
  const int64_t distance = int64_t{reader.address.offset} - int64_t{writer.address.offset};
  const int64_t stride = reader.rowStride;
  const int64_t rows = distance >= 0 ? distance / stride : -((-distance + stride - 1) / stride);
  return int64_t{reader.firstRow} + rows - int64_t{writer.firstRow};
}

} // namespace

RowReads readsOf(const Step &reader, const Step &writer) {
  const ArrayMaps reads = mapsOf(reader.command), writes = mapsOf(writer.command);
  RowReads result;
  if (!writes.output || writer.buffers.size() <= writes.numInputs)
    return result;
  const uint32_t buffer = writer.buffers[writes.numInputs];
  for (size_t i = 0; i < reads.numInputs; ++i)
    if (reader.buffers[i] == buffer && !result.input)
      result = {true, false, shiftBetween(*reads.inputs[i], *writes.output)};
  if (!result.input && reads.addend && reader.buffers.back() == buffer)
    result = {false, true, shiftBetween(*reads.addend, *writes.output)};
  return result;
}

uint64_t EnginePlay::portCycles(uint64_t bytes) const {
  const uint64_t width = target_->sram().portBytesPerCycle;
  return (bytes + width - 1) / width;
}

/// When the rows that a block reads of the last tile are complete.
uint64_t EnginePlay::readyTime(const kernels::BlockRun &run, const RowReads &reads) const {
  if (done_.empty() || (!reads.input && !reads.addend))
    return 0;
  if (!reads.shift)
    return done_.back().time;
  const int64_t rows = int64_t{reads.input ? run.inputRowsEnd : run.addendRowsEnd} + *reads.shift;
  if (rows <= 0)
    return 0;
  auto entry = std::find_if(done_.begin(), done_.end(), [&](const RowsDone &done) { return done.rows >= rows; });
  return entry == done_.end() ? done_.back().time : entry->time;
}

void EnginePlay::playBlock(const kernels::BlockRun &block, uint64_t ready) {
  const uint64_t latency = target_->sram().latencyCycles;
  results_ ^= 1;
  uint64_t loaded = computeStart_, arrived = 0;
  if (block.loadBytes) {
    portEnd_ = std::max({portEnd_, ready, slotFree_[slot_]}) + portCycles(block.loadBytes);
    loaded = portEnd_;
    arrived = loaded + latency;
    slot_ ^= 1;
  }
  uint64_t streamed = arrived;
  if (block.streamBytes + block.weightBytes) {
    portEnd_ = std::max({portEnd_, loaded, computeStart_}) + portCycles(block.streamBytes + block.weightBytes);
    streamed = portEnd_ + latency;
  }
  computeStart_ = std::max({arrived, computeEnd_, resultsFree_[results_]});
  computeEnd_ = std::max(computeStart_ + block.computeCycles, streamed);
  const uint64_t outputStart = std::max(computeEnd_ + target_->mac().pipelineCycles, outputEnd_);
  outputEnd_ = outputStart + std::max(block.outputCycles, portCycles(block.storeBytes));
  portEnd_ += portCycles(block.storeBytes);
  slotFree_[slot_ ^ 1] = computeEnd_;
  resultsFree_[results_] = outputEnd_;
}

void EnginePlay::play(const kernels::WalkedBlock &tile, const RowReads &reads) {
  const uint64_t issue = std::max(issued_, slotFree_[slot_]);
  std::vector<RowsDone> done;
  uint64_t first = 0;
  for (const kernels::BlockRun &run : tile.runs) {
    const uint64_t ready = std::max(issue, readyTime(run, reads));
    for (uint64_t i = 0; i < run.count; ++i) {
      playBlock(run, ready);
      first = first ? first : computeStart_;
    }
    if (run.outputRowsEnd && (done.empty() || done.back().rows < run.outputRowsEnd))
      done.push_back({run.outputRowsEnd, outputEnd_});
  }
  const kernels::BlockChoice &choice = tile.choice;
  const uint64_t least = first + choice.cycles - choice.fillCycles - choice.drainCycles;
  if (computeEnd_ < least) { // the tile's own bytes delay each other
    outputEnd_ += least - computeEnd_;
    computeEnd_ = least;
    if (!done.empty())
      done.back().time = outputEnd_;
  }
  issued_ = issue + target_->mac().issueCycles;
  done_ = std::move(done);
}

} // namespace avocet::compiler::schedule
