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
#include "avocet/base/FifoSemaphore.h"

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

class Workers final : public CompileWorkers {
public:
  Workers(const WorkerOptions &options, std::unique_ptr<BufferPool> buffers, Launcher launcher)
      : options_(options), busy_(options.busyWorkers), buffers_(std::move(buffers)), launcher_(std::move(launcher)) {}

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
    return message.size() <= MemoryBuffer::kBytes ? compileInBuffers(message, request)
                                                  : compileInFile(message, request);
  }

  WorkerCounters counters() const override { return {compilations_, crashes_, zygote_}; }

private:
  CompileResult compileInFile(const WorkerMessageWriter &message, const CompileRequest &request) {
    avocet::Result<FileDescriptor> file = message.write();
    return file ? exchange({&*file, nullptr}, request).first : failed(file.status());
  }

  CompileResult compileInBuffers(const WorkerMessageWriter &message, const CompileRequest &request) {
    avocet::Result<std::unique_ptr<Buffers>> taken = buffers_->take();
    if (!taken)
      return failed(taken.status());
    std::unique_ptr<Buffers> buffers = std::move(*taken);
    if (avocet::Status written = buffers->writeRequest(message); !written.isOk()) {
      buffers_->keep(std::move(buffers), FileDescriptor());
      return failed(std::move(written));
    }
    auto [result, worker] = exchange({nullptr, buffers.get()}, request);
    if (worker.isValid())
      buffers_->keep(std::move(buffers), std::move(worker));
    else
      buffers_->replace();
    return std::move(result);
  }

  /// Also returns the killed worker's process if it answered.
  std::pair<CompileResult, FileDescriptor> exchange(const RequestFiles &files, const CompileRequest &request) {
    // If the zygote dies, the request may be lost before a worker has read it; then try once more.
    constexpr int kAttempts = 2;
    for (int attempt = 1;; ++attempt) {
      Exchange exchange(launcher_.control(), options_);
      CompileResult result = exchange.run(files, request);
      note(exchange);
      if (exchange.wasTaken() || !exchange.hasCrashed() || attempt == kAttempts)
        return {std::move(result), exchange.wasAnswered() ? exchange.endWorker() : FileDescriptor()};
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
  FifoSemaphore busy_; ///< a place for each worker that may be busy
  const std::unique_ptr<BufferPool> buffers_;
  const Launcher launcher_;
  std::atomic<uint64_t> compilations_{0}, crashes_{0};
  std::atomic<uint32_t> zygote_{0}; ///< highest number seen; the first is 0
};

} // namespace

avocet::Result<std::shared_ptr<CompileWorkers>> CompileWorkers::start(const WorkerOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<BufferPool> buffers, BufferPool::create());
  AVOCET_ASSIGN_OR_RETURN(Launcher launcher, Launcher::start(options));
  return std::shared_ptr<CompileWorkers>(std::make_shared<Workers>(options, std::move(buffers), std::move(launcher)));
}

} // namespace avocet::hal
