//===- TileCommand.cpp - The command of one tile ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileCommand.h"

#include "avocet/base/Rounding.h"
#include "avocet/kernels/Kernel.h"
#include "avocet/kernels/dsp/Window.h"

#include <algorithm>

namespace avocet::compiler::schedule {

using namespace firmware;

MapPlace densePlace(const MapShape &shape, uint32_t ringRows) {
  return {ringRows, 0, 0, shape.rowBytes(), shape.pixelBytes()};
}

MapPlace wholePlace(const Operand &operand) {
  return {operand.shape.height, 0, operand.offset, operand.rowStep(), operand.pixelStep()};
}

MapPlace ringPlace(const MapShape &tensor, const Operand &operand, uint32_t ringRows) {
  const std::optional<RowPlaces> places = rowPlacesIn(tensor, operand);
  if (!places) // the ring has all rows
    return wholePlace(operand);
  const uint32_t rowBytes = tensor.rowBytes(), phase = places->first % places->step;
  return {divideUp(ringRows - phase, places->step), places->first / places->step,
          phase * uint64_t(rowBytes) + operand.offset % rowBytes, places->step * rowBytes, operand.pixelStep()};
}

namespace {

FeatureMap mapOf(const MapShape &shape, Rows rows, const MapPlace &place, int32_t zeroPoint) {
  FeatureMap map;
  map.type = shape.type;
  map.address = uint32_t(place.offset);
  map.height = rows.count();
  map.width = shape.width;
  map.channels = shape.channels;
  map.ringRows = place.ringRows;
  map.firstRow = place.ringRows ? (place.firstRow + rows.begin) % place.ringRows : 0;
  map.rowStride = place.rowStride;
  map.pixelStride = place.pixelStride;
  map.zeroPoint = zeroPoint;
  return map;
}

/// Writes the maps of a command; one overload per command type.
class Filler {
public:
  Filler(const Problem &problem, const Tile &tile, const TilePlaces &places, const ConstantOffsets &constants)
      : op_(problem.operations[tile.operation]), tile_(tile), places_(places), constants_(constants) {}

  template <typename T> void operator()(T &) {}

  void operator()(ConvCommand &conv) {
    conv.input = input(0);
    conv.output = output(0);
    if (conv.kind == ConvKind::Depthwise)
      selectDepthwiseInput(conv.input);
    selectChannels(conv.output, tile_.channelsBegin, tile_.channelsEnd);
    shiftWindow(conv.window);
    conv.weights = op_.hasWeightsInput() ? computedWeights() : SramAddress(constants_.weights);
    op_.storedWeights.describe(conv, tile_.channelsBegin, tile_.channelsEnd);
    conv.channelRecords = constants_.records;
    if (op_.dynamicScale != kNone)
      conv.dynamicScale = 0;
    if (op_.table != kNone)
      conv.lookupTable = constants_.table;
    if (op_.hasAddend()) {
      conv.residual.addend = input(Operation::kAddendInput);
      selectChannels(conv.residual.addend, tile_.channelsBegin, tile_.channelsEnd);
    }
  }

  void operator()(PoolCommand &pool) {
    pool.input = input(0);
    pool.output = output(0);
    shiftWindow(pool.window);
  }

  void operator()(EltwiseCommand &eltwise) {
    eltwise.output = output(0);
    eltwise.inputA = broadcast(0, eltwise.output);
    eltwise.inputB = broadcast(1, eltwise.output);
  }

  void operator()(LookupCommand &lookup) {
    lookup.input = input(0);
    lookup.output = output(0);
    lookup.table = constants_.table;
  }

  void operator()(DspCommand &dsp) {
    for (uint32_t i = 0; i < op_.inputs.size(); ++i)
      dsp.inputs.push_back(input(i));
    for (uint32_t i = 0; i < op_.outputs.size(); ++i)
      dsp.outputs.push_back(output(i));
    if (auto pool = kernels::poolParametersOf(dsp)) {
      shiftWindow(pool->window);
      dsp.parameters = kernels::packParameters(*pool);
    }
  }

private:
  FeatureMap input(uint32_t index) const {
    const Operand &operand = op_.inputs[index];
    FeatureMap map = mapOf(operand.shape, inputRows(op_, index, tile_.rows), places_.inputs[index], operand.zeroPoint);
    if (operand.isConstant)
      map.address = constants_.inputs[index];
    return map;
  }

  FeatureMap output(uint32_t index) const {
    const Operand &operand = op_.outputs[index];
    Rows rows = op_.rowWise ? tile_.rows : Rows{0, operand.shape.height};
    return mapOf(operand.shape, rows, places_.outputs[index], operand.zeroPoint);
  }

  /// The tile's channels in its set of weights.
  SramAddress computedWeights() const {
    const FeatureMap sets = input(Operation::kWeightsInput);
    return sets.address + sets.firstRow * sets.rowStride + uint32_t(op_.storedWeights.bytesOf(0, tile_.channelsBegin));
  }

  static void selectChannels(FeatureMap &map, uint32_t begin, uint32_t end) {
    map.address += begin * sizeOf(map.type);
    map.channels = end - begin;
  }

  /// Output channel c reads input channel c / multiplier.
  void selectDepthwiseInput(FeatureMap &map) const {
    uint32_t multiplier = op_.outputs[0].shape.channels / map.channels;
    selectChannels(map, tile_.channelsBegin / multiplier, divideUp(tile_.channelsEnd, multiplier));
  }

  /// Makes padTop relative to the first row of the tile's own window.
  void shiftWindow(Window &window) const {
    uint64_t down = uint64_t(tile_.rows.begin) * window.strideHeight;
    window.padTop = down < window.padTop ? uint32_t(window.padTop - down) : 0;
  }

  /// Extents of 1 repeat by strides of 0; along channels the device repeats without a stride.
  FeatureMap broadcast(uint32_t index, const FeatureMap &output) const {
    FeatureMap map = input(index);
    if (op_.inputs[index].shape.height == 1 && op_.outputs[0].shape.height != 1) {
      map.height = map.ringRows = output.height;
      map.firstRow = 0;
      map.rowStride = 0;
    }
    if (map.width == 1 && output.width != 1) {
      map.width = output.width;
      map.pixelStride = 0;
    }
    return map;
  }

  const Operation &op_;
  const Tile &tile_;
  const TilePlaces &places_;
  const ConstantOffsets &constants_;
};

struct BlockSetter {
  const kernels::BlockChoice &choice;
  template <typename T> void operator()(T &command) const {
    if constexpr (requires { command.block; })
      command.block = choice.block;
  }
};

StepTime timeOf(const kernels::BlockChoice &choice) {
  return {choice.cycles,    choice.fillCycles, choice.drainCycles,      choice.lastCycles,
          choice.portBytes, choice.edgeBytes,  choice.sharedBusyCycles, choice.outputCycles};
}

} // namespace

StepTime setBlock(const kernels::BlockChoice &choice, CommandBody &command) {
  std::visit(BlockSetter{choice}, command);
  return timeOf(choice);
}

CommandBody tileCommand(const Problem &problem, const Tile &tile, const TilePlaces &places,
                        const ConstantOffsets &constants) {
  CommandBody command = problem.operations[tile.operation].command;
  std::visit(Filler(problem, tile, places, constants), command);
  return command;
}

static StepTime dspTime(const Target &target, const CommandBody &command) {
  const kernels::Kernel *kernel = kernels::findKernel(command);
  if (!kernel || !kernel->check(target, command).isOk())
    return {};
  const kernels::TileCost cost = kernel->cost(target, command);
  const uint64_t port = target.sram().portBytesPerCycle;
  const uint64_t firstLoad = cost.runs.front().loadBytes, lastStore = cost.runs.back().storeBytes;
  StepTime time;
  time.cycles = cost.cycles;
  time.fill = target.dsp().issueCycles + target.sram().latencyCycles + divideUp(firstLoad, port);
  time.drain = divideUp(lastStore, port);
  time.last = cost.runs.back().computeCycles;
  time.edgeBytes = firstLoad + lastStore;
  for (const kernels::BlockRun &run : cost.runs)
    time.portBytes += run.count * (run.loadBytes + run.streamBytes + run.weightBytes + run.storeBytes);
  time.sharedBusy = time.busy();
  return time;
}

/// The command with weights of the mean size of the operation's. Parts of compressed weights differ a little, and each
/// would need a search of its own.
static CommandBody typicalCommand(const CommandBody &command, const Operation &op) {
  CommandBody typical = command;
  if (auto *conv = std::get_if<ConvCommand>(&typical); conv && op.storedWeights.areCompressed())
    op.storedWeights.describe(*conv, 0, op.outputs[0].shape.channels);
  return typical;
}

StepTime chooseBlock(kernels::BlockChooser &chooser, const Target &target, const Operation &op, CommandBody &command,
                     kernels::PortUse use) {
  if (std::holds_alternative<DspCommand>(command))
    return dspTime(target, command);
  return setBlock(chooser.choose(typicalCommand(command, op), use), command);
}

const std::vector<kernels::WalkedBlock> &chainedBlocks(kernels::BlockChooser &chooser, const Operation &op,
                                                       const CommandBody &command) {
  return chooser.alternatives(typicalCommand(command, op));
}

StepTime timeOf(const Target &target, const CommandBody &command) {
  return std::holds_alternative<DspCommand>(command) ? dspTime(target, command)
                                                     : timeOf(kernels::timesOfBlock(target, command));
}

void shiftBlock(const Target &target, const kernels::BlockShift &shift, CommandBody &command, StepTime &time) {
  if (shift == kernels::BlockShift())
    return;
  const kernels::BlockChoice choice = kernels::resizeBlock(target, command, shift);
  if (choice.cycles)
    time = setBlock(choice, command);
}

void pinBlock(const Problem &problem, uint32_t operation, CommandBody &command, StepTime &time) {
  const auto pin = problem.pins.blocks.find(operation);
  if (pin == problem.pins.blocks.end())
    return;
  const kernels::BlockChoice choice = kernels::fixedBlock(*problem.target, command, pin->second.block);
  if (choice.cycles)
    time = setBlock(choice, command);
}

CommandBody unplacedCommand(const Problem &problem, const Tile &tile) {
  const Operation &op = problem.operations[tile.operation];
  TilePlaces places;
  ConstantOffsets constants;
  constants.inputs.assign(op.inputs.size(), 0);
  for (const Operand &operand : op.inputs)
    places.inputs.push_back(wholePlace(operand));
  for (const Operand &operand : op.outputs)
    places.outputs.push_back(wholePlace(operand));
  return tileCommand(problem, tile, places, constants);
}

CommandBody wholeCommand(const Problem &problem, uint32_t operation) {
  const MapShape &shape = problem.operations[operation].outputs[0].shape;
  return unplacedCommand(problem, {operation, {0, shape.height}, 0, shape.channels});
}

} // namespace avocet::compiler::schedule
