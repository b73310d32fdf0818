//===- RestBound.cpp - Least time of the operations to come -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RestBound.h"

#include "avocet/compiler/Schedule/Core/Lowering.h"
#include "avocet/kernels/ChannelRate.h"

namespace avocet::compiler::schedule {

RestBound::RestBound(const Problem &problem, TileCosts &costs) {
  const auto count = uint32_t(problem.operations.size());
  computing_.assign(count + 1, 0);
  port_.assign(count + 1, 0);
  for (uint32_t i = count; i-- > 0;) {
    const MapShape &shape = problem.operations[i].outputs[0].shape;
    const uint64_t bytes = constantBytes(problem, problem.operations[i], 0, shape.channels);
    computing_[i] = computing_[i + 1] + costs.inStripes(i, shape.height).busy();
    port_[i] = port_[i + 1] + kernels::loadRate(*problem.target).cyclesFor(bytes);
  }
}

} // namespace avocet::compiler::schedule
