//===- BurstServer.cpp - The service's end of a burst -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/burst/BurstServer.h"

#include "RequestRunner.h"

#include <algorithm>
#include <exception>
#include <fmt/core.h>
#include <system_error>
#include <thread>

namespace avocet::hal {
namespace {

/// Bounds the bytes that one read of a client's queue copies.
constexpr uint64_t kMaxQueueElements = uint64_t(1) << 16;
/// A result queue must have room for an error.
constexpr uint64_t kMinResultElements = 2;

using RequestQueue = MessageQueue<FmqRequestDatum>;
using ResultQueue = MessageQueue<FmqResultDatum>;

template <typename Queue>
Result<std::unique_ptr<Queue>> attach(const QueueDescriptor &descriptor, uint64_t minElements) {
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<Queue> queue, Queue::attach(descriptor));
  if (queue->capacity() < minElements || queue->capacity() > kMaxQueueElements)
    return invalidArgument(fmt::format("burst: a queue of {} elements; {} to {} are allowed", queue->capacity(),
                                       minElements, kMaxQueueElements));
  return queue;
}

} // namespace

class BurstServer::Impl {
public:
  Impl(std::shared_ptr<IBurst> burst, std::unique_ptr<RequestQueue> requests, std::unique_ptr<ResultQueue> results,
       MemorySource memories, const BurstServerOptions &options, std::function<void()> onEnd)
      : requests_(std::move(requests)), results_(std::move(results)), options_(options), onEnd_(std::move(onEnd)),
        runner_(std::move(burst), std::move(memories), options.maxSlots) {}

  ~Impl() {
    close();
    if (thread_.joinable())
      thread_.join();
  }

  Outcome start() {
    try {
      thread_ = std::thread([this] { serve(); });
    } catch (const std::system_error &failure) {
      return error(ErrorStatus::ResourceExhaustedTransient, fmt::format("burst: no thread: {}", failure.what()));
    }
    return success();
  }

  void close() {
    requests_->close();
    results_->close();
  }
  bool hasEnded() const { return hasEnded_.load(std::memory_order_acquire); }
  RequestRunner &runner() { return runner_; }

private:
  void serve() {
    try {
      while (serveOne())
        ;
    } catch (const std::exception &) {
      // Out of memory for the packet: the burst ends.
    }
    hasEnded_.store(true, std::memory_order_release);
    if (onEnd_)
      onEnd_();
  }

  /// False when the burst has ended.
  bool serveOne() {
    if (!readPacket())
      return false;
    std::span<const FmqResultDatum> result = runner_.run(packet_, results_->capacity());
    return results_->write(result, options_.clientTimeout) == QueueState::Ready;
  }

  /// Waits for one element; a client writes whole packets at once, so the other elements are then in the queue.
  bool readPacket() {
    packet_.resize(1);
    if (requests_->read(packet_, Duration::max(), options_.pollingWindow) != QueueState::Ready)
      return false;
    packet_.resize(1 + requests_->availableToRead());
    return requests_->tryRead(std::span(packet_).subspan(1));
  }

  const std::unique_ptr<RequestQueue> requests_;
  const std::unique_ptr<ResultQueue> results_;
  const BurstServerOptions options_;
  const std::function<void()> onEnd_;
  RequestRunner runner_;
  std::vector<FmqRequestDatum> packet_;
  std::atomic<bool> hasEnded_{false};
  std::thread thread_;
};

BurstServer::BurstServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BurstServer::~BurstServer() = default;

Result<std::unique_ptr<BurstServer>> BurstServer::create(std::shared_ptr<IBurst> burst, const QueueDescriptor &requests,
                                                         const QueueDescriptor &results, MemorySource memories,
                                                         const BurstServerOptions &options,
                                                         std::function<void()> onEnd) {
  if (burst == nullptr || memories == nullptr)
    return invalidArgument("burst: the burst or the source of memories is null");
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<RequestQueue> requestQueue, attach<RequestQueue>(requests, 1));
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<ResultQueue> resultQueue, attach<ResultQueue>(results, kMinResultElements));
  auto impl = std::make_unique<Impl>(std::move(burst), std::move(requestQueue), std::move(resultQueue),
                                     std::move(memories), options, std::move(onEnd));
  AVOCET_RETURN_IF_ERROR(impl->start());
  return std::unique_ptr<BurstServer>(new BurstServer(std::move(impl)));
}

void BurstServer::freeMemory(int32_t slot) { impl_->runner().freeMemory(slot); }
void BurstServer::close() { impl_->close(); }
bool BurstServer::hasEnded() const { return impl_->hasEnded(); }

} // namespace avocet::hal
