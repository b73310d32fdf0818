//===- SoftmaxWork.cpp - Loops of softmax kernels ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes differ from the maximum of their line in 256 ways at most, so that tables made once for a command have all
// exponentials, and all terms of the sum. Other numbers keep their exponentials in the place of the results. Long lines
// have a loop for each pass. Short lines have a line in each lane. Results of bytes of one long line are no more than
// its differences that do not give 0, so that a table of the line's results is made first if that takes less time.
//
//===----------------------------------------------------------------------===//

#include "softmax/SoftmaxWork.h"

#include "avocet/base/Rounding.h"
#include "common/ReductionWork.h"
#include "softmax/SoftmaxLine.h"

#include <algorithm>
#include <cmath>

namespace avocet::kernels {

using namespace firmware;

namespace {

constexpr uint64_t kQuarters = 4;
/// Instructions that join the lanes of a vector, for the widest one: a shuffle and an operation for each halving.
constexpr uint64_t kJoinOps = 10;

uint64_t elementOps(const ExponentialLine &line) {
  return line.pass ? line.passes[*line.pass] : line.passes[0] + line.passes[1] + line.passes[2] - line.keptOps;
}

bool makesResults(const ExponentialLine &line) { return !line.pass || *line.pass == 2; }

/// What a table of the results of a line of `count` elements saves; 0: it takes longer than the results without it.
uint64_t savedByTable(const ExponentialLine &line, uint64_t count) {
  if (line.lineEntries == 0 || !makesResults(line))
    return 0;
  const uint64_t plain = count * line.passes[2], looked = count * line.lookedUpOps + line.lineEntries * line.entryOps;
  return plain - std::min(plain, looked);
}

/// Of an element in memory to the lane of its line, and of the result back.
uint64_t exchangeQuarters(const DspCommand &command) {
  uint64_t quarters = 0;
  for (const FeatureMap *map : {&command.inputs[0], &command.outputs[0]})
    quarters += exchangeOps(map->type) * std::min<uint64_t>(sizeOf(map->type), kQuarters);
  return quarters;
}

DspLoops withTable(const ExponentialLine &line) {
  DspLoops loops;
  loops.type = DataType::Int32;
  const bool needsTable = !line.pass || *line.pass > 0;
  loops.elementOps = needsTable ? line.tableOps * line.tableEntries : 0;
  loops.rows = loops.elementOps ? 1 : 0;
  return loops;
}

/// A loop for each pass of each line.
DspLoops loopsAlongLines(const AxisExtents &extents, const ExponentialLine &line) {
  DspLoops loops = withTable(line);
  const uint64_t lines = uint64_t(extents.outer) * extents.inner, passes = line.pass ? 1 : 3;
  const uint64_t saved = savedByTable(line, extents.axis);
  loops.elementOps += divideUp(lines * (extents.axis * elementOps(line) - saved), kQuarters);
  const uint64_t joined = makesResults(line) ? passes - 1 : 1;
  loops.lines = {{lines, 1, joined * kJoinOps + (makesResults(line) ? line.lineOps : 0)}};
  loops.rows += lines * (passes - 1 + (saved > 0 ? 1 : 0));
  return loops;
}

/// A line in each lane.
DspLoops loopsAcrossLines(const DspCommand &command, const AxisExtents &extents, const ExponentialLine &line) {
  DspLoops loops = withTable(line);
  const uint64_t axis = extents.axis, exchange = extents.inner == 1 ? exchangeQuarters(command) : 0;
  const uint64_t ops =
      divideUp(axis * (elementOps(line) + exchange), kQuarters) + (makesResults(line) ? line.lineOps : 0);
  loops.lines = {extents.inner == 1 ? LineLoops{1, extents.outer, ops} : LineLoops{extents.outer, extents.inner, ops}};
  return loops;
}

/// Of a table that has all differences whose exponential counts.
uint64_t entriesFor(int32_t diffMin) {
  return static_cast<uint64_t>(std::min<int64_t>(256, 1 - int64_t(std::min(diffMin, 0))));
}

/// Of the exponentials from the maximum on that can give another 8-bit result than the least one. They are at least
/// 2^-10: twice as much as rounds to 1 of 256, since the maximum itself has about 1 of the sum. A result of another
/// scale may be larger.
uint64_t resultEntriesFor(const SoftmaxParameters &parameters) {
  const uint64_t all = entriesFor(parameters.diffMin);
  const double step = std::ldexp(double(parameters.multiplier), parameters.shift - 31 - 26); // beta * input scale
  if (parameters.resultMultiplier != 0 || !(step > 0))
    return all;
  constexpr double kLargestExponent = 6.9314718055994531; // of 2^-10
  return std::min(all, static_cast<uint64_t>(std::min(kLargestExponent / step, 255.0)) + 1);
}

/// Rescale, polynomial, seven products for the multiples of a quarter; the term of the sum.
constexpr uint64_t kEntryOps = 42;

} // namespace

ExponentialLine softmaxInstructions(DataType type, const SoftmaxParameters &parameters) {
  ExponentialLine line;
  line.plainOps = softmaxOperations(type);
  if (isFloat(type)) { // exponential and sum; division
    line.passes = {4, 17 * 4, 19 * 4};
    line.keptOps = 17 * 4;
  } else if (type == DataType::Int16) {
    // difference, rescale (4), saturation (2), two look-ups, interpolation (4), sum; product, shift, saturation (2)
    line.passes = {2, 2 + 13 * 4, 2 + 16 * 4};
    line.keptOps = 2 + 12 * 4;
    line.lineOps = 15;
  } else {
    // difference, look-up, sum; difference, look-up, product, shift, narrowing to 16 and 8 bits, zero point
    line.passes = {1, 1 + 2 * 4, 1 + 3 * 4 + 2 + 1 + 1};
    line.lineOps = 23; // three Newton steps
    line.tableOps = kEntryOps;
    line.tableEntries = entriesFor(parameters.diffMin);
    // product, shift, narrowing to 16 and 8 bits, zero point; difference, bound of the table, look-up
    line.lineEntries = resultEntriesFor(parameters);
    line.entryOps = 2 * 4 + 2 + 1 + 1;
    line.lookedUpOps = 1 + 1 + 4;
  }
  return line;
}

ExponentialLine logSoftmaxInstructions(DataType type, int32_t diffMin) {
  ExponentialLine line;
  if (isFloat(type)) { // exponential and sum; difference
    line.passes = {4, 17 * 4, 2 * 4};
    line.lineOps = 20;
    line.plainOps = 20;
  } else { // difference, look-up, sum; difference, rescale (4), logarithm, shift
    line.passes = {1, 1 + 2 * 4, 1 + 6 * 4};
    line.lineOps = 60;
    line.tableOps = kEntryOps;
    line.tableEntries = entriesFor(diffMin);
    line.plainOps = 48;
  }
  return line;
}

DspWork exponentialWork(const DspCommand &command, AxisExtents extents, const ExponentialLine &line) {
  const FeatureMap &input = command.inputs[0];
  if (extents.linesArePixels())
    extents.outer = input.height * input.width;
  const bool isMaximum = line.pass && *line.pass == 0;
  DspWork work = elementWork(command, isMaximum ? 1 : line.plainOps, softmaxType(input.type));
  work.others = {loopsAcrossLines(command, extents, line)};
  if (!isFloat(input.type)) // sums of reals have one order
    work.others.push_back(loopsAlongLines(extents, line));
  return work;
}

} // namespace avocet::kernels
