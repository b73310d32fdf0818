//===- SvdfBase.cpp - Operands and rules of SVDF kernels -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cells/SvdfBase.h"

#include "cells/Matrix.h"
#include "common/FeatureMapView.h"

namespace avocet::kernels {

using namespace firmware;

SvdfOperands::SvdfOperands(const DspCommand &command)
    : input(command.inputs[0]), features(command.inputs[1]), time(command.inputs[2]),
      bias(command.inputs.size() == 5 ? &command.inputs[3] : nullptr), state(command.inputs.back()),
      stateOut(command.outputs[0]), output(command.outputs[1]) {}

Status SvdfBase::checkShapes(const SvdfOperands &operands, uint32_t rank, const SvdfTypes &types) {
  const uint32_t batch = operands.input.width, features = operands.input.channels;
  const uint32_t filters = operands.features.width, memory = operands.time.channels;
  if (rank == 0 || filters % rank != 0)
    return ruleBroken("rank", rank, "a divisor of the " + std::to_string(filters) + " filters");
  const uint64_t states = uint64_t(filters) * memory, units = filters / rank;
  AVOCET_RETURN_IF_ERROR(checkMatrix("input", operands.input, types.input, batch, features));
  AVOCET_RETURN_IF_ERROR(checkMatrix("feature weights", operands.features, types.features, filters, features));
  AVOCET_RETURN_IF_ERROR(checkMatrix("time weights", operands.time, types.time, filters, memory));
  AVOCET_RETURN_IF_ERROR(checkMatrix("state", operands.state, types.time, batch, states));
  AVOCET_RETURN_IF_ERROR(checkMatrix("output state", operands.stateOut, types.time, batch, states));
  if (operands.bias)
    AVOCET_RETURN_IF_ERROR(checkMatrix("bias", *operands.bias, types.bias, 1, units));
  return checkMatrix("output", operands.output, types.input, batch, units);
}

// The state moves by one element; then products, sums and functions.
DspWork SvdfBase::work(const DspCommand &command) const {
  const SvdfOperands operands(command);
  DspWork work = elementWork(command, 0, lanes_);
  for (const FeatureMap &matrix : {operands.features, operands.time})
    addProducts(matrix, operands.input.width, work);
  work.elementOps += elementCount(operands.state) + opsPerOutput_ * elementCount(operands.output);
  if (operands.features.type != operands.input.type)
    work.elementOps += kRoundingOps * elementCount(operands.input);
  return work;
}

uint32_t SvdfBase::partsOf(const DspCommand &command) const { return command.inputs[0].width; }

DspCommand SvdfBase::partOf(const DspCommand &command, uint32_t first, uint32_t count) const {
  DspCommand part = command;
  for (FeatureMap *map : {&part.inputs.front(), &part.inputs.back(), &part.outputs[0], &part.outputs[1]})
    *map = sliceOf(*map, MapAxis::Columns, first, count);
  return part;
}

} // namespace avocet::kernels
