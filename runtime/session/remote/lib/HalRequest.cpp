//===- HalRequest.cpp - Inputs and outputs of one network -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/session/HalRequest.h"

#include "Tflite_generated.h"
#include "avocet/base/Rounding.h"
#include "avocet/session/Session.h"

#include <chrono>

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

double milliseconds(const hal::OptionalDuration &time) {
  return std::chrono::duration<double, std::milli>(time.value_or(hal::Duration())).count();
}

std::optional<NetworkFile> servedNetwork(std::span<const uint8_t> file, bool isOnnx) {
  if (isOnnx)
    return NetworkFile{hal::CarriedFormat::Onnx, file};
  if (file.size() >= 8 && tflite::ModelBufferHasIdentifier(file.data()))
    return NetworkFile{hal::CarriedFormat::Tflite, file};
  return std::nullopt;
}

hal::Model carriedModel(const NetworkFile &network, const cache::ModelCache &compiled) {
  hal::CarriedNetwork carried;
  carried.format = network.format;
  carried.file.assign(network.bytes.begin(), network.bytes.end());
  for (size_t i = 0; i < numOwnInputs(compiled); ++i)
    carried.inputs.push_back(hal::carriedOperand(network.format, compiled.input(i)));
  for (size_t i = 0; i < numOwnOutputs(compiled); ++i)
    carried.outputs.push_back(hal::carriedOperand(network.format, compiled.output(i)));
  return hal::carriedModel(std::move(carried));
}

} // namespace avocet::session
