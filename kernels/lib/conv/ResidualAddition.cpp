//===- ResidualAddition.cpp - Additions in the output stage ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/ResidualAddition.h"

#include "avocet/kernels/Quantization.h"
#include "common/Checks.h"
#include "common/FeatureMapView.h"
#include "common/RunEltwise.h"
#include "common/Shares.h"

#include <cstring>

namespace avocet::kernels {

using namespace firmware;

namespace {

Status checkRescales(const Residual &residual) {
  if (residual.leftShift > 30)
    return ruleBroken("residual.leftShift", residual.leftShift, "at most 30");
  AVOCET_RETURN_IF_ERROR(checkRounding("residual.rounding", residual.rounding));
  AVOCET_RETURN_IF_ERROR(checkRescale("residual.rescaleResult", residual.rescaleResult));
  AVOCET_RETURN_IF_ERROR(checkRescale("residual.rescaleAddend", residual.rescaleAddend));
  return checkRescale("residual.rescaleOutput", residual.rescaleOutput);
}

Status checkZeroPoint(const Residual &residual, DataType type) {
  const bool isValid = isFloat(type) ? residual.zeroPoint == 0
                                     : residual.zeroPoint >= minValue(type) && residual.zeroPoint <= maxValue(type);
  return isValid ? Status::ok() : ruleBroken("residual.zeroPoint", residual.zeroPoint, "a value of the type");
}

EltwiseCommand additionOf(const ConvCommand &command) {
  EltwiseCommand add;
  add.kind = EltwiseKind::Add;
  add.inputA = add.output = command.output;
  add.inputA.zeroPoint = command.residual.zeroPoint;
  add.inputB = command.residual.addend;
  add.leftShift = command.residual.leftShift;
  add.rescaleA = command.residual.rescaleResult;
  add.rescaleB = command.residual.rescaleAddend;
  add.rescaleOutput = command.residual.rescaleOutput;
  add.rounding = command.residual.rounding;
  add.clamp = command.residual.clamp;
  return add;
}

} // namespace

Status checkResidual(const ConvCommand &command) {
  const Residual &residual = command.residual;
  if (!residual.isPresent())
    return residual == Residual{}
               ? Status::ok()
               : ruleBroken("residual.addend.address", kNoAddress.offset, "an address, since other fields are set");
  AVOCET_RETURN_IF_ERROR(checkMap("residual.addend", residual.addend));
  AVOCET_RETURN_IF_ERROR(checkType("output with a residual", command.output.type,
                                   {DataType::Int8, DataType::UInt8, DataType::Float16, DataType::Float32}));
  AVOCET_RETURN_IF_ERROR(checkType("residual.addend", residual.addend.type, {command.output.type}));
  AVOCET_RETURN_IF_ERROR(checkSameShape("residual.addend", residual.addend, "output", command.output));
  if (command.lookupTable != kNoAddress)
    return ruleBroken("lookupTable", command.lookupTable.offset, "absent with a residual");
  AVOCET_RETURN_IF_ERROR(checkZeroPoint(residual, command.output.type));
  AVOCET_RETURN_IF_ERROR(checkRescales(residual));
  return checkClamp(residual.clamp, command.output.type).withContext("residual");
}

ConvCommand withoutResidual(ConvCommand command) {
  command.output.zeroPoint = command.residual.zeroPoint;
  command.residual = {};
  return command;
}

ResidualAddition::ResidualAddition(const ConvCommand &command, std::span<uint8_t> sram)
    : addition_(additionOf(command)), sram_(sram), memoryOfAddend_(sram) {
  if (overlap(command.residual.addend, command.output))
    copyAddend();
}

void ResidualAddition::run() { runEltwise(addition_, sram_, memoryOfAddend_); }

void ResidualAddition::copyAddend() {
  FeatureMap &addend = addition_.inputB;
  const FeatureMapView<uint8_t> view(addend, sram_);
  const uint32_t pixelBytes = addend.channels * sizeOf(addend.type), rowBytes = addend.width * pixelBytes;
  copy_.resize(uint64_t(addend.height) * rowBytes);
  for (uint32_t y = 0; y < addend.height; ++y)
    for (uint32_t x = 0; x < addend.width; ++x)
      std::memcpy(copy_.data() + uint64_t(y) * rowBytes + uint64_t(x) * pixelBytes, view.pixel(y, x), pixelBytes);
  addend.address = 0;
  addend.ringRows = addend.height;
  addend.firstRow = 0;
  addend.rowStride = rowBytes;
  addend.pixelStride = pixelBytes;
  memoryOfAddend_ = copy_;
}

} // namespace avocet::kernels
