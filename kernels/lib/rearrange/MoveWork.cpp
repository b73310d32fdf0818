//===- MoveWork.cpp - Loops of moves ----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A move copies runs with a loop for each run, in whole registers if the innermost axis is contiguous (or repeats one
// input element), else with a gather of the lanes, at the rate of 32-bit elements. Or its lanes lie along one axis and
// its inner loop along another one, with the largest units that its runs and strides allow: a vector is then loaded or
// gathered, and stored or scattered. A gather with a scatter is two instructions, one of them with a vector access is
// one.
//
//===----------------------------------------------------------------------===//

#include "rearrange/MoveWork.h"

#include "avocet/base/Rounding.h"

#include <algorithm>

namespace avocet::kernels {

using namespace firmware;

namespace {

constexpr uint64_t kWordBytes = 4;
/// Lanes and cycles of a loop for which loops are chosen; the device's may differ.
constexpr uint64_t kNominalLanes[] = {4, 16, 32};
constexpr uint64_t kNominalLoopCycles = 4;

/// An axis of a move in units.
struct UnitAxis {
  uint64_t extent = 1;
  bool isVector = false; ///< neighbors follow each other, or are one, in the input or in the output
};

MoveAxis innermostOf(const Move &move) { return move.axes.empty() ? MoveAxis{1, 1, 1} : move.axes.back(); }

bool isContiguous(const MoveAxis &axis) { return axis.inputStride == 1 && axis.outputStride == 1; }

/// Bytes of the largest power of two, up to a word, of which runs, offsets and strides are multiples.
uint64_t unitOf(const Move &move, uint64_t size) {
  const MoveAxis inner = innermostOf(move);
  if (!isContiguous(inner) || size >= kWordBytes)
    return size;
  uint64_t all = inner.extent | move.inputOffset | move.outputOffset;
  for (size_t axis = 0; axis + 1 < move.axes.size(); ++axis)
    all |= static_cast<uint32_t>(move.axes[axis].inputStride) | static_cast<uint32_t>(move.axes[axis].outputStride);
  uint64_t unit = size;
  for (; unit < kWordBytes && all % 2 == 0; all /= 2)
    unit *= 2;
  return unit;
}

std::vector<UnitAxis> axesOf(const Move &move, uint64_t size, uint64_t unit) {
  std::vector<UnitAxis> axes;
  const auto isVector = [&](int32_t stride) { return uint64_t(std::abs(int64_t(stride))) * size == unit; };
  for (const MoveAxis &axis : move.axes)
    axes.push_back({axis.extent, axis.inputStride == 0 || isVector(axis.inputStride) || isVector(axis.outputStride)});
  if (unit > size)
    axes.back() = {axes.back().extent * size / unit, true};
  return axes;
}

uint64_t elementsOf(const Move &move) {
  uint64_t elements = 1;
  for (const MoveAxis &axis : move.axes)
    elements *= axis.extent;
  return elements;
}

/// The loops of a move, with a loop for each run.
DspLoops runLoops(const Move &move, uint64_t size) {
  const MoveAxis inner = innermostOf(move);
  const uint64_t elements = elementsOf(move);
  const bool inRegisters = inner.outputStride == 1 && (inner.inputStride == 1 || inner.inputStride == 0);
  DspLoops loops;
  loops.rows = elements / inner.extent;
  loops.elementOps = inRegisters ? divideUp(elements * size, kWordBytes) : elements * divideUp(size, kWordBytes);
  return loops;
}

uint64_t nominalCycles(const DspLoops &loops, uint64_t lanes) {
  uint64_t cycles = divideUp(loops.elementOps, lanes) + loops.rows * kNominalLoopCycles;
  for (const LineLoops &group : loops.lines)
    cycles += group.nests * divideUp(group.lines, lanes) * (group.ops + kNominalLoopCycles);
  return cycles;
}

/// The shortest loops of a move on so many lanes.
DspLoops bestLoops(const Move &move, uint64_t size, uint64_t lanes) {
  DspLoops best = runLoops(move, size);
  const std::vector<UnitAxis> axes = axesOf(move, size, unitOf(move, size));
  uint64_t units = 1;
  for (const UnitAxis &axis : axes)
    units *= axis.extent;
  for (size_t lane = 0; lane < axes.size(); ++lane)
    for (size_t loop = 0; loop < axes.size(); ++loop) {
      if (loop == lane)
        continue;
      const uint64_t each = (axes[lane].isVector ? 1 : 2) * divideUp(size, kWordBytes);
      DspLoops loops;
      loops.lines = {{units / axes[lane].extent / axes[loop].extent, axes[lane].extent, axes[loop].extent * each}};
      if (nominalCycles(loops, lanes) < nominalCycles(best, lanes))
        best = std::move(loops);
    }
  return best;
}

void add(const DspLoops &from, DspLoops &to) {
  to.elementOps += from.elementOps;
  to.rows += from.rows;
  to.lines.insert(to.lines.end(), from.lines.begin(), from.lines.end());
}

} // namespace

DspWork moveWork(const std::vector<Move> &moves, uint64_t size, uint64_t filledBytes) {
  DspWork work;
  work.type = DataType::Int32;
  work.elementOps = divideUp(filledBytes, kWordBytes);
  work.rows = filledBytes ? 1 : 0;
  work.bytesWritten = filledBytes;
  for (uint64_t lanes : kNominalLanes) {
    DspLoops all = work;
    for (const Move &move : moves)
      add(bestLoops(move, size, lanes), all);
    work.others.push_back(std::move(all));
  }
  for (const Move &move : moves) {
    const uint64_t elements = elementsOf(move);
    const MoveAxis inner = innermostOf(move);
    const bool repeats = inner.inputStride == 0 && inner.outputStride == 1;
    work.bytesWritten += elements * size;
    work.bytesRead += (repeats ? elements / inner.extent : elements) * size;
    add(runLoops(move, size), work);
  }
  return work;
}

} // namespace avocet::kernels
