//===- MacCost.cpp - Cost of the MAC array's commands -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockWalk.h"
#include "Cost.h"

namespace avocet::kernels {

using namespace firmware;

static TileCost macCost(const Target &target, const MacTask &task, const Block &block) {
  BlockWalk walk(target, task, block);
  TileCost cost;
  cost.runs = walk.runs();
  cost.macs = static_cast<uint64_t>(task.outHeight) * task.outWidth * task.outChannels * task.macsPerOutput;
  cost.cycles = walk.cycles();
  return cost;
}

TileCost convCost(const Target &target, const ConvCommand &command) {
  return macCost(target, macTaskOf(target, command), command.block);
}

TileCost poolCost(const Target &target, const PoolCommand &command) {
  return macCost(target, macTaskOf(target, command), command.block);
}

TileCost eltwiseCost(const Target &target, const EltwiseCommand &command) {
  return macCost(target, macTaskOf(target, command), command.block);
}

TileCost lookupCost(const Target &target, const LookupCommand &command) {
  return macCost(target, macTaskOf(target, command), command.block);
}

} // namespace avocet::kernels
