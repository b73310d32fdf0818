//===- BurstService.cpp - A hostile service of a burst's controller -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BurstParts.h"
#include "avocet/hal/burst/BurstController.h"
#include "avocet/hal/burst/BurstPacket.h"

#include <thread>

namespace avocet::hal::fuzz {
namespace {

constexpr Duration kPatience = std::chrono::milliseconds(3);

/// Must not be called: every execution here goes through the queues or fails.
class NoModel final : public IPreparedModel {
public:
  ExecutionOutcome execute(const Request &, const ExecutionOptions &) override { std::abort(); }
  ErrorStatus executeAsynchronously(const Request &, const ExecutionOptions &, ExecutionCallback) override {
    std::abort();
  }
  Result<std::shared_ptr<IExecution>> createReusableExecution(const Request &, const ExecutionOptions &) override {
    std::abort();
  }
};

class Service {
public:
  explicit Service(Script &script) : script_(script) {
    BurstClientOptions options;
    options.queueElements = 32;
    options.answerTimeout = kPatience;
    auto burst = BurstController::create(std::make_shared<NoModel>(), [](int32_t) { return success(); }, options);
    require(burst.isOk());
    burst_ = *burst;
    requests_ = std::move(*RequestQueue::attach(burst_->requests()));
    results_ = std::move(*ResultQueue::attach(burst_->results()));
  }

  /// Runs one execution while the service answers, and checks the outcome.
  void act() {
    std::vector<FmqResultDatum> answer = script_.byte() % 2 == 0 ? someResult() : script_.datums<FmqResultDatum>(32);
    bool isEarly = script_.byte() % 8 == 1;
    if (script_.byte() % 8 == 1)
      tamper(script_.byte() % 2 == 0 ? burst_->requests() : burst_->results(), script_);
    if (isEarly)
      (void)results_->tryWrite(answer);
    std::thread service([&] { serve(answer); });
    check(burst_->execute(request_, {script_.byte() % 4 - 1, 1}, {}));
    service.join();
    const int32_t slots[] = {static_cast<int32_t>(script_.byte()) - 2};
    (void)burst_->memories(slots);
    if (script_.byte() % 4 == 1)
      (void)burst_->releaseMemoryResource(script_.byte() % 4);
  }

private:
  void serve(const std::vector<FmqResultDatum> &answer) {
    std::vector<FmqRequestDatum> request(1);
    if (requests_->read(request, kPatience) != QueueState::Ready)
      return;
    request.resize(1 + requests_->availableToRead());
    (void)requests_->tryRead(std::span(request).subspan(1));
    (void)results_->tryWrite(answer);
  }

  std::vector<FmqResultDatum> someResult() {
    ExecutionOutcome outcome;
    outcome.status = static_cast<ErrorStatus>(script_.byte() % 5);
    for (uint8_t i = script_.byte() % 3; i > 0; --i)
      outcome.outputShapes.push_back({std::vector<uint32_t>(script_.byte() % 4, i), script_.byte() % 4 != 0});
    std::vector<FmqResultDatum> packet;
    writeResultPacket(outcome, packet);
    script_.mutate(packet);
    return packet;
  }

  void check(const ExecutionOutcome &outcome) const {
    bool hasShapes = outcome.isOk() || outcome.status == ErrorStatus::OutputInsufficientSize;
    require(outcome.outputShapes.size() == (hasShapes ? request_.outputs.size() : 0));
    bool allSufficient = std::ranges::all_of(outcome.outputShapes, &OutputShape::isSufficient);
    require(!outcome.isOk() || allSufficient);
    require(outcome.isOk() || !outcome.timing.timeOnDevice);
  }

  Script &script_;
  const SharedMemory input_ = makeMemory(), output_ = makeMemory();
  const Request request_ = {{{false, {0, 0, 4, 0}, {}}}, {{false, {1, 0, 4, 0}, {}}}, {input_, output_}};
  std::shared_ptr<BurstController> burst_;
  std::unique_ptr<RequestQueue> requests_;
  std::unique_ptr<ResultQueue> results_;
};

} // namespace

void fuzzService(Script &script) {
  Service service(script);
  for (int step = 0; step < 12 && !script.atEnd(); ++step)
    service.act();
}

} // namespace avocet::hal::fuzz
