//===- Workload.cpp - A network with its memory ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Workload.h"

#include "BenchModels.h"
#include "TfliteToHal.h"

#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <unistd.h>

namespace avocet::hal::bench {
namespace {

constexpr uint64_t kAlignment = 64;

uint64_t sizeOf(const Model &model, uint32_t operand) {
  return getNonExtensionSize(model.main.operands[operand]).value_or(0);
}

uint64_t sizeOfAll(const Model &model, const std::vector<uint32_t> &operands) {
  uint64_t sum = 0;
  for (uint32_t operand : operands)
    sum += *checkedRoundUp(sizeOf(model, operand), kAlignment);
  return sum;
}

std::vector<RequestArgument> place(const Model &model, const std::vector<uint32_t> &operands, uint32_t pool) {
  std::vector<RequestArgument> arguments;
  uint64_t offset = 0;
  for (uint32_t operand : operands) {
    arguments.push_back({false, {pool, offset, sizeOf(model, operand), 0}, {}});
    offset += *checkedRoundUp(sizeOf(model, operand), kAlignment);
  }
  return arguments;
}

} // namespace

std::string sharedModel() {
  std::string folder = std::string(AVOCET_SHARED_DATA) + "/models/mobilenet_v2_100_224_int8";
  return std::filesystem::exists(folder) ? folder : "";
}

Model networkOf(const DeathOptions &options) {
  if (options.model.empty())
    return mobileNet();
  return need(golden::tfliteToHal(need(readFile(options.model + "/model.tflite"))));
}

Workload::Workload(const Model &model)
    : inputs_(sizeOfAll(model, model.main.inputIndexes)), outputs_(sizeOfAll(model, model.main.outputIndexes)) {
  request_.inputs = place(model, model.main.inputIndexes, 0);
  request_.outputs = place(model, model.main.outputIndexes, 1);
  request_.pools = {inputs_.memory(), outputs_.memory()};
}

LifeLine::LifeLine() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    giveUp("cannot make a pipe");
  read_ = FileDescriptor(ends[0]);
  written_ = FileDescriptor(ends[1]);
}

bool LifeLine::isCut(int milliseconds) const {
  pollfd closing = {read_.get(), POLLIN, 0};
  return ::poll(&closing, 1, milliseconds) > 0;
}

} // namespace avocet::hal::bench
