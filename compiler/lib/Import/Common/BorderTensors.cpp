//===- BorderTensors.cpp - Most inputs and outputs --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BorderTensors.h"

#include "avocet/firmware_iface/JobRing.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace avocet::compiler {

LogicalResult checkBorder(Location location, const BorderTensors &tensors) {
  constexpr uint64_t kMost = firmware::kMaxRegions - 2;
  if (tensors.inputs + tensors.outputs + 2 * tensors.variables + tensors.counts <= kMost)
    return success();
  InFlightDiagnostic error = emitError(location);
  error << "the network has " << tensors.inputs << " inputs and " << tensors.outputs << " outputs";
  if (tensors.variables != 0)
    error << " and " << tensors.variables << " variables, which are both";
  if (tensors.counts != 0)
    error << " and " << tensors.counts << " outputs for numbers of rows that depend on data";
  return error << "; a device binds at most " << kMost << " inputs and outputs; join some";
}

} // namespace avocet::compiler
