//===- BlockChain.cpp - Blocks of tiles that follow each other ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockChain.h"

#include "TileCommand.h"
#include "avocet/base/Rounding.h"

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
  const int64_t rows = -divideUp(-distance, stride); // rounded down
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

uint64_t EnginePlay::portCycles(uint64_t bytes) const { return divideUp(bytes, target_->sram().portBytesPerCycle); }

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

namespace {

/// A tile is short if it takes at most this many times its fill and drain: then they are more than 6 % of it.
constexpr uint64_t kShort = 16;

bool isShort(const StepTime &time) { return time.cycles > 0 && time.cycles <= kShort * (time.fill + time.drain); }

bool readsOutput(const Step &reader, const Step &writer) {
  const RowReads reads = readsOf(reader, writer);
  return reads.input || reads.addend;
}

/// A tile with one of its blocks, after the tile before it with its best block.
struct Played {
  EnginePlay engine;
  uint32_t before = 0; ///< index among the blocks of the tile before it
};

/// Short tiles that each read the one before or are parts of the same operation, and what has been tried for them.
class Chain {
public:
  Chain(kernels::BlockChooser &chooser, const Problem &problem, Sequence &sequence)
      : chooser_(chooser), problem_(problem), sequence_(sequence) {}

  void add(const ChainTile &tile) {
    if (!tiles_.empty() && tile.operation != tiles_.back().operation &&
        !readsOutput(stepOf(tile), stepOf(tiles_.back())))
      finish();
    tiles_.push_back(tile);
  }

  /// Ends the chain and sets its blocks.
  void finish() {
    if (tiles_.size() > 1)
      setBlocks();
    tiles_.clear();
  }

private:
  Step &stepOf(const ChainTile &tile) { return sequence_.steps[tile.step]; }

  const std::vector<kernels::WalkedBlock> &blocksOf(const ChainTile &tile) {
    return chainedBlocks(chooser_, problem_.operations[tile.operation], stepOf(tile).command);
  }

  void setBlocks() {
    std::vector<std::vector<uint32_t>> before; ///< by tile and its block: the best block of the tile before
    std::vector<Played> last;
    for (size_t i = 0; i < tiles_.size(); ++i) {
      last = play(i, last);
      before.emplace_back();
      for (const Played &played : last)
        before.back().push_back(played.before);
    }
    auto isFaster = [](const Played &a, const Played &b) { return a.engine.outputEnd() < b.engine.outputEnd(); };
    auto best = uint32_t(std::min_element(last.begin(), last.end(), isFaster) - last.begin());
    for (size_t i = tiles_.size(); i-- > 0;) {
      Step &step = stepOf(tiles_[i]);
      if (best > 0) // the first one is set
        step.time = setBlock(blocksOf(tiles_[i])[best].choice, step.command);
      best = before[i][best];
    }
  }

  /// What a tile reads of the one before it.
  RowReads readsOf(size_t tile) {
    return tile ? schedule::readsOf(stepOf(tiles_[tile]), stepOf(tiles_[tile - 1])) : RowReads();
  }

  /// Each block of a tile after the best one of the tile before it.
  std::vector<Played> play(size_t tile, const std::vector<Played> &last) {
    const RowReads reads = readsOf(tile);
    std::vector<Played> next;
    for (const kernels::WalkedBlock &block : blocksOf(tiles_[tile])) {
      Played best{EnginePlay(*problem_.target), 0};
      if (last.empty())
        best.engine.play(block, reads);
      for (uint32_t i = 0; i < last.size(); ++i) {
        Played played{last[i].engine, i};
        played.engine.play(block, reads);
        if (i == 0 || played.engine.outputEnd() < best.engine.outputEnd())
          best = std::move(played);
      }
      next.push_back(std::move(best));
    }
    return next;
  }

  kernels::BlockChooser &chooser_;
  const Problem &problem_;
  Sequence &sequence_;
  std::vector<ChainTile> tiles_;
};

} // namespace

void chooseChainedBlocks(kernels::BlockChooser &chooser, const Problem &problem, Sequence &sequence,
                         std::span<const ChainTile> tiles) {
  Chain chain(chooser, problem, sequence);
  size_t next = 0;
  for (uint32_t i = 0; i < sequence.steps.size(); ++i) {
    const Step &step = sequence.steps[i];
    if (step.isDma())
      continue;
    const bool isTile = next < tiles.size() && tiles[next].step == i;
    if (isTile && isShort(step.time))
      chain.add(tiles[next]);
    else
      chain.finish();
    next += isTile;
  }
  chain.finish();
}

} // namespace avocet::compiler::schedule
