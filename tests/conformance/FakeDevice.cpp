//===- FakeDevice.cpp ----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"

#include <algorithm>
#include <sys/mman.h>
#include <thread>

namespace avocet::hal::conformance {
namespace {

/// What an execution knows.
struct Shape {
  bool isDynamic = false;
  bool isSigned = false;
};

Mapping mapPool(const RequestPool &pool) {
  const auto &ashmem = std::get<Ashmem>(std::get<SharedMemory>(pool)->handle);
  return Mapping::map(ashmem.fd->get(), ashmem.size, Mapping::Access::ReadWrite).value();
}

class FakePreparedModel final : public IPreparedModel {
public:
  FakePreparedModel(const Faults &faults, const Model &model) : faults_(faults) {
    const Operand &output = model.main.operands[model.main.outputIndexes.front()];
    const Operand &input = model.main.operands[model.main.inputIndexes.front()];
    shape_.isDynamic = std::ranges::find(output.dimensions, 0u) != output.dimensions.end();
    shape_.isSigned = output.type == OperandType::TensorQuant8AsymmSigned;
    dimensions_ = input.dimensions;
  }

  ExecutionOutcome execute(const Request &request, const ExecutionOptions &options) override {
    std::this_thread::sleep_for(faults_.delay);
    const ErrorStatus error = shape_.isDynamic ? faults_.dynamicError : faults_.executeError;
    if (error != ErrorStatus::None)
      return {.status = error, .message = "as told", .outputShapes = {}, .timing = {}};
    Mapping inputs = mapPool(request.pools.front());
    Mapping outputs = mapPool(request.pools.back());
    return copy(request, inputs.bytes(), outputs.bytes());
  }

  ErrorStatus executeAsynchronously(const Request &request, const ExecutionOptions &options,
                                    ExecutionCallback callback) override {
    const ExecutionOutcome outcome = execute(request, options);
    for (int i = 0; i < faults_.callbacks; ++i)
      callback(outcome);
    return outcome.status;
  }

  Result<std::shared_ptr<IExecution>> createReusableExecution(const Request &request,
                                                              const ExecutionOptions &options) override;

  bool isWrong = false; ///< spoils the output

private:
  ExecutionOutcome copy(const Request &request, std::span<uint8_t> inputs, std::span<uint8_t> outputs) {
    const DataLocation &from = request.inputs.front().location;
    const DataLocation &to = request.outputs.front().location;
    OutputShape shape{faults_.wrongShape ? std::vector<uint32_t>{1, 2, 3} : dimensions_, to.length >= from.length};
    if (!shape.isSufficient && !faults_.ignoresShortOutput)
      return {ErrorStatus::OutputInsufficientSize, "short", {shape}, {}};
    shape.isSufficient = true;
    std::ranges::copy(inputs.subspan(from.offset, std::min(from.length, to.length)), outputs.begin() + to.offset);
    outputs[to.offset] ^= isWrong || faults_.wrongByte || (faults_.wrongSignedByte && shape_.isSigned) ? 1 : 0;
    if (faults_.writesBeyondOutput)
      outputs[to.offset + to.length] = 0;
    if (faults_.writesInput)
      inputs[from.offset] ^= 1;
    return {ErrorStatus::None, "", faults_.noShapes ? std::vector<OutputShape>() : std::vector{shape}, {}};
  }

  Faults faults_;
  Shape shape_;
  std::vector<uint32_t> dimensions_;
};

class FakeExecution final : public IExecution {
public:
  FakeExecution(FakePreparedModel model, Request request, bool goesWrong)
      : model_(std::move(model)), request_(std::move(request)), goesWrong_(goesWrong) {}
  ExecutionOutcome compute(const OptionalTimePoint &) override {
    ExecutionOutcome outcome = model_.execute(request_, {});
    model_.isWrong = goesWrong_;
    return outcome;
  }

private:
  FakePreparedModel model_;
  Request request_;
  bool goesWrong_;
};

Result<std::shared_ptr<IExecution>> FakePreparedModel::createReusableExecution(const Request &request,
                                                                               const ExecutionOptions &) {
  return std::shared_ptr<IExecution>(std::make_shared<FakeExecution>(*this, request, faults_.reuseWrong));
}

class FakeDevice final : public IDevice {
public:
  FakeDevice(const Faults &faults, Version level) : faults_(faults), level_(level) {}

  const std::string &name() const override { return name_; }
  const std::string &versionString() const override { return name_; }
  Version featureLevel() const override { return level_; }
  DeviceType type() const override { return DeviceType::Other; }
  const std::vector<Extension> &supportedExtensions() const override { return extensions_; }
  const Capabilities &capabilities() const override { return capabilities_; }
  NumberOfCacheFiles numberOfCacheFilesNeeded() const override {
    return faults_.keepsNoCache ? NumberOfCacheFiles{0, 0} : NumberOfCacheFiles{1, 1};
  }
  DeviceStatus status() const override { return DeviceStatus::Available; }

  Result<SupportedOperations> getSupportedOperations(const Model &model) const override {
    if (faults_.supportError != ErrorStatus::None)
      return error(faults_.supportError, "as told");
    const bool isSigned = model.main.operands.front().type == OperandType::TensorQuant8AsymmSigned;
    const bool isSupported = !faults_.unsupported && !faults_.noReason && !(faults_.signedUnsupported && isSigned);
    Unsupported why;
    if (!isSupported && !faults_.noReason)
      why = {"RELU", "operand 0", "must be blue", "red", "blue"};
    return SupportedOperations{std::vector<bool>(model.main.operations.size(), isSupported),
                               std::vector<Unsupported>(model.main.operations.size(), why)};
  }

  Result<std::shared_ptr<IPreparedModel>> prepareModel(const Model &model, const PrepareOptions &) override {
    if (faults_.prepareError != ErrorStatus::None)
      return error(faults_.prepareError, "as told");
    last_ = std::make_shared<FakePreparedModel>(faults_, model);
    return std::shared_ptr<IPreparedModel>(last_);
  }

  ErrorStatus prepareModelAsynchronously(const Model &, const PrepareOptions &,
                                         PreparedModelCallback callback) override {
    callback(ErrorStatus::GeneralFailure, nullptr);
    return ErrorStatus::GeneralFailure;
  }

  Result<std::shared_ptr<IPreparedModel>> prepareModelFromCache(const OptionalTimePoint &,
                                                                const CacheFiles &) override {
    if (faults_.cacheLost)
      return generalFailure("lost");
    auto cached = std::make_shared<FakePreparedModel>(*last_);
    cached->isWrong = faults_.cacheWrong;
    return std::shared_ptr<IPreparedModel>(cached);
  }

private:
  Faults faults_;
  Version level_;
  std::string name_ = "fake";
  std::vector<Extension> extensions_;
  Capabilities capabilities_;
  std::shared_ptr<FakePreparedModel> last_;
};

} // namespace

std::shared_ptr<IDevice> makeFakeDevice(const Faults &faults, Version level) {
  return std::make_shared<FakeDevice>(faults, level);
}

} // namespace avocet::hal::conformance
