//===- BlockChoice.cpp - The best block of a MAC command --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Candidates are even splits: an extent is cut into n equal parts and rounded up to the array step, because an uneven
// last block costs a whole walk for little work. There are few candidates for rows and columns. For the channels the
// deepest that still fits is used, with the whole input resident if possible, and one streamed alternative.
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/BlockChoice.h"

#include "BlockWalk.h"
#include "avocet/base/Checksum.h"
#include "avocet/base/Rounding.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>

namespace avocet::kernels {

using namespace firmware;

static Rate channelRate(const Target &target, uint64_t latency) {
  const Rate port = target.dram().bandwidth;
  const uint64_t inFlight = target.dma().outstandingBytes;
  return inFlight * port.cycles < port.count * latency ? Rate{inFlight, latency} : port;
}

Rate channelLoadRate(const Target &target) { return channelRate(target, target.dram().readLatencyCycles); }

Rate channelStoreRate(const Target &target) { return channelRate(target, target.dram().writeLatencyCycles); }

uint32_t loadChannels(const Target &target) {
  const Rate port = target.dram().bandwidth, one = channelLoadRate(target);
  const uint64_t needed = divideUp(port.count * one.cycles, port.cycles * one.count);
  return static_cast<uint32_t>(std::min<uint64_t>(needed, target.dma().channels));
}

/// Of `channels`, at most the port's.
static Rate together(const Target &target, const Rate &one, uint64_t channels) {
  const Rate port = target.dram().bandwidth, all{one.count * channels, one.cycles};
  return all.count * port.cycles < port.count * all.cycles ? all : port;
}

Rate loadRate(const Target &target) { return together(target, channelLoadRate(target), loadChannels(target)); }

Rate storeRate(const Target &target) {
  return together(target, channelStoreRate(target), loadChannels(target) > 1 ? target.dma().channels : 1);
}

namespace {

/// Extents of even splits of `extent` into 1, 2, 3, 4, 6, 8, ... parts, multiples of `step`, at most `largest`.
std::vector<uint32_t> evenSplits(uint32_t extent, uint32_t step, uint32_t largest) {
  std::vector<uint32_t> sizes;
  for (uint32_t parts = 1; parts <= extent;
       parts = parts < 4 ? parts + 1 : (parts % 3 ? parts / 2 * 3 : parts / 3 * 4)) {
    uint32_t size = roundUp(divideUp(extent, parts), step);
    if (size <= largest && (sizes.empty() || size < sizes.back()))
      sizes.push_back(size);
    if (size <= step)
      break;
  }
  return sizes;
}

BlockChoice choiceOf(const Block &block, const BlockWalk &walk) {
  BlockChoice choice = walk.times();
  choice.block = block;
  return choice;
}

Rate portFor(const Target &target, PortUse use) {
  return use == PortUse::Half ? Rate{target.sram().portBytesPerCycle, 2} : sharedPort(target);
}

class Search {
public:
  Search(const Target &target, const MacTask &task, PortUse use = PortUse::WithTransfers)
      : target_(target), task_(task), port_(portFor(target, use)) {}

  BlockChoice run() {
    const Extent3 &largest = target_.mac().largestBlock;
    heights_ = evenSplits(std::max(task_.outHeight, 1u), task_.step.height, largest.height);
    widths_ = evenSplits(std::max(task_.outWidth, 1u), task_.step.width, largest.width);
    depths_ = evenSplits(std::max(task_.outChannels, 1u), channelStep(), largest.channels);
    for (uint32_t height : heights_)
      for (uint32_t width : widths_)
        tryDeepest(height, width);
    const Block place = best_.block;
    for (uint32_t depth : depths_)
      tryBlock({place.height, place.width, depth});
    const uint32_t depth = best_.block.channels;
    if (depth != place.channels)
      for (uint32_t height : heights_)
        for (uint32_t width : widths_)
          tryBlock({height, width, depth});
    return best_;
  }

  std::vector<BlockChoice> rowBlocks() const {
    constexpr uint32_t kMostParts = 4;
    const Extent3 &largest = target_.mac().largestBlock;
    const uint32_t height = std::max(task_.outHeight, 1u), width = std::max(task_.outWidth, 1u);
    const uint32_t channels = std::max(task_.outChannels, 1u);
    const std::vector<uint32_t> depths = evenSplits(channels, channelStep(), largest.channels);
    std::vector<BlockChoice> blocks;
    for (uint32_t parts = 1; parts <= std::min(kMostParts, height); ++parts) {
      uint32_t fitting = 0;
      for (size_t i = 0; i < depths.size() && fitting < 2; ++i)
        fitting += addBlock({divideUp(height, parts), width, std::min(depths[i], channels)}, blocks);
    }
    return blocks;
  }

private:
  bool addBlock(const Block &block, std::vector<BlockChoice> &blocks) const {
    const BlockWalk walk(target_, task_, block);
    if (!walk.fitsBuffer())
      return false;
    blocks.push_back(choiceOf(block, walk));
    return true;
  }

  /// Blocks of whole granules for every core.
  uint32_t channelStep() const {
    uint32_t step = task_.step.channels * target_.mac().cores;
    return step <= target_.mac().largestBlock.channels ? step : task_.step.channels;
  }

  /// Tries the depths from the deepest: the first that fits, and the first that fits with the input resident.
  void tryDeepest(uint32_t height, uint32_t width) {
    bool tried = false;
    for (uint32_t depth : depths_) {
      BlockWalk walk(target_, task_, {height, width, depth}, port_);
      if (!walk.fitsBuffer())
        continue;
      if (!tried || walk.resident())
        take({height, width, depth}, walk, best_.cycles);
      tried = true;
      if (walk.resident() || task_.inputs[0].followsChannels)
        return;
    }
  }

  /// A finer block must be clearly faster: each further block can stall on another engine.
  void tryBlock(const Block &block) {
    BlockWalk walk(target_, task_, block, port_);
    if (best_.cycles != 0 && walk.fitsBuffer())
      take(block, walk, best_.cycles - best_.cycles / 128);
  }

  /// Takes a block of less than `limit` cycles, or the first one.
  void take(const Block &block, const BlockWalk &walk, uint64_t limit) {
    if (best_.cycles != 0 && walk.leastCycles() >= limit)
      return;
    const uint64_t cycles = walk.cycles();
    if (best_.cycles != 0 && cycles >= limit)
      return;
    best_.block = {std::min(block.height, std::max(task_.outHeight, 1u)),
                   std::min(block.width, std::max(task_.outWidth, 1u)),
                   std::min(block.channels, std::max(task_.outChannels, 1u))};
    best_.cycles = cycles;
  }

  const Target &target_;
  const MacTask &task_;
  const Rate port_;
  std::vector<uint32_t> heights_, widths_, depths_; ///< candidates, largest first
  BlockChoice best_;
};

BlockChoice chooseFor(const Target &target, const MacTask &task, PortUse use = PortUse::WithTransfers) {
  const Block block =
      Search(target, task, use).run().block; // if nothing fits, not even one step: kernels refuse the window
  return choiceOf(block, BlockWalk(target, task, block));
}

/// An extent of a block times 2^shift, as even splits have it: whole steps, at most the largest block and the output.
uint32_t resized(uint32_t extent, int8_t shift, uint32_t step, uint32_t largest, uint32_t whole) {
  const uint32_t wanted =
      shift >= 0 ? std::min(extent, whole) << std::min<int>(shift, 8) : extent >> std::min(-shift, 8);
  const uint32_t rounded = std::min(roundUp(std::max(wanted, 1u), step), largest);
  return std::min(rounded, std::max(whole, 1u));
}

struct TaskHash {
  size_t operator()(const MacTask &task) const {
    Fnv1a hash;
    for (uint64_t value : std::initializer_list<uint64_t>{
             task.outHeight, task.outWidth, task.outChannels, task.stepCycles, task.weightsPerChannel,
             task.inputs[0].height, task.inputs[0].width, task.inputs[0].channels, task.window.strideHeight,
             task.window.kernelHeight, task.window.padTop, task.addend.elementBytes})
      hash.addInOneStep(value);
    return hash.value();
  }
};

} // namespace

Rate sharedPort(const Target &target) {
  const Rate dram = channelLoadRate(target);
  const uint64_t bytes = target.sram().portBytesPerCycle * dram.cycles;
  return {bytes - std::min(dram.count, bytes / 2), dram.cycles};
}

bool blockFits(const Target &target, const CommandBody &command) {
  auto work = macWorkOf(target, command);
  return work && BlockWalk(target, work->task, work->block).fitsBuffer();
}

BlockChoice chooseBlock(const Target &target, const CommandBody &command) {
  auto work = macWorkOf(target, command);
  return work ? chooseFor(target, work->task) : BlockChoice{};
}

BlockChoice timesOfBlock(const Target &target, const CommandBody &command) {
  auto work = macWorkOf(target, command);
  return work ? choiceOf(work->block, BlockWalk(target, work->task, work->block)) : BlockChoice{};
}

BlockChoice resizeBlock(const Target &target, const CommandBody &command, const BlockShift &shift) {
  auto work = macWorkOf(target, command);
  if (!work)
    return {};
  const MacTask &task = work->task;
  const Extent3 &largest = target.mac().largestBlock;
  const Block &block = work->block;
  const Block other = {resized(block.height, shift.height, task.step.height, largest.height, task.outHeight),
                       resized(block.width, shift.width, task.step.width, largest.width, task.outWidth),
                       resized(block.channels, shift.channels, task.step.channels * target.mac().cores,
                               largest.channels, task.outChannels)};
  const BlockWalk walk(target, task, other);
  return other == block || !walk.fitsBuffer() ? BlockChoice{} : choiceOf(other, walk);
}

Block wholeBlock(const Target &target, const CommandBody &command) {
  auto work = macWorkOf(target, command);
  return work ? Block{std::max(work->task.outHeight, 1u), std::max(work->task.outWidth, 1u),
                      std::max(work->task.outChannels, 1u)}
              : Block{};
}

Block blockStep(const Target &target, const CommandBody &command) {
  auto work = macWorkOf(target, command);
  return work ? Block{work->task.step.height, work->task.step.width, work->task.step.channels} : Block{};
}

BlockChoice fixedBlock(const Target &target, const CommandBody &command, const Block &block) {
  auto work = macWorkOf(target, command);
  if (!work)
    return {};
  const Block whole = wholeBlock(target, command);
  const Block cut = {std::min(block.height, whole.height), std::min(block.width, whole.width),
                     std::min(block.channels, whole.channels)};
  const BlockWalk walk(target, work->task, cut);
  return walk.fitsBuffer() ? choiceOf(cut, walk) : BlockChoice{};
}

std::vector<BlockChoice> rowBlocks(const Target &target, const CommandBody &command) {
  auto work = macWorkOf(target, command);
  return work ? Search(target, work->task).rowBlocks() : std::vector<BlockChoice>();
}

/// `best` and the row blocks that can make up for their time by less waiting: fill and drain, of the tile and of its
/// reader.
/// reader.
static std::vector<WalkedBlock> alternativesTo(const BlockChoice &best, const Target &target, const MacTask &task) {
  constexpr size_t kMost = 9;
  std::vector<BlockChoice> blocks = Search(target, task).rowBlocks();
  const uint64_t limit = best.cycles + 2 * (best.fillCycles + best.drainCycles);
  std::erase_if(blocks, [&](const BlockChoice &b) { return b.cycles > limit || b.block == best.block; });
  auto rank = [](const BlockChoice &b) { return std::tuple(b.cycles, b.block.height, b.block.channels); };
  std::sort(blocks.begin(), blocks.end(), [&](const auto &a, const auto &b) { return rank(a) < rank(b); });
  blocks.insert(blocks.begin(), best);
  blocks.resize(std::min(blocks.size(), kMost));
  std::vector<WalkedBlock> walked;
  for (const BlockChoice &choice : blocks)
    walked.push_back({choice, BlockWalk(target, task, choice.block).runs()});
  return walked;
}

struct BlockChooser::Memory {
  std::array<std::unordered_map<MacTask, BlockChoice, TaskHash>, 2> answers; ///< by PortUse
  std::unordered_map<MacTask, std::vector<WalkedBlock>, TaskHash> alternatives;
};

BlockChooser::BlockChooser(std::shared_ptr<const Target> target)
    : target_(std::move(target)), memory_(std::make_unique<Memory>()) {}

BlockChooser::~BlockChooser() = default;

void BlockChooser::absorb(BlockChooser &other) {
  for (size_t use = 0; use < memory_->answers.size(); ++use)
    memory_->answers[use].merge(other.memory_->answers[use]);
}

BlockChoice BlockChooser::choose(const CommandBody &command, PortUse use) {
  auto work = macWorkOf(*target_, command);
  if (!work)
    return {};
  auto [entry, isNew] = memory_->answers[static_cast<size_t>(use)].try_emplace(work->task);
  if (isNew)
    entry->second = chooseFor(*target_, work->task, use);
  return entry->second;
}

const std::vector<WalkedBlock> &BlockChooser::alternatives(const CommandBody &command) {
  static const std::vector<WalkedBlock> kNone;
  auto work = macWorkOf(*target_, command);
  if (!work)
    return kNone;
  auto [entry, isNew] = memory_->alternatives.try_emplace(work->task);
  if (isNew)
    entry->second = alternativesTo(choose(command), *target_, work->task);
  return entry->second;
}

} // namespace avocet::kernels
