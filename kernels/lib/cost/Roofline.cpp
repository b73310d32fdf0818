//===- Roofline.cpp - The least time that a network can take ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/Roofline.h"

#include "WorkRates.h"

#include <algorithm>

namespace avocet::kernels {

using namespace firmware;

namespace {

uint64_t outputsOf(const ArrayStep &step, const MacArrayModel &mac) {
  return static_cast<uint64_t>(step.height) * step.width * step.channels * mac.cores;
}

/// Steps that are full of outputs, with the passes that the terms of an output need.
uint64_t stepCycles(const Target &target, const Work &work, const ArrayStep &step) {
  const uint64_t passes = times(divideUp(work.terms, step.products), step.cycles * denseSlowdown(target, work));
  return divideUp(times(work.elements, passes), outputsOf(step, target.mac()));
}

uint64_t denseCycles(const Target &target, const Work &work) {
  const ArrayStep &step = target.mac().dense;
  const uint64_t atPeak = divideUp(times(work.macs, step.cycles * denseSlowdown(target, work)),
                                   outputsOf(step, target.mac()) * step.products);
  return std::max(atPeak, stepCycles(target, work, step));
}

/// Elements at the array's rate for 8 bits; wider types are slower by their slowdown.
uint64_t elementCycles(const Target &target, const Work &work, Rate rate) {
  return cyclesAt({rate.count, rate.cycles * slowdownOf(target, work.input)}, work.elements);
}

/// One instruction for each lane; the work's own instructions are at least as many.
uint64_t vectorCycles(const Target &target, const Work &work) {
  const uint64_t operations = std::max(work.macs, times(work.elements, std::max<uint64_t>(work.terms, 1)));
  return divideUp(operations, std::max(target.dsp().lanes[static_cast<uint32_t>(work.input)], 1u));
}

uint64_t engineCycles(const Target &target, const Work &work) {
  const MacArrayModel &mac = target.mac();
  switch (work.kind) {
  case WorkKind::Dense:
    return denseCycles(target, work);
  case WorkKind::Depthwise:
  case WorkKind::MaxPool:
  case WorkKind::AveragePool:
    return stepCycles(target, work, target.mac().depthwise);
  case WorkKind::Sum:
    return elementCycles(target, work, mac.add);
  case WorkKind::Product:
    return elementCycles(target, work, mac.mul);
  case WorkKind::Lookup:
    return elementCycles(target, work, mac.lookup);
  case WorkKind::Move:
  case WorkKind::Vector:
    break;
  }
  return 0;
}

} // namespace

uint64_t computeCycles(const Target &target, const Work &work) {
  if (work.kind == WorkKind::Move)
    return 0;
  if (work.kind == WorkKind::Vector || slowdownOf(target, work.input) == 0)
    return vectorCycles(target, work);
  const Rate rate = work.kind == WorkKind::MaxPool ? target.mac().maxPool : target.mac().outputStage;
  return std::max({engineCycles(target, work), decodeCycles(target, work), cyclesAt(rate, work.elements)});
}

uint64_t rooflineCycles(const Target &target, uint64_t computeCycles, uint64_t offChipBytes) {
  return std::max(computeCycles, cyclesAt(target.dram().bandwidth, offChipBytes));
}

} // namespace avocet::kernels
