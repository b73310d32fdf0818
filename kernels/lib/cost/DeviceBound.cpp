//===- DeviceBound.cpp - The least time with the device's limits *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/DeviceBound.h"

#include "WorkRates.h"

#include <algorithm>
#include <array>

namespace avocet::kernels {

using namespace firmware;

namespace {

bool isPool(WorkKind kind) { return kind == WorkKind::MaxPool || kind == WorkKind::AveragePool; }

bool isOnDsp(const Target &target, const Work &work) {
  return work.kind == WorkKind::Vector || slowdownOf(target, work.input) == 0;
}

uint64_t lanesOf(const Target &target, DataType type) {
  return std::max(target.dsp().lanes[static_cast<uint32_t>(type)], 1u);
}

/// Steps of the busiest core for some rows and columns of positions and granules of channels. The cores split blocks by
/// rows or by granules, not by columns.
uint64_t stepsOf(const Target &target, const ArrayStep &step, uint64_t rows, uint64_t columns, bool isFree,
                 uint64_t granules) {
  const uint64_t cores = target.mac().cores;
  if (isFree)
    return divideUp(times(divideUp(times(rows, columns), step.height * step.width), granules), cores);
  return times(divideUp(columns, step.width), divideUp(times(divideUp(rows, step.height), granules), cores));
}

/// Steps times passes with `together` groups in a granule, which has the products of all of them.
uint64_t groupedSteps(const Target &target, const ArrayStep &step, const Grid &grid, uint64_t terms,
                      uint64_t together) {
  const uint64_t channels = divideUp(grid.channels, grid.groups);
  const uint64_t granules = times(divideUp(grid.groups, together), divideUp(together * channels, step.channels));
  return times(divideUp(times(together, terms), step.products),
               stepsOf(target, step, grid.rows, grid.columns, grid.isFree, granules));
}

/// A block of rows x columns positions as channels of one position, whose window is the union of theirs.
uint64_t packedSteps(const Target &target, const ArrayStep &step, const Grid &grid, uint64_t terms, uint64_t rows,
                     uint64_t columns) {
  const uint64_t window =
      times(grid.kernelRows + (rows - 1) * grid.strideRows, grid.kernelColumns + (columns - 1) * grid.strideColumns);
  const uint64_t all = times(terms / (grid.kernelRows * grid.kernelColumns), window);
  return times(divideUp(all, step.products),
               stepsOf(target, step, divideUp(grid.rows, rows), divideUp(grid.columns, columns), grid.isFree, 1));
}

/// Steps times passes of sums over channels.
uint64_t denseSteps(const Target &target, const ArrayStep &step, const Grid &grid, uint64_t terms) {
  uint64_t least = groupedSteps(target, step, grid, terms, 1);
  const uint64_t channels = divideUp(grid.channels, grid.groups);
  for (uint64_t together = 2; together <= grid.groups && together * channels <= step.channels; ++together)
    least = std::min(least, groupedSteps(target, step, grid, terms, together));
  if (grid.groups == 1)
    for (uint64_t rows = 1; rows * grid.channels <= step.channels; ++rows)
      for (uint64_t columns = 1; rows * columns * grid.channels <= step.channels; ++columns)
        least = std::min(least, packedSteps(target, step, grid, terms, rows, columns));
  return least;
}

/// Steps times passes of sums, or maxima, over the window of one channel. Parts of a window of a pool can be positions.
uint64_t windowSteps(const Target &target, const ArrayStep &step, const Grid &grid, uint64_t terms, bool isDivisible) {
  const uint64_t passes = divideUp(terms, step.products), granules = divideUp(grid.channels, step.channels);
  if (isDivisible && grid.isFree)
    return stepsOf(target, step, times(grid.rows, passes), grid.columns, true, granules);
  return times(passes, stepsOf(target, step, grid.rows, grid.columns, grid.isFree, granules));
}

/// Phases of one axis that have the same number of taps.
struct Phases {
  uint64_t count, taps;
};

std::array<Phases, 2> phasesOf(uint64_t kernel, uint64_t stride) {
  const uint64_t longer = kernel % stride;
  return {{{longer, kernel / stride + 1}, {stride - longer, kernel / stride}}};
}

/// One convolution for each phase of the outputs, one with the phases as channels, or one product for each input
/// position, whose terms are then added.
uint64_t transposedSteps(const Target &target, const ArrayStep &step, const Grid &grid) {
  const uint64_t granules = divideUp(grid.channels, step.channels);
  const uint64_t each =
      stepsOf(target, step, grid.rows / grid.strideRows, grid.columns / grid.strideColumns, false, granules);
  uint64_t phases = 0;
  for (const Phases &y : phasesOf(grid.kernelRows, grid.strideRows))
    for (const Phases &x : phasesOf(grid.kernelColumns, grid.strideColumns)) {
      const uint64_t passes = divideUp(times(y.taps * x.taps, grid.inputChannels), step.products);
      phases = std::min(phases + times(times(y.count, x.count), times(passes, each)), kMost);
    }
  const uint64_t taps = divideUp(grid.kernelRows, grid.strideRows) * divideUp(grid.kernelColumns, grid.strideColumns);
  const uint64_t together =
      times(divideUp(times(taps, grid.inputChannels), step.products),
            stepsOf(target, step, grid.rows / grid.strideRows, grid.columns / grid.strideColumns, false,
                    divideUp(times(grid.channels, times(grid.strideRows, grid.strideColumns)), step.channels)));
  const uint64_t spread = divideUp(times(grid.channels, grid.kernelRows * grid.kernelColumns), step.channels);
  return std::min({phases, together,
                   times(divideUp(grid.inputChannels, step.products),
                         stepsOf(target, step, grid.inputPositions, 1, true, spread))});
}

/// Whole steps, for outputs that are no multiple of one.
uint64_t arrayCycles(const Target &target, const DeviceWork &device) {
  const Work &work = device.work;
  const Grid &grid = device.grid;
  const bool isDense = work.kind == WorkKind::Dense;
  if (grid.rows == 0)
    return 0;
  const ArrayStep &step = isDense ? target.mac().dense : target.mac().depthwise;
  const uint64_t cycles = step.cycles * denseSlowdown(target, work);
  if (grid.isTransposed)
    return times(cycles, transposedSteps(target, step, grid));
  return times(cycles, isDense ? denseSteps(target, step, grid, work.terms)
                               : windowSteps(target, step, grid, work.terms, isPool(work.kind)));
}

/// The work of the array on the DSP: one product, or one element of a window, for each lane.
uint64_t arrayWorkOnDsp(const Target &target, const DeviceWork &device) {
  const Work &work = device.work;
  const uint64_t operations = isPool(work.kind) ? std::max(device.reads, work.elements) : work.macs;
  return divideUp(operations, lanesOf(target, sizeOf(work.multiplier) == 1 ? work.multiplier : work.input));
}

uint64_t dspCycles(const Target &target, const DeviceWork &device) {
  return divideUp(times(device.work.elements, device.instructions), lanesOf(target, device.work.input));
}

/// The steps of a sequence, each with the matrices that read the state: on the array or on the DSP.
uint64_t sequenceCycles(const Target &target, const DeviceWork &device) {
  if (device.sequenceSteps == 0 || device.recurrentOutputs == 0)
    return 0;
  const MacArrayModel &mac = target.mac();
  const uint64_t terms = device.recurrentWeights / device.recurrentOutputs;
  const uint64_t steps = divideUp(divideUp(device.recurrentOutputs, mac.dense.channels), mac.cores);
  const uint64_t products =
      times(steps * mac.dense.cycles * denseSlowdown(target, device.work), divideUp(terms, mac.dense.products));
  const uint64_t decode = divideUp(device.recurrentWeights, static_cast<uint64_t>(mac.denseDecodeRate) * mac.cores);
  const uint64_t onArray = std::max(products, decode) + target.sram().latencyCycles + mac.pipelineCycles;
  const uint64_t onDsp =
      divideUp(device.recurrentWeights, lanesOf(target, device.work.multiplier)) + target.dsp().loopCycles;
  return times(device.sequenceSteps, std::min(onArray, onDsp));
}

uint64_t engineCycles(const Target &target, const DeviceWork &device) {
  switch (device.work.kind) {
  case WorkKind::Dense:
  case WorkKind::Depthwise:
  case WorkKind::MaxPool:
  case WorkKind::AveragePool:
    return std::max(std::min(arrayCycles(target, device), arrayWorkOnDsp(target, device)),
                    sequenceCycles(target, device));
  case WorkKind::Vector:
    return dspCycles(target, device);
  case WorkKind::Sum:
  case WorkKind::Product:
  case WorkKind::Lookup:
  case WorkKind::Move:
    break;
  }
  return 0;
}

/// From the operands in SRAM to the results.
uint64_t latencyCycles(const Target &target, const DeviceWork &device) {
  const uint64_t pipeline = isOnDsp(target, device.work) ? target.dsp().loopCycles : target.mac().pipelineCycles;
  return target.sram().latencyCycles + pipeline + (device.changesEngine ? target.command().semaphoreCycles : 0);
}

uint64_t ownCycles(const Target &target, const DeviceWork &device) {
  const uint64_t port = divideUp(device.portBytes, target.sram().portBytesPerCycle);
  return std::max({computeCycles(target, device.work), engineCycles(target, device), port});
}

} // namespace

uint64_t deviceCycles(const Target &target, const DeviceWork &device) {
  if (device.work.kind == WorkKind::Move)
    return 0;
  const uint64_t own = ownCycles(target, device);
  switch (device.waiting) {
  case Waiting::None:
    break;
  case Waiting::ForRows:
    return std::max(own, latencyCycles(target, device));
  case Waiting::ForAll:
    return std::min(own + latencyCycles(target, device), kMost);
  }
  return own;
}

uint64_t deviceBound(const Target &target, std::span<const BoundedOperation> operations, uint64_t offChipBytes) {
  const uint64_t issue = target.dma().issueCycles, semaphores = target.command().semaphoreCycles;
  const uint64_t sram = target.sram().latencyCycles, write = target.dram().writeLatencyCycles;
  const uint64_t start = issue + target.dram().readLatencyCycles + semaphores + sram;
  const uint64_t end = semaphores + sram + write;
  uint64_t most = rooflineCycles(target, 0, offChipBytes) + write, products = 0, others = 0, bytes = 0;
  for (const BoundedOperation &operation : operations)
    bytes += operation.constantBytes;
  for (const BoundedOperation &operation : operations) {
    const uint64_t notAhead = bytes - std::min<uint64_t>(bytes, target.sram().bytes);
    most = std::max(most, std::max(products, others) + rooflineCycles(target, 0, notAhead));
    uint64_t &sum = operation.hasProducts ? products : others;
    sum = std::min(sum + operation.deviceCycles, kMost);
    bytes -= operation.constantBytes;
  }
  const uint64_t computation = std::max(products, others);
  return std::min(std::max(most, computation == 0 ? 0 : start + computation + end), kMost);
}

} // namespace avocet::kernels
