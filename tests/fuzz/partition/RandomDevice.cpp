//===- RandomDevice.cpp - A device that does what bytes say ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomDevice.h"

#include "avocet/hal/types/Capabilities.h"
#include "avocet/hal/types/DescribedDevice.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace avocet::hal::test {
namespace {

void require(bool holds, const std::string &what) {
  if (holds)
    return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

/// None for most bytes.
ErrorStatus randomStatus(uint8_t byte) { return byte < 16 ? static_cast<ErrorStatus>(byte % 9) : ErrorStatus::None; }

class RandomModel final : public IPreparedModel {
public:
  RandomModel(Model model, NextByte next) : model_(std::move(model)), next_(std::move(next)) {}

  ExecutionOutcome execute(const Request &request, const ExecutionOptions &) override {
    auto valid = validateRequestForModel(request, model_);
    require(valid.isOk(), valid ? "" : "request of a step: " + valid.error().message);
    ExecutionOutcome outcome;
    outcome.status = randomStatus(next_());
    outcome.message = "random";
    if (!outcome.isOk() && outcome.status != ErrorStatus::OutputInsufficientSize)
      return outcome;
    for (size_t i = 0; i < request.outputs.size(); ++i)
      outcome.outputShapes.push_back(shapeOf(model_.main.operands[model_.main.outputIndexes[i]]));
    writeConditions(request);
    if (next_() < 4)
      outcome.outputShapes.resize(outcome.outputShapes.size() / 2);
    if (outcome.status == ErrorStatus::OutputInsufficientSize && !outcome.outputShapes.empty())
      outcome.outputShapes.front().isSufficient = false;
    return outcome;
  }
  ErrorStatus executeAsynchronously(const Request &request, const ExecutionOptions &options,
                                    ExecutionCallback callback) override {
    const ExecutionOutcome outcome = execute(request, options);
    callback(outcome);
    return outcome.status;
  }
  Result<std::shared_ptr<IExecution>> createReusableExecution(const Request &, const ExecutionOptions &) override {
    return generalFailure("not offered");
  }

private:
  /// Random truth values, so that both branches and some rounds of loops run.
  void writeConditions(const Request &request) const {
    for (size_t i = 0; i < request.outputs.size(); ++i) {
      const DataLocation &location = request.outputs[i].location;
      if (model_.main.operands[model_.main.outputIndexes[i]].type != OperandType::TensorBool8)
        continue;
      const uint8_t value = next_() % 2;
      const auto &memory = std::get<SharedMemory>(request.pools[location.poolIndex]);
      const int fd = std::get<Ashmem>(memory->handle).fd->get();
      require(::pwrite(fd, &value, 1, static_cast<off_t>(location.offset)) == 1, "cannot write an output");
    }
  }

  OutputShape shapeOf(const Operand &operand) const {
    OutputShape shape{operand.dimensions, true};
    if (isTensor(operand.type) && shape.dimensions.empty())
      shape.dimensions.resize(1 + next_() % 3);
    for (uint32_t &extent : shape.dimensions)
      if (extent == 0)
        extent = next_() % 4;
    if (next_() < 4)
      shape.dimensions.push_back(next_());
    return shape;
  }

  const Model model_;
  const NextByte next_;
};

class RandomDevice final : public DescribedDevice {
public:
  RandomDevice(const std::string &name, uint8_t seed, float cost, NextByte next)
      : DescribedDevice(
            {name,
             name,
             kLatestVersion,
             DeviceType::Other,
             {},
             {{cost, cost}, {cost, cost}, nonExtensionPerformance({cost, cost}), {cost, cost}, {cost, cost}}}),
        seed_(seed), next_(std::move(next)) {}

  DeviceStatus status() const override { return DeviceStatus::Available; }

  Result<SupportedOperations> getSupportedOperations(const Model &model) const override {
    SupportedOperations answer;
    for (size_t i = 0; i < model.main.operations.size(); ++i) {
      const auto type = static_cast<uint32_t>(model.main.operations[i].type);
      answer.supported.push_back(seed_ == 0 || ((type + i) * seed_ >> 3) % 2 == 0);
    }
    answer.reasons.resize(answer.supported.size());
    return answer;
  }

  Result<std::shared_ptr<IPreparedModel>> prepareModel(const Model &model, const PrepareOptions &) override {
    auto valid = validate(model);
    require(valid.isOk(), valid ? "" : "model of a step: " + valid.error().message);
    if (const ErrorStatus status = randomStatus(next_()); status != ErrorStatus::None)
      return error(status, "random");
    return std::shared_ptr<IPreparedModel>(std::make_shared<RandomModel>(model, next_));
  }
  ErrorStatus prepareModelAsynchronously(const Model &, const PrepareOptions &,
                                         PreparedModelCallback callback) override {
    callback(ErrorStatus::GeneralFailure, nullptr);
    return ErrorStatus::GeneralFailure;
  }
  Result<std::shared_ptr<IPreparedModel>> prepareModelFromCache(const OptionalTimePoint &,
                                                                const CacheFiles &) override {
    return generalFailure("nothing is cached");
  }

private:
  const uint8_t seed_;
  const NextByte next_;
};

} // namespace

std::shared_ptr<IDevice> makeRandomDevice(const std::string &name, uint8_t seed, float cost, NextByte next) {
  return std::make_shared<RandomDevice>(name, seed, cost, std::move(next));
}

} // namespace avocet::hal::test
