//===- BlockWalk.cpp - Time of a MAC command, block by block ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockWalk.h"

#include "avocet/base/Rounding.h"
#include "avocet/firmware_iface/WindowInputs.h"

#include <algorithm>

namespace avocet::kernels {

using namespace firmware;

namespace {
uint32_t atLeastOne(uint32_t value) { return std::max(value, 1u); }
} // namespace

uint64_t BlockWalk::Axis::inputsEnd(uint64_t outputsEnd) const {
  const uint64_t end = windowsSpan(outputsEnd, stride, reach);
  return std::min(inputs, end > pad ? end - pad : 0);
}

BlockWalk::Spans BlockWalk::spansOf(const Axis &axis, uint32_t block) {
  const uint64_t count = divideUp(axis.outputs, block);
  auto spanAt = [&](uint64_t index, uint64_t number) {
    uint64_t first = index * block, end = std::min<uint64_t>(axis.outputs, first + block);
    uint64_t begin = first * axis.stride > axis.pad ? first * axis.stride - axis.pad : 0;
    uint64_t inputsEnd = axis.inputsEnd(end);
    uint64_t inputs = inputsEnd > begin ? inputsEnd - begin : 0;
    if (axis.stride > axis.reach) // inputs between two windows are not read
      inputs = std::min(inputs, (end - first) * axis.reach);
    return Span{number, end - first, inputs};
  };
  Spans spans;
  spans[0] = spanAt(0, 1);
  if (count > 2)
    spans[1] = spanAt(1, count - 2);
  if (count > 1)
    spans[2] = spanAt(count - 1, 1);
  return spans;
}

BlockWalk::BlockWalk(const Target &target, const MacTask &task, const Block &block)
    : BlockWalk(target, task, block, {target.sram().portBytesPerCycle, 1}) {}

BlockWalk::BlockWalk(const Target &target, const MacTask &task, const Block &block, Rate port)
    : target_(target), task_(task), block_(block), port_(port) {
  block_.height = atLeastOne(std::min(block.height, task.outHeight));
  block_.width = atLeastOne(std::min(block.width, task.outWidth));
  block_.channels = atLeastOne(std::min(block.channels, task.outChannels));
  channelBlocks_ = static_cast<uint32_t>(divideUp(atLeastOne(task.outChannels), block_.channels));
  lastChannels_ = atLeastOne(task.outChannels) - (channelBlocks_ - 1) * block_.channels;
  grain_ = std::min(target.sram().portBytesPerCycle, target.sram().burstBytes);

  const Window &w = task.window;
  rowAxis_ = {atLeastOne(task.outHeight), w.strideHeight, w.padTop, rowsOf(w).reach(), task.inputs[0].height};
  columnAxis_ = {atLeastOne(task.outWidth), w.strideWidth, w.padLeft, columnsOf(w).reach(), task.inputs[0].width};
  rows_ = spansOf(rowAxis_, block_.height);
  columns_ = spansOf(columnAxis_, block_.width);

  const Extent3 &largest = target.mac().largestBlock;
  const bool dense = !task.inputs[0].followsChannels;
  const uint64_t slice = dense ? std::min<uint64_t>(task.step.products, task.inputs[0].channels) : block_.channels;
  fits_ = block_.height <= largest.height && block_.width <= largest.width && block_.channels <= largest.channels &&
          fits(slice);
  resident_ = dense && fits(task.inputs[0].channels);
}

/// Channels of the core with the most of them.
uint64_t BlockWalk::coreChannels(uint64_t channels) const {
  uint64_t granules = divideUp(divideUp(channels, task_.step.channels), target_.mac().cores);
  return std::min<uint64_t>(granules * task_.step.channels, channels);
}

/// Input channels for `channels` output channels; fewer with a channel multiplier or a broadcast along channels.
uint64_t BlockWalk::inputChannelsOf(const MacInput &input, uint32_t channels) const {
  return input.followsChannels
             ? divideUp(static_cast<uint64_t>(channels) * input.channels, atLeastOne(task_.outChannels))
             : input.channels;
}

/// Two input blocks of the given depth and two sets of accumulators, in the buffer of one core.
bool BlockWalk::fits(uint64_t inputChannels) const {
  const uint64_t perCore = coreChannels(block_.channels);
  uint64_t bytes = block_.height * static_cast<uint64_t>(block_.width) * perCore * task_.accumulatorBytes;
  for (const MacInput &input : task_.inputs) {
    uint64_t depth = input.followsChannels ? inputChannelsOf(input, static_cast<uint32_t>(perCore)) : inputChannels;
    uint64_t rows =
        std::min<uint64_t>(input.height, windowsSpan<uint64_t>(block_.height, rowAxis_.stride, rowAxis_.reach));
    uint64_t columns =
        std::min<uint64_t>(input.width, windowsSpan<uint64_t>(block_.width, columnAxis_.stride, columnAxis_.reach));
    bytes += rows * columns * depth * input.elementBytes;
  }
  bytes += block_.height * static_cast<uint64_t>(block_.width) * perCore * task_.addend.elementBytes;
  return 2 * bytes <= target_.mac().bufferBytes;
}

/// Bytes that the port moves for the inputs of a block, `depth` channels of a dense window.
uint64_t BlockWalk::inputBytes(const Span &row, const Span &column, uint32_t channels, uint64_t depth) const {
  uint64_t bytes = 0;
  for (const MacInput &input : task_.inputs) {
    if (input.elementBytes == 0)
      continue;
    uint64_t pieces = std::min<uint64_t>(row.inputs, input.height);
    uint64_t pixels = std::min<uint64_t>(column.inputs, input.width);
    uint64_t taken = input.followsChannels ? inputChannelsOf(input, channels) : depth;
    bool wholeRows = input.packed && taken == input.channels && columnAxis_.stride <= columnAxis_.reach;
    bytes += wholeRows ? pieces * roundToGrain(pixels * taken * input.elementBytes)
                       : pieces * pixels * roundToGrain(taken * input.elementBytes);
  }
  return bytes;
}

/// Bytes that the port moves for the elements of a block in a map of the outputs' shape.
uint64_t BlockWalk::alignedBytes(const Span &row, const Span &column, uint32_t channels, bool packed,
                                 uint32_t elementBytes) const {
  const uint64_t pixelBytes = static_cast<uint64_t>(channels) * elementBytes;
  return packed && channels == task_.outChannels ? row.outputs * roundToGrain(column.outputs * pixelBytes)
                                                 : row.outputs * column.outputs * roundToGrain(pixelBytes);
}

BlockWalk::CoreShare BlockWalk::shareOfChannels(const Span &row, uint32_t channels) const {
  const uint64_t granules = divideUp(divideUp(channels, task_.step.channels), target_.mac().cores);
  return {divideUp(row.outputs, task_.step.height) * granules, coreChannels(channels)};
}

/// In no more buffer than a share of channels needs, if it has fewer steps.
BlockWalk::CoreShare BlockWalk::shareOfRows(const Span &row, uint32_t channels) const {
  const uint64_t rows = divideUp(divideUp(row.outputs, task_.step.height), target_.mac().cores);
  return {rows * divideUp(channels, task_.step.channels), channels};
}

uint64_t BlockWalk::computeCycles(const Span &row, const Span &column, uint32_t channels) const {
  if (task_.elementRate.count != 0)
    return task_.elementRate.cyclesFor(row.outputs * column.outputs * channels);
  const uint64_t columnCycles = divideUp(column.outputs, task_.step.width) * task_.stepCycles;
  const auto cycles = [&](const CoreShare &share) {
    return std::max(share.steps * columnCycles, divideUp(share.channels * task_.weightsPerChannel, task_.decodeRate));
  };
  const uint64_t byChannels = cycles(shareOfChannels(row, channels));
  return target_.mac().cores == 1 ? byChannels : std::min(byChannels, cycles(shareOfRows(row, channels)));
}

BlockRun BlockWalk::blockOf(const Span &row, const Span &column, uint32_t channels, bool firstOfPlace) const {
  const uint64_t outputs = row.outputs * column.outputs * channels;
  BlockRun block;
  const MacInput &input = task_.inputs[0];
  const bool readsInput = !resident_ || firstOfPlace;
  if (readsInput) {
    const uint64_t all = inputBytes(row, column, channels, input.channels);
    const uint64_t slice = std::min<uint64_t>(task_.step.products, input.channels);
    block.loadBytes = input.followsChannels ? all : std::min(all, inputBytes(row, column, channels, slice));
    block.streamBytes = all - block.loadBytes;
  }
  block.weightBytes = roundToGrain(channels * task_.bytesPerChannel) + (firstOfPlace ? task_.tableBytes : 0) +
                      alignedBytes(row, column, channels, task_.addend.packed, task_.addend.elementBytes);
  block.computeCycles = computeCycles(row, column, channels);
  block.outputCycles = task_.outputRate.cyclesFor(outputs);
  block.storeBytes = alignedBytes(row, column, channels, task_.outPacked, task_.outBytes);
  return block;
}

uint64_t BlockWalk::turnaroundOf(const BlockRun &block) const {
  const uint64_t latency = target_.sram().latencyCycles;
  const uint64_t compute = std::max(block.computeCycles, portCycles(block.streamBytes + block.weightBytes));
  const uint64_t results =
      compute + target_.mac().pipelineCycles + std::max(block.outputCycles, portCycles(block.storeBytes));
  const uint64_t weights = block.weightBytes ? portCycles(block.weightBytes) + latency : 0;
  // The input of a place with several channel blocks is loaded while the previous place computes.
  const bool waitsForInput = !resident_ || channelBlocks_ == 1;
  const uint64_t input = waitsForInput ? portCycles(block.loadBytes) + latency + compute : 0;
  return divideUp(std::max({results, weights, input}), 2);
}

BlockWalk::Place BlockWalk::placeOf(const Span &row, const Span &column) const {
  Place place;
  auto add = [&](const BlockRun &block, uint64_t count) {
    place.portBytes += count * (block.loadBytes + block.streamBytes + block.weightBytes + block.storeBytes);
    place.computeCycles += count * block.computeCycles;
    place.outputCycles += count * block.outputCycles;
    place.turnaround += count * turnaroundOf(block);
  };
  const BlockRun first = blockOf(row, column, channelBlocks_ == 1 ? lastChannels_ : block_.channels, true);
  add(first, 1);
  BlockRun last = first;
  if (channelBlocks_ > 1) {
    last = blockOf(row, column, lastChannels_, false);
    const uint64_t inner = channelBlocks_ - 2;
    if (lastChannels_ == block_.channels)
      add(last, inner);
    else if (inner != 0)
      add(blockOf(row, column, block_.channels, false), inner);
    add(last, 1);
  }
  place.firstLoadBytes = first.loadBytes;
  place.lastOutputCycles = last.outputCycles;
  place.lastStoreBytes = last.storeBytes;
  place.lastTurnaround = turnaroundOf(last);
  place.lastComputeCycles = last.computeCycles;
  return place;
}

/// The places of a row of blocks by column. Without padding and with even splits, most of them are equal.
std::array<BlockWalk::Place, 3> BlockWalk::placesIn(const Span &row) const {
  std::array<Place, 3> places;
  size_t before = columns_.size();
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].count == 0)
      continue;
    const bool isKnown = before < i && columns_[i].hasExtentsOf(columns_[before]);
    places[i] = isKnown ? places[before] : placeOf(row, columns_[i]);
    before = i;
  }
  return places;
}

uint64_t BlockWalk::portCycles(uint64_t bytes) const { return port_.cyclesFor(bytes); }

BlockWalk::Totals BlockWalk::totals() const {
  auto steady = [&](const Place &p, bool isFirst, bool isLast) {
    uint64_t bytes = p.portBytes - (isFirst ? p.firstLoadBytes : 0) - (isLast ? p.lastStoreBytes : 0);
    uint64_t output = p.outputCycles - (isLast ? p.lastOutputCycles : 0);
    uint64_t turnaround = p.turnaround - (isLast ? p.lastTurnaround : 0);
    return std::max({p.computeCycles, output, portCycles(bytes), turnaround});
  };
  Totals totals;
  uint64_t &cycles = totals.steadyCycles;
  std::array<Place, 3> places; // by column
  const Span *above = nullptr;
  for (const Span &row : rows_) {
    if (row.count == 0)
      continue;
    if (!above || !row.hasExtentsOf(*above))
      places = placesIn(row);
    above = &row;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const Span &column = columns_[i];
      const uint64_t count = row.count * column.count;
      if (count == 0)
        continue;
      const Place &place = places[i];
      cycles += count * steady(place, false, false);
      totals.portBytes += count * place.portBytes;
      totals.outputCycles += count * place.outputCycles;
      if (&row == &rows_[0] && &column == &columns_[0])
        totals.first = place;
      totals.last = place;
    }
  }
  const Place &first = totals.first, &last = totals.last;
  if (!rows_[2].count && !columns_[2].count)
    cycles = steady(first, true, true);
  else
    cycles = cycles - steady(first, false, false) - steady(last, false, false) + steady(first, true, false) +
             steady(last, false, true);
  return totals;
}

uint64_t BlockWalk::cycles() const {
  const Totals all = totals();
  return fillOf(all.first) + all.steadyCycles + drainOf(all.last);
}

BlockChoice BlockWalk::times() const {
  const Totals all = totals();
  BlockWalk shared = *this;
  shared.port_ = sharedPort(target_);
  BlockChoice times;
  times.fillCycles = fillOf(all.first);
  times.drainCycles = drainOf(all.last);
  times.cycles = times.fillCycles + all.steadyCycles + times.drainCycles;
  times.lastCycles = all.last.lastComputeCycles;
  times.outputCycles = all.outputCycles;
  times.portBytes = all.portBytes;
  times.edgeBytes = all.first.firstLoadBytes + all.last.lastStoreBytes;
  times.sharedBusyCycles = shared.totals().steadyCycles;
  return times;
}

uint64_t BlockWalk::leastCycles() const {
  if (task_.elementRate.count != 0)
    return 0;
  uint64_t columns = 0;
  for (const Span &span : columns_)
    columns += span.count * divideUp(span.outputs, task_.step.width);
  const auto steps = [&](uint32_t channels) {
    uint64_t sum = 0;
    for (const Span &span : rows_)
      sum += span.count * std::min(shareOfChannels(span, channels).steps, shareOfRows(span, channels).steps);
    return sum;
  };
  const uint64_t others = channelBlocks_ - 1;
  return columns * task_.stepCycles * ((others ? others * steps(block_.channels) : 0) + steps(lastChannels_));
}

uint64_t BlockWalk::fillOf(const Place &first) const {
  return target_.mac().issueCycles + target_.sram().latencyCycles + portCycles(first.firstLoadBytes);
}

uint64_t BlockWalk::drainOf(const Place &last) const {
  return target_.mac().pipelineCycles + std::max(last.lastOutputCycles, portCycles(last.lastStoreBytes));
}

void BlockWalk::appendPlace(const Span &row, const Span &column, std::vector<BlockRun> &runs) const {
  BlockRun first = blockOf(row, column, channelBlocks_ == 1 ? lastChannels_ : block_.channels, true);
  runs.push_back(first);
  if (channelBlocks_ > 2) {
    runs.push_back(blockOf(row, column, block_.channels, false));
    runs.back().count = channelBlocks_ - 2;
  }
  if (channelBlocks_ > 1)
    runs.push_back(blockOf(row, column, lastChannels_, false));
}

BlockRun BlockWalk::averagedRun() const {
  BlockRun run = blockOf(rows_[0], columns_[0], block_.channels, true);
  const uint64_t rowCount = rows_[0].count + rows_[1].count + rows_[2].count;
  const uint64_t columnCount = columns_[0].count + columns_[1].count + columns_[2].count;
  run.count = rowCount * columnCount * channelBlocks_;
  run.inputRowsEnd = task_.inputs[0].height;
  run.addendRowsEnd = task_.addend.height;
  run.outputRowsEnd = task_.outHeight;
  return run;
}

std::vector<BlockRun> BlockWalk::runs() const {
  std::vector<BlockRun> runs;
  const uint64_t places = divideUp(rowAxis_.outputs, block_.height) * divideUp(columnAxis_.outputs, block_.width);
  if (places > kMaxPlaces) {
    runs.push_back(averagedRun());
    return runs;
  }
  runs.reserve(places * std::min(channelBlocks_, 3u));
  uint64_t done = 0;
  for (const Span &row : rows_)
    for (uint64_t i = 0; i < row.count; ++i) {
      const uint64_t rowsEnd = done + row.outputs;
      const size_t firstRun = runs.size();
      for (const Span &column : columns_)
        for (uint64_t j = 0; j < column.count; ++j)
          appendPlace(row, column, runs);
      for (size_t r = firstRun; r < runs.size(); ++r) {
        runs[r].inputRowsEnd = static_cast<uint32_t>(rowAxis_.inputsEnd(rowsEnd));
        runs[r].addendRowsEnd = static_cast<uint32_t>(std::min<uint64_t>(rowsEnd, task_.addend.height));
        runs[r].outputRowsEnd = static_cast<uint32_t>(r + 1 == runs.size() ? rowsEnd : done);
      }
      done = rowsEnd;
    }
  return runs;
}

} // namespace avocet::kernels
