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
using compiler::JudgeRequest;
using compiler::ModelRequest;
using compiler::Verdict;

/// Polls the caller's function every few milliseconds. False: the caller cancelled first.
bool waitUntilCancelled(const ModelRequest &request, const FifoSemaphore::Sleep &sleep) {
  constexpr std::chrono::milliseconds kStep(5);
  bool isIn = sleep({});
  while (!isIn && !(request.cancelled && request.cancelled()))
    isIn = sleep(kStep);
  return isIn;
}

/// Memory of a compilation's first attempt: enough for nearly all networks.
uint64_t firstShare(const ModelRequest &request) {
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
    return isWhole ? ask<CompileResult>(request, urgency) : compiler::failedAnswer<CompileResult>(notAccepted(request));
  }

  Verdict judge(const JudgeRequest &request) override { return ask<Verdict>(request, Urgency::Foreground); }

  WorkerCounters counters() const override { return {compilations_, crashes_, zygote_}; }

private:
  struct Attempt {
    avocet::Status status;
    FileDescriptor worker = {}; ///< the killed worker's process if it answered
    bool hasExhaustedMemory = false;
  };

  /// A request, and what becomes of its answer.
  struct Work {
    const ModelRequest &request;
    const WorkerMessageWriter &message;
    const Exchange::Accept &accept;
  };

  static avocet::Status notAccepted(const ModelRequest &request) {
    return invalidArgument(request.modelPath + ": compile workers compile a whole model in memory");
  }

  template <typename Answer, typename Request> Answer ask(const Request &request, Urgency urgency) {
    if (request.progress || request.modelBytes.empty())
      return compiler::failedAnswer<Answer>(notAccepted(request));
    Answer answer;
    const Exchange::Accept accept = [&answer](const WorkerMessage &message) -> avocet::Status {
      AVOCET_ASSIGN_OR_RETURN(answer, readAnswer<Answer>(message));
      return avocet::Status::ok();
    };
    const WorkerMessageWriter message = requestMessage({request, urgency});
    avocet::Status status = run({request, message, accept});
    return status.isOk() ? answer : compiler::failedAnswer<Answer>(std::move(status));
  }

  avocet::Status run(const Work &work) {
    const FifoSemaphore::Place place =
        busy_.enter([&work](const FifoSemaphore::Sleep &sleep) { return waitUntilCancelled(work.request, sleep); });
    if (!place)
      return givenUp(work.request);
    if (options_.allMemoryBytes == 0)
      return runOnce(work, options_.memoryBytes).status;
    const uint64_t share = std::min(firstShare(work.request), options_.memoryBytes);
    Attempt attempt = runInShare(work, share);
    if (attempt.hasExhaustedMemory && share < options_.memoryBytes)
      attempt = runInShare(work, options_.memoryBytes);
    return std::move(attempt.status);
  }

  /// Waits until so much of the memory of all workers is free.
  Attempt runInShare(const Work &work, uint64_t bytes) {
    const FifoSemaphore::Place share =
        memory_.enter([&work](const FifoSemaphore::Sleep &sleep) { return waitUntilCancelled(work.request, sleep); },
                      mebibytes(bytes));
    return share ? runOnce(work, bytes) : Attempt{givenUp(work.request)};
  }

  Attempt runOnce(const Work &work, uint64_t bytes) {
    return work.message.size() <= MemoryBuffer::kBytes ? runInBuffers(work, bytes) : runInFile(work, bytes);
  }

  Attempt runInFile(const Work &work, uint64_t bytes) {
    avocet::Result<FileDescriptor> file = work.message.write();
    return file ? exchange({&*file, nullptr}, work, bytes) : Attempt{file.status()};
  }

  Attempt runInBuffers(const Work &work, uint64_t bytes) {
    avocet::Result<std::unique_ptr<Buffers>> taken = buffers_->take();
    if (!taken)
      return {taken.status()};
    std::unique_ptr<Buffers> buffers = std::move(*taken);
    if (avocet::Status written = buffers->writeRequest(work.message); !written.isOk()) {
      buffers_->keep(std::move(buffers), FileDescriptor());
      return {std::move(written)};
    }
    Attempt attempt = exchange({nullptr, buffers.get()}, work, bytes);
    if (attempt.worker.isValid())
      buffers_->keep(std::move(buffers), std::move(attempt.worker));
    else
      buffers_->replace();
    return attempt;
  }

  Attempt exchange(const RequestFiles &files, const Work &work, uint64_t bytes) {
    // If the zygote dies, the request may be lost before a worker has read it; then try once more.
    constexpr int kAttempts = 2;
    for (int attempt = 1;; ++attempt) {
      Exchange exchange(launcher_.control(), options_, bytes);
      avocet::Status status = exchange.run(files, work.request, work.accept);
      const bool isRepeated = exchange.hasExhaustedMemory() && bytes < options_.memoryBytes;
      if (!isRepeated)
        note(exchange);
      if (exchange.wasTaken() || !exchange.hasCrashed() || attempt == kAttempts)
        return {std::move(status), exchange.wasAnswered() ? exchange.endWorker() : FileDescriptor(),
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
