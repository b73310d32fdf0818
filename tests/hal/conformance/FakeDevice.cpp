//===- FakeDevice.cpp ----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"

#include "FakeBuffers.h"
#include "avocet/hal/types/DescribedDevice.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <thread>

namespace avocet::hal::conformance {
namespace {

/// Properties of the model's output.
struct Shape {
  bool isDynamic = false;
  bool isSigned = false;
};

class FakePreparedModel final : public IPreparedModel {
public:
  FakePreparedModel(const Faults &faults, const Model &model, std::shared_ptr<FakeBuffers> buffers)
      : faults_(faults), buffers_(std::move(buffers)) {
    const Operand &output = model.main.operands[model.main.outputIndexes.front()];
    const Operand &input = model.main.operands[model.main.inputIndexes.front()];
    shape_.isDynamic = std::ranges::find(output.dimensions, 0u) != output.dimensions.end();
    shape_.isSigned = output.type == OperandType::TensorQuant8AsymmSigned;
    dimensions_ = input.dimensions;
  }

  ExecutionOutcome execute(const Request &request, const ExecutionOptions &options) override {
    std::this_thread::sleep_for(faults_.delay);
    if (faults_.outOfMemory)
      throw std::bad_alloc();
    const ErrorStatus error = shape_.isDynamic ? faults_.dynamicError : faults_.executeError;
    if (error != ErrorStatus::None)
      return {.status = error, .message = "injected fault", .outputShapes = {}, .timing = {}};
    FakeRegion input(*buffers_, request, request.inputs.front());
    FakeRegion output(*buffers_, request, request.outputs.front());
    return copy(input, output);
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
  Result<FencedLaunch> executeFenced(const Request &request, const std::vector<SyncFence> &waitFor,
                                     const FencedOptions &options) override;
  Result<std::shared_ptr<IBurst>> configureBurst() override;

  bool isWrong = false; ///< flips a bit of the output

private:
  ExecutionOutcome copy(FakeRegion &input, FakeRegion &output) {
    output.grow(input.bytes().size());
    const size_t size = std::min(input.bytes().size(), output.bytes().size());
    OutputShape shape{faults_.wrongShape ? std::vector<uint32_t>{1, 2, 3} : dimensions_, size == input.bytes().size()};
    if (!shape.isSufficient && !faults_.ignoresShortOutput)
      return {ErrorStatus::OutputInsufficientSize, "short", {shape}, {}};
    shape.isSufficient = true;
    std::ranges::copy(input.bytes().first(size), output.bytes().begin());
    output.bytes()[0] ^= isWrong || faults_.wrongByte || (faults_.wrongSignedByte && shape_.isSigned) ? 1 : 0;
    if (faults_.writesBeyondOutput)
      output.byteAfter() = 0;
    if (faults_.writesInput)
      input.bytes()[0] ^= 1;
    return {ErrorStatus::None, "", faults_.noShapes ? std::vector<OutputShape>() : std::vector{shape}, {}};
  }

  Faults faults_;
  std::shared_ptr<FakeBuffers> buffers_;
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

class FakeBurst final : public IBurst {
public:
  FakeBurst(const Faults &faults, FakePreparedModel model) : faults_(faults), model_(std::move(model)) {}
  ExecutionOutcome execute(const Request &request, const std::vector<int64_t> &identifiers,
                           const ExecutionOptions &options) override {
    if (hasReleased_ && faults_.burstForgets && identifiers.at(0) >= 0)
      return {ErrorStatus::InvalidArgument, "injected fault", {}, {}};
    model_.isWrong = faults_.burstWrong && ++runs_ == 4;
    return model_.execute(request, options);
  }
  Outcome releaseMemoryResource(int64_t) override {
    hasReleased_ = true;
    return success();
  }

private:
  Faults faults_;
  FakePreparedModel model_;
  int runs_ = 0;
  bool hasReleased_ = false;
};

Result<std::shared_ptr<IBurst>> FakePreparedModel::configureBurst() {
  if (faults_.offersNothing)
    return IPreparedModel::configureBurst();
  return std::shared_ptr<IBurst>(std::make_shared<FakeBurst>(faults_, *this));
}

/// Waits for the fences (at most 5 s each) and executes, in its own thread; one that ignores fences executes at once.
class FakeFencedExecution final : public IFencedExecution {
public:
  FakeFencedExecution(const Faults &faults, FakePreparedModel model, Request request, std::vector<SyncFence> waitFor,
                      FenceSignaler signaler)
      : faults_(faults), model_(std::move(model)), request_(std::move(request)), waitFor_(std::move(waitFor)),
        signaler_(std::move(signaler)) {
    if (faults_.ignoresFences)
      run();
    else
      thread_ = std::thread([this] { run(); });
  }
  ~FakeFencedExecution() override {
    if (thread_.joinable())
      thread_.join();
  }

  Result<FencedTimes> executionInfo() override {
    if (!isDone_ && !faults_.timesTooEarly)
      return generalFailure("not yet");
    if (faults_.noTimes)
      return FencedTimes{};
    const Timing timing{Duration(1), Duration(2)};
    return FencedTimes{timing, timing};
  }

private:
  void run() {
    if (!faults_.ignoresFences)
      for (const SyncFence &fence : waitFor_)
        (void)fence.wait(std::chrono::seconds(5));
    (void)model_.execute(request_, {});
    isDone_ = true;
    if (faults_.fenceFails)
      signaler_.fail();
    else if (!faults_.fenceNeverSignals)
      signaler_.signal();
  }

  Faults faults_;
  FakePreparedModel model_;
  Request request_;
  std::vector<SyncFence> waitFor_;
  FenceSignaler signaler_;
  std::atomic<bool> isDone_ = false;
  std::thread thread_;
};

Result<FencedLaunch> FakePreparedModel::executeFenced(const Request &request, const std::vector<SyncFence> &waitFor,
                                                      const FencedOptions &options) {
  if (faults_.offersNothing)
    return IPreparedModel::executeFenced(request, waitFor, options);
  auto made = FenceSignaler::create();
  if (!made)
    return made.error();
  return FencedLaunch{made->first,
                      std::make_shared<FakeFencedExecution>(faults_, *this, request, waitFor, std::move(made->second))};
}

class FakeDevice final : public DescribedDevice {
public:
  FakeDevice(const Faults &faults, Version level)
      : DescribedDevice({.name = "fake",
                         .version = "fake",
                         .featureLevel = level,
                         .type = DeviceType::Other,
                         .cacheFiles = faults.keepsNoCache ? NumberOfCacheFiles{0, 0} : NumberOfCacheFiles{1, 1}}),
        faults_(faults) {}

  DeviceStatus status() const override { return DeviceStatus::Available; }

  Result<SupportedOperations> getSupportedOperations(const Model &model) const override {
    if (faults_.supportError != ErrorStatus::None)
      return error(faults_.supportError, "injected fault");
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
      return error(faults_.prepareError, "injected fault");
    auto prepared = std::make_shared<FakePreparedModel>(faults_, model, buffers_);
    std::lock_guard lock(mutex_);
    last_ = prepared;
    return std::shared_ptr<IPreparedModel>(std::move(prepared));
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
    std::unique_lock lock(mutex_);
    auto cached = std::make_shared<FakePreparedModel>(*last_);
    lock.unlock();
    cached->isWrong = faults_.cacheWrong;
    return std::shared_ptr<IPreparedModel>(cached);
  }

  Result<std::shared_ptr<IBuffer>> allocate(const std::vector<uint32_t> &dimensions,
                                            const std::vector<BufferRole> &inputRoles,
                                            const std::vector<BufferRole> &outputRoles) override {
    if (faults_.offersNothing)
      return IDevice::allocate(dimensions, inputRoles, outputRoles);
    return buffers_->allocate();
  }

private:
  Faults faults_;
  std::shared_ptr<FakeBuffers> buffers_ = std::make_shared<FakeBuffers>(faults_.buffersStartFull, faults_.bufferWrong);
  std::mutex mutex_; ///< guards last_: the runner runs several cases at a time
  std::shared_ptr<FakePreparedModel> last_;
};

} // namespace

std::shared_ptr<IDevice> makeFakeDevice(const Faults &faults, Version level) {
  return std::make_shared<FakeDevice>(faults, level);
}

} // namespace avocet::hal::conformance
