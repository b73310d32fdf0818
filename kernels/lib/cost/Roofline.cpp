//===- Roofline.cpp - The least time that an operation can take -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/Roofline.h"

#include "MacTask.h"
#include "avocet/kernels/Kernel.h"

#include <algorithm>

namespace avocet::kernels {

using namespace firmware;

namespace {

uint64_t divideUp(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

/// Cycles of perfectly packed steps. Dense steps pack terms as well; depthwise steps hold whole windows only.
uint64_t arrayCycles(const Target &target, const MacTask &task, uint64_t outputs) {
  if (task.elementRate.count != 0)
    return task.elementRate.cyclesFor(outputs);
  const ArrayStep &step = task.step;
  const uint64_t perStep = static_cast<uint64_t>(step.height) * step.width * step.channels * target.mac().cores;
  if (task.inputs[0].followsChannels)
    return divideUp(outputs * task.stepCycles, perStep);
  // stepCycles is ceil(terms / products) * cycles of a step in this type; the division leaves the last factor.
  const uint64_t cyclesPerStep = task.stepCycles / divideUp(task.weightsPerChannel, step.products);
  return divideUp(outputs * task.macsPerOutput * cyclesPerStep, perStep * step.products);
}

RooflineTerms macTerms(const Target &target, const MacTask &task) {
  const uint64_t outputs = static_cast<uint64_t>(task.outHeight) * task.outWidth * task.outChannels;
  RooflineTerms terms;
  terms.arrayCycles = arrayCycles(target, task, outputs);
  terms.decodeCycles =
      divideUp(task.weightsPerChannel * task.outChannels, static_cast<uint64_t>(task.decodeRate) * target.mac().cores);
  terms.outputCycles = task.outputRate.cyclesFor(outputs);
  terms.macs = outputs * task.macsPerOutput;
  return terms;
}

} // namespace

uint64_t RooflineTerms::cycles() const { return std::max({arrayCycles, decodeCycles, outputCycles, dspCycles}); }

RooflineTerms rooflineTerms(const Target &target, const CommandBody &wholeOperation) {
  if (auto work = macWorkOf(target, wholeOperation))
    return macTerms(target, work->task);
  RooflineTerms terms;
  const Kernel *kernel = findKernel(wholeOperation);
  if (!kernel)
    return terms;
  const TileCost cost = kernel->cost(target, wholeOperation);
  for (const BlockRun &run : cost.runs)
    terms.dspCycles += run.count * run.computeCycles;
  terms.macs = cost.macs;
  return terms;
}

uint64_t rooflineCycles(const Target &target, uint64_t operationCycles, uint64_t offChipBytes) {
  return std::max(operationCycles, target.dram().bandwidth.cyclesFor(offChipBytes));
}

} // namespace avocet::kernels
