//===- BlockChain.cpp - Blocks of tiles that follow each other --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockChain.h"

#include "EnginePlay.h"

#include "avocet/compiler/Schedule/Core/TileCommand.h"

#include <algorithm>

namespace avocet::compiler::schedule {

using namespace firmware;

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
