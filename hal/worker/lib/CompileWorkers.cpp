//===- CompileWorkers.cpp - Compiles models in separate processes -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/worker/CompileWorkers.h"

#include "Buffers.h"
#include "Exchange.h"
#include "Launch.h"
#include "Messages.h"
#include "Packet.h"
#include "avocet/base/FifoSemaphore.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fmt/core.h>

namespace avocet::hal {
namespace {

using compiler::CompileRequest;
using compiler::CompileResult;

CompileResult failed(avocet::Status status) {
  CompileResult result;
  result.status = std::move(status);
  return result;
}

/// Polls the caller's function every few milliseconds. False: the caller cancelled first.
bool waitUntilCancelled(const CompileRequest &request, const FifoSemaphore::Sleep &sleep) {
  constexpr std::chrono::milliseconds kStep(5);
  bool isIn = sleep({});
  while (!isIn && !(request.cancelled && request.cancelled()))
    isIn = sleep(kStep);
  return isIn;
}

/// Memory of a compilation's first attempt: enough for nearly all networks.
uint64_t firstShare(const CompileRequest &request) {
  constexpr uint64_t kLeast = uint64_t{1} << 30, kForEachByte = 16;
  uint64_t bytes = request.modelBytes.size();
  for (const auto &pool : request.pools)
    bytes += pool.size();
  return kLeast + kForEachByte * bytes;
}

class Workers final : public CompileWorkers {
public:
  Workers(const WorkerOptions &options, std::unique_ptr<BufferPool> buffers, Launcher launcher)
      : options_(options), busy_(options.busyWorkers), memory_(mebibytes(options.allMemoryBytes)),
        buffers_(std::move(buffers)), launcher_(std::move(launcher)) {}

  CompileResult compile(const CompileRequest &request, Urgency urgency) override {
    const bool isWhole =
        request.stopAfter.empty() ? request.startAt.empty() : request.stopAfter == compiler::kParseStep;
    if (!isWhole || request.progress || request.modelBytes.empty())
      return failed(invalidArgument(request.modelPath + ": compile workers compile a whole model in memory"));
    const FifoSemaphore::Place place =
        busy_.enter([&request](const FifoSemaphore::Sleep &sleep) { return waitUntilCancelled(request, sleep); });
    if (!place)
      return failed(givenUp(request));
    const WorkerMessageWriter message = requestMessage(request, urgency);
    if (options_.allMemoryBytes == 0)
      return compileOnce(message, request, options_.memoryBytes).result;
    const uint64_t share = std::min(firstShare(request), options_.memoryBytes);
    Attempt attempt = compileInShare(message, request, share);
    if (attempt.hasExhaustedMemory && share < options_.memoryBytes)
      attempt = compileInShare(message, request, options_.memoryBytes);
    return std::move(attempt.result);
  }

  WorkerCounters counters() const override { return {compilations_, crashes_, zygote_}; }

private:
  struct Attempt {
    CompileResult result;
    FileDescriptor worker = {}; ///< the killed worker's process if it answered
    bool hasExhaustedMemory = false;
  };

  /// Waits until so much of the memory of all workers is free.
  Attempt compileInShare(const WorkerMessageWriter &message, const CompileRequest &request, uint64_t bytes) {
    const FifoSemaphore::Place share = memory_.enter(
        [&request](const FifoSemaphore::Sleep &sleep) { return waitUntilCancelled(request, sleep); }, mebibytes(bytes));
    return share ? compileOnce(message, request, bytes) : Attempt{failed(givenUp(request))};
  }

  Attempt compileOnce(const WorkerMessageWriter &message, const CompileRequest &request, uint64_t bytes) {
    return message.size() <= MemoryBuffer::kBytes ? compileInBuffers(message, request, bytes)
                                                  : compileInFile(message, request, bytes);
  }

  Attempt compileInFile(const WorkerMessageWriter &message, const CompileRequest &request, uint64_t bytes) {
    avocet::Result<FileDescriptor> file = message.write();
    return file ? exchange({&*file, nullptr}, request, bytes) : Attempt{failed(file.status())};
  }

  Attempt compileInBuffers(const WorkerMessageWriter &message, const CompileRequest &request, uint64_t bytes) {
    avocet::Result<std::unique_ptr<Buffers>> taken = buffers_->take();
    if (!taken)
      return {failed(taken.status())};
    std::unique_ptr<Buffers> buffers = std::move(*taken);
    if (avocet::Status written = buffers->writeRequest(message); !written.isOk()) {
      buffers_->keep(std::move(buffers), FileDescriptor());
      return {failed(std::move(written))};
    }
    Attempt attempt = exchange({nullptr, buffers.get()}, request, bytes);
    if (attempt.worker.isValid())
      buffers_->keep(std::move(buffers), std::move(attempt.worker));
    else
      buffers_->replace();
    return attempt;
  }

  Attempt exchange(const RequestFiles &files, const CompileRequest &request, uint64_t bytes) {
    // If the zygote dies, the request may be lost before a worker has read it; then try once more.
    constexpr int kAttempts = 2;
    for (int attempt = 1;; ++attempt) {
      Exchange exchange(launcher_.control(), options_, bytes);
      CompileResult result = exchange.run(files, request);
      const bool isRepeated = exchange.hasExhaustedMemory() && bytes < options_.memoryBytes;
      if (!isRepeated)
        note(exchange);
      if (exchange.wasTaken() || !exchange.hasCrashed() || attempt == kAttempts)
        return {std::move(result), exchange.wasAnswered() ? exchange.endWorker() : FileDescriptor(),
                exchange.hasExhaustedMemory()};
    }
  }

  void note(const Exchange &exchange) {
    compilations_ += exchange.wasAnswered();
    crashes_ += exchange.wasTaken() && exchange.hasCrashed();
    uint32_t last = zygote_;
    while (exchange.zygote() > last && !zygote_.compare_exchange_weak(last, exchange.zygote()))
      ;
  }

  const WorkerOptions options_;
  FifoSemaphore busy_;   ///< a place for each worker that may be busy
  FifoSemaphore memory_; ///< a place for each MiB of all workers; unused without such a limit
  const std::unique_ptr<BufferPool> buffers_;
  const Launcher launcher_;
  std::atomic<uint64_t> compilations_{0}, crashes_{0};
  std::atomic<uint32_t> zygote_{0}; ///< highest number seen; the first is 0
};

} // namespace

avocet::Result<std::shared_ptr<CompileWorkers>> CompileWorkers::start(const WorkerOptions &wanted) {
  WorkerOptions options = wanted;
  if (options.allMemoryBytes != 0)
    options.memoryBytes = std::min(options.memoryBytes, options.allMemoryBytes);
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<BufferPool> buffers, BufferPool::create());
  AVOCET_ASSIGN_OR_RETURN(Launcher launcher, Launcher::start(options));
  return std::shared_ptr<CompileWorkers>(std::make_shared<Workers>(options, std::move(buffers), std::move(launcher)));
}

} // namespace avocet::hal
