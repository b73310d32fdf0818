//===- HalRequest.cpp - Inputs and outputs of one network -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/session/HalRequest.h"

#include "avocet/base/Rounding.h"
#include "avocet/hal/driver/TfliteExtension.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/session/Session.h"

#include <chrono>
#include <fmt/format.h>

namespace avocet::session {

/// Regions follow one another, each at a multiple of this.
static constexpr uint64_t kAlignment = 64;

Result<HalRequest> HalRequest::make(const cache::ModelCache &model) {
  HalRequest made;
  uint64_t size = 0;
  auto place = [&](const cache::OperandView &operand) {
    hal::RequestArgument argument{false, {0, size, operand.bytes, 0}, {}};
    size = roundUp(size + operand.bytes, kAlignment);
    return argument;
  };
  for (size_t i = 0; i < numOwnInputs(model); ++i)
    made.request_.inputs.push_back(place(model.input(i)));
  for (size_t i = 0; i < numOwnOutputs(model); ++i)
    made.request_.outputs.push_back(place(model.output(i)));
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, createMemoryFile("avocet-run", size));
  AVOCET_ASSIGN_OR_RETURN(made.pool_, Mapping::map(file.get(), size, Mapping::Access::ReadWrite));
  auto handle = std::make_shared<const FileDescriptor>(std::move(file));
  made.request_.pools = {std::make_shared<const hal::Memory>(hal::Memory{hal::Ashmem{std::move(handle), size}})};
  return made;
}

std::span<uint8_t> HalRequest::bytesOf(const hal::RequestArgument &argument) const {
  return pool_.bytes().subspan(argument.location.offset, argument.location.length);
}

Status statusOfHal(const hal::Error &error) {
  return Status(StatusCode::Aborted, fmt::format("{}: {}", toString(error.code), error.message));
}

double milliseconds(const hal::OptionalDuration &time) {
  return std::chrono::duration<double, std::milli>(time.value_or(hal::Duration())).count();
}

namespace {

using hal::OperandLifeTime;
using hal::OperandType;

constexpr uint16_t kPrefix = 1;

uint32_t add(hal::Model &model, hal::Operand operand) {
  model.main.operands.push_back(std::move(operand));
  return static_cast<uint32_t>(model.main.operands.size() - 1);
}

uint32_t addTensor(hal::Model &model, const cache::OperandView &view, OperandLifeTime lifetime) {
  const float scale = view.scales.empty() ? 0 : view.scales[0];
  const int32_t zeroPoint = view.zeroPoints.empty() ? 0 : view.zeroPoints[0];
  hal::Operand operand = hal::tfliteOperand(view.type, view.shape, scale, zeroPoint);
  operand.lifetime = lifetime;
  return add(model, std::move(operand));
}

uint32_t addFile(hal::Model &model, std::span<const uint8_t> file) {
  model.operandValues.assign(file.begin(), file.end());
  hal::Operand operand;
  operand.type = OperandType::TensorQuant8Asymm;
  operand.scale = 1;
  operand.dimensions = {static_cast<uint32_t>(file.size())};
  operand.lifetime = OperandLifeTime::ConstantCopy;
  operand.location = {0, 0, file.size(), 0};
  return add(model, std::move(operand));
}

} // namespace

hal::Model carriedModel(std::span<const uint8_t> file, const cache::ModelCache &compiled) {
  hal::Model model;
  model.extensionNameToPrefix = {{std::string(hal::kTfliteExtension), kPrefix}};
  hal::Operation network{hal::extensionOperation(kPrefix, hal::kTfliteNetwork), {addFile(model, file)}, {}};
  for (size_t i = 0; i < numOwnInputs(compiled); ++i)
    model.main.inputIndexes.push_back(addTensor(model, compiled.input(i), OperandLifeTime::SubgraphInput));
  for (size_t i = 0; i < numOwnOutputs(compiled); ++i)
    model.main.outputIndexes.push_back(addTensor(model, compiled.output(i), OperandLifeTime::SubgraphOutput));
  network.inputs.insert(network.inputs.end(), model.main.inputIndexes.begin(), model.main.inputIndexes.end());
  network.outputs = model.main.outputIndexes;
  model.main.operations.push_back(std::move(network));
  return model;
}

} // namespace avocet::session
