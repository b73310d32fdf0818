//===- BurstClient.cpp - A hostile client of a burst's server ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BurstParts.h"
#include "avocet/hal/burst/BurstPacket.h"
#include "avocet/hal/burst/BurstServer.h"

#include <atomic>
#include <map>
#include <mutex>

namespace avocet::hal::fuzz {
namespace {

constexpr Duration kPatience = std::chrono::milliseconds(2);

/// Aborts if the server breaks a rule that callers of an IBurst must keep.
class StrictBurst final : public IBurst {
public:
  ExecutionOutcome execute(const Request &request, const std::vector<int64_t> &identifiers,
                           const ExecutionOptions &) override {
    std::lock_guard lock(mutex_);
    require(identifiers.size() == request.pools.size());
    for (size_t i = 0; i < identifiers.size(); ++i) {
      const SharedMemory &memory = std::get<SharedMemory>(request.pools[i]);
      require(memory != nullptr && identifiers[i] >= 0);
      require(known_.try_emplace(identifiers[i], memory).first->second == memory);
    }
    require(known_.size() <= kMaxBurstSlots + 8); // plus those that requests in progress use after they were freed
    ExecutionOutcome outcome;
    for (const RequestArgument &output : request.outputs)
      outcome.outputShapes.push_back({output.dimensions, true});
    return outcome;
  }
  Outcome releaseMemoryResource(int64_t identifier) override {
    std::lock_guard lock(mutex_);
    known_.erase(identifier);
    return success();
  }

private:
  std::mutex mutex_;
  std::map<int64_t, SharedMemory> known_;
};

class Client {
public:
  explicit Client(Script &script)
      : script_(script), requests_(std::move(*RequestQueue::create(32))),
        results_(std::move(*ResultQueue::create(16))) {
    answers_ = script.byte() % 4;
    auto memories = [this](std::span<const int32_t> slots) { return memoriesOf(slots); };
    BurstServerOptions options;
    options.clientTimeout = kPatience;
    options.maxSlots = 4;
    auto server = BurstServer::create(std::make_shared<StrictBurst>(), requests_->descriptor(), results_->descriptor(),
                                      memories, options);
    require(server.isOk());
    server_ = std::move(*server);
  }

  void act() {
    switch (script_.byte() % 6) {
    case 0:
    case 1:
      return write(somePacket());
    case 2:
      return write(script_.datums<FmqRequestDatum>(32));
    case 3:
      return server_->freeMemory(script_.byte() % 8);
    case 4:
      answers_ = script_.byte() % 4;
      return;
    default:
      isSound_ = false;
      tamper((script_.byte() % 2 == 0 ? requests_->descriptor() : results_->descriptor()), script_);
    }
  }

private:
  Result<std::vector<SharedMemory>> memoriesOf(std::span<const int32_t> slots) const {
    if (answers_ == 1)
      return invalidArgument("no");
    return std::vector<SharedMemory>(answers_ == 2 ? slots.size() + 1 : slots.size(),
                                     answers_ == 3 ? nullptr : memory_);
  }

  std::vector<FmqRequestDatum> somePacket() {
    Request request;
    request.inputs = {{false, {0, 0, 4, 0}, {}}};
    request.outputs.assign(script_.byte() % 6, {false, {0, 0, 4, 0}, std::vector<uint32_t>(script_.byte() % 4, 1)});
    std::vector<int32_t> slots(script_.byte() % 3);
    for (int32_t &slot : slots)
      slot = script_.byte() % 8;
    std::vector<FmqRequestDatum> packet;
    writeRequestPacket(request, slots, MeasureTiming::No, packet);
    script_.mutate(packet);
    return packet;
  }

  /// Writes a packet and reads the result. Until tamper() was called, each packet must get a valid result.
  void write(const std::vector<FmqRequestDatum> &packet) {
    if (packet.empty() || !requests_->tryWrite(packet))
      return;
    std::vector<FmqResultDatum> result(1);
    Duration patience = isSound_ ? std::chrono::seconds(20) : kPatience;
    if (results_->read(result, patience) != QueueState::Ready)
      return require(!isSound_);
    result.resize(1 + results_->availableToRead());
    require(results_->tryRead(std::span(result).subspan(1)));
    require(readResultPacket(result).isOk() || !isSound_);
  }

  Script &script_;
  const SharedMemory memory_ = makeMemory();
  std::unique_ptr<RequestQueue> requests_;
  std::unique_ptr<ResultQueue> results_;
  std::atomic<int> answers_{0}; ///< of memoriesOf(): 0 valid, 1 an error, 2 one memory too many, 3 null memories
  bool isSound_ = true;
  std::unique_ptr<BurstServer> server_; ///< declared last: its threads use the members above
};

} // namespace

void fuzzClient(Script &script) {
  Client client(script);
  for (int step = 0; step < 40 && !script.atEnd(); ++step)
    client.act();
}

} // namespace avocet::hal::fuzz
