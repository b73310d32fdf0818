//===- NnDetectionOps.cpp - Verifiers of operations on boxes ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnShapeRules.h"
#include "NnVerify.h"

using namespace mlir;
using namespace avocet::compiler::nn;

static LogicalResult verifyPositive(Operation *op, StringRef name, const APFloat &value) {
  if (value.isFiniteNonZero() && !value.isNegative())
    return success();
  return op->emitOpError() << "'" << name << "' must be a positive number";
}

//===----------------------------------------------------------------------===//
// Detectors
//===----------------------------------------------------------------------===//

static LogicalResult verifyDetectionAttributes(DetectionPostprocessingOp op) {
  if (op.getScales().size() != 4)
    return op.emitOpError() << "has " << op.getScales().size() << " scales, must have 4";
  for (float scale : op.getScales())
    if (failed(verifyPositive(op, "scales", APFloat(scale))))
      return failure();
  auto errors = [&] { return op.emitOpError(); };
  if (failed(checkNumber(errors, "maxDetections", static_cast<int64_t>(op.getMaxDetections()), 1)) ||
      failed(checkNumber(errors, "maxClasses", static_cast<int64_t>(op.getMaxClasses()), 1)) ||
      failed(checkNumber(errors, "maxPerClass", static_cast<int64_t>(op.getMaxPerClass()), 1)))
    return failure();
  if (op.getScoreThreshold().isNaN() || op.getOverlapThreshold().isNaN())
    return op.emitOpError("thresholds must be numbers");
  if (op.getFirstLabel() > 1)
    return op.emitOpError() << "'firstLabel' is " << static_cast<int64_t>(op.getFirstLabel()) << ", must be 0 or 1";
  return success();
}

LogicalResult DetectionPostprocessingOp::verify() {
  if (failed(verifyDetectionAttributes(*this)))
    return failure();
  return verifySameElements(*this, {getScores(), getOffsets(), getAnchors()});
}

//===----------------------------------------------------------------------===//
// Selections
//===----------------------------------------------------------------------===//

static LogicalResult verifyNumbers(Operation *op, std::initializer_list<APFloat> values) {
  for (const APFloat &value : values)
    if (value.isNaN())
      return op->emitOpError("thresholds must be numbers");
  return success();
}

LogicalResult NonMaxSuppressionOp::verify() {
  if (failed(verifyNumbers(*this, {getOverlapThreshold(), getScoreThreshold()})))
    return failure();
  if (getSigma().isNaN() || (getSigma().isNegative() && !getSigma().isZero()))
    return emitOpError("'sigma' must be 0 or more");
  return success();
}

LogicalResult BoxWithNmsLimitOp::verify() {
  if (failed(verifyNumbers(*this, {getScoreThreshold(), getOverlapThreshold(), getNmsScoreThreshold()})) ||
      failed(verifyPositive(*this, "sigma", getSigma())))
    return failure();
  if (getKernel() > 2u)
    return emitOpError() << "has the kernel " << getKernel() << ", must be 0, 1 or 2";
  return success();
}

LogicalResult GenerateProposalsOp::verify() {
  return success(succeeded(verifyNumbers(*this, {getOverlapThreshold(), getLeastSize()})) &&
                 succeeded(verifyPositive(*this, "strideY", getStrideY())) &&
                 succeeded(verifyPositive(*this, "strideX", getStrideX())));
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

template <typename Op> static LogicalResult verifyStrides(Op op) {
  return success(succeeded(verifyPositive(op, "strideY", op.getStrideY())) &&
                 succeeded(verifyPositive(op, "strideX", op.getStrideX())));
}

LogicalResult RoiPoolingOp::verify() {
  return failed(verifyStrides(*this)) ? failure() : verifySameElements(*this, {getImages(), getOutput()});
}

LogicalResult RoiAlignOp::verify() {
  auto errors = [this] { return emitOpError(); };
  if (failed(checkNumber(errors, "samplesY", static_cast<int64_t>(getSamplesY()), 0)) ||
      failed(checkNumber(errors, "samplesX", static_cast<int64_t>(getSamplesX()), 0)) || failed(verifyStrides(*this)))
    return failure();
  return verifySameStorage(*this, {getImages(), getOutput()});
}
