//===- ReductionWork.cpp - Loops of reductions ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If the last axis is kept, each lane has a result, and a loop runs along the reduced axis before it. If the order does
// not matter, a loop can also read all elements as they lie in memory: lane i of vector v belongs to result
// (v * lanes + i) modulo the results, so that a few registers have the sums of all lanes, to be joined at the end.
//
// If the last axis is reduced, a loop runs along each line, or there is a line in each lane.
// A line in each lane also serves results that lie apart, if their elements are exchanged between registers on the way.
//
//===----------------------------------------------------------------------===//

#include "common/ReductionWork.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Registers for the sums of a loop over all elements.
constexpr uint64_t kMostSums = 24;
/// Lanes of the widest vector.
constexpr uint64_t kMostLanes = 128;

/// Joins neighbors that are both reduced or both kept.
std::vector<ReducedAxis> joined(const std::vector<ReducedAxis> &axes) {
  std::vector<ReducedAxis> runs;
  for (const ReducedAxis &axis : axes)
    if (axis.extent == 1)
      continue;
    else if (!runs.empty() && runs.back().isReduced == axis.isReduced)
      runs.back().extent *= axis.extent;
    else
      runs.push_back(axis);
  return runs;
}

/// Takes the last axis if it is one of the kind; 1 without it.
uint64_t takeLast(std::vector<ReducedAxis> &axes, bool isReduced) {
  if (axes.empty() || axes.back().isReduced != isReduced)
    return 1;
  const uint64_t extent = axes.back().extent;
  axes.pop_back();
  return extent;
}

uint64_t productOf(const std::vector<ReducedAxis> &axes) {
  return std::accumulate(axes.begin(), axes.end(), uint64_t(1),
                         [](uint64_t product, const ReducedAxis &axis) { return product * axis.extent; });
}

DspLoops inLanes(const Combination &how, std::vector<LineLoops> lines) {
  DspLoops loops;
  loops.type = how.type;
  loops.lines = std::move(lines);
  return loops;
}

/// Instructions for each element of lines that do not lie next to each other.
uint64_t exchangedOps(const Combination &how) { return how.ops + exchangeOps(how.type); }

/// `count` times, `reduced` elements each of `kept` results that lie next to each other.
void setColumns(DspWork &work, uint64_t count, uint64_t reduced, uint64_t kept, const Combination &how) {
  work.others.push_back(inLanes(how, {{count, kept, reduced * how.ops}}));
  work.others.push_back(inLanes(how, {{1, count * kept, reduced * exchangedOps(how)}}));
  work.rows = count * reduced;
  if (!how.inAnyOrder || !how.isDense || kept >> std::countr_zero(kept) > kMostSums)
    return;
  DspLoops stream = work;
  stream.rows = count;
  stream.elementOps += 2 * count * how.ops * std::lcm(kept, kMostLanes);
  work.others.push_back(stream);
}

/// `count` times, `lines` results of `reduced` elements each that lie next to each other. The lanes of a loop along a
/// line have sums of their own, so that it needs any order; else each instruction adds one element.
void setLines(DspWork &work, uint64_t count, uint64_t lines, uint64_t reduced, const Combination &how) {
  work.others.push_back(inLanes(how, {{count, lines, reduced * exchangedOps(how)}}));
  if (how.sumsBytes && reduced % 4 == 0) // a gather of four bytes, and their products with 1 added to the sum
    work.others.push_back(inLanes({.type = DataType::Int32}, {{count, lines, reduced / 4 * 2}}));
  work.rows = count * lines;
  if (how.inAnyOrder)
    return;
  work.elementOps = work.rows = 0;
  work.lines = {{count * lines, 1, reduced * how.ops}};
}

/// The same if an axis of `repeats` before the lines is reduced, too: all elements of the lines are columns first.
void addLinesOfColumns(DspWork &work, uint64_t count, uint64_t repeats, uint64_t lines, uint64_t reduced,
                       const Combination &how) {
  if (!how.inAnyOrder || repeats == 1)
    return;
  DspWork columns = work;
  columns.others.clear();
  setColumns(columns, count, repeats, lines * reduced, how);
  for (DspLoops &form : columns.others) {
    form.lines.push_back({count, lines, reduced * exchangedOps(how)});
    work.others.push_back(form);
  }
}

} // namespace

uint64_t exchangeOps(DataType type) {
  const uint32_t size = sizeOf(type);
  return 1 + (size < 4 ? static_cast<uint64_t>(std::countr_zero(4 / size)) : 0);
}

DspWork reductionWork(const DspCommand &command, std::vector<ReducedAxis> axes, const Combination &how) {
  DspWork work = elementWork(command, how.ops, how.type);
  std::vector<ReducedAxis> runs = joined(axes);
  const bool lastIsReduced = !runs.empty() && runs.back().isReduced;
  const uint64_t last = takeLast(runs, lastIsReduced);
  work.groups = std::max<uint64_t>(productOf(runs), command.outputs[0].height);
  const uint64_t beforeLast = takeLast(runs, !lastIsReduced), count = productOf(runs);
  if (!lastIsReduced) {
    setColumns(work, count, beforeLast, last, how);
    return work;
  }
  setLines(work, count, beforeLast, last, how);
  const uint64_t repeats = takeLast(runs, true);
  addLinesOfColumns(work, productOf(runs), repeats, beforeLast, last, how);
  return work;
}

} // namespace avocet::kernels
