//===- Network.cpp - A compiled network with memory for runs ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernel/Network.h"

#include "avocet/base/Rounding.h"

namespace avocet::ort {

Network::Network(plugin::Prepared prepared, std::vector<KernelOperand> inputs, std::vector<KernelOperand> outputs)
    : prepared_(std::move(prepared)), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {
  constexpr uint64_t kAlignment = 64;
  for (const std::vector<KernelOperand> *operands : {&inputs_, &outputs_})
    for (const KernelOperand &operand : *operands) {
      offsets_.push_back(areaBytes_);
      areaBytes_ = roundUp(areaBytes_ + operand.operand.bytes, kAlignment);
    }
}

Result<std::unique_ptr<Network::Lane>> Network::takeLane() {
  {
    std::lock_guard lock(mutex_);
    if (!lanes_.empty()) {
      std::unique_ptr<Lane> lane = std::move(lanes_.back());
      lanes_.pop_back();
      return lane;
    }
  }
  auto lane = std::make_unique<Lane>();
  AVOCET_ASSIGN_OR_RETURN(lane->area, plugin::Area::create(areaBytes_));
  lane->executions = plugin::Executions(prepared_);
  return lane;
}

void Network::returnLane(std::unique_ptr<Lane> lane) {
  std::lock_guard lock(mutex_);
  lanes_.push_back(std::move(lane));
}

} // namespace avocet::ort
