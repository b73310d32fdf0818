//===- NnRandomOps.cpp - Verifier of random numbers -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

using namespace mlir;
using namespace avocet::compiler::nn;

LogicalResult RandomMultinomialOp::verify() {
  if (failed(verifyRank(*this, "logits", getLogits(), 2)) || failed(verifyShape(*this, "seeds", getSeeds(), {2})) ||
      failed(verifyRank(*this, "result", getOutput(), 2)))
    return failure();
  if (tensorType(getOutput()).getDimSize(0) != tensorType(getLogits()).getDimSize(0))
    return emitOpError("logits and result must have the same batch");
  return success();
}
