//===- CompileWorkers.cpp - Compiles models in other processes -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/CompileWorkers.h"

#include "Exchange.h"
#include "Launch.h"
#include "Line.h"
#include "Messages.h"

#include <atomic>
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

class Workers final : public CompileWorkers {
public:
  Workers(const WorkerOptions &options, Launcher launcher)
      : options_(options), line_(options.busyWorkers), launcher_(std::move(launcher)) {}

  CompileResult compile(const CompileRequest &request) override {
    if (!request.stopAfter.empty() || !request.startAt.empty() || request.progress || request.modelBytes.empty())
      return failed(invalidArgument(request.modelPath + ": compile workers compile a whole model in memory"));
    const Line::Place place = line_.enter(request.cancelled);
    if (!place)
      return failed(givenUp(request));
    avocet::Result<FileDescriptor> parcel = writeRequest(request);
    if (!parcel)
      return failed(parcel.status());
    // A zygote that died may have taken the request with it, before a worker looked at it.
    constexpr int kAttempts = 2;
    for (int attempt = 1;; ++attempt) {
      Exchange exchange(launcher_.control(), options_);
      CompileResult result = exchange.run(*parcel, request);
      note(exchange);
      if (exchange.wasTaken() || !exchange.hasCrashed() || attempt == kAttempts)
        return result;
    }
  }

  WorkerCounters counters() const override { return {compilations_, crashes_, zygote_}; }

private:
  void note(const Exchange &exchange) {
    compilations_ += exchange.wasAnswered();
    crashes_ += exchange.wasTaken() && exchange.hasCrashed();
    uint32_t last = zygote_;
    while (exchange.zygote() > last && !zygote_.compare_exchange_weak(last, exchange.zygote()))
      ;
  }

  const WorkerOptions options_;
  Line line_;
  const Launcher launcher_;
  std::atomic<uint64_t> compilations_{0}, crashes_{0};
  std::atomic<uint32_t> zygote_{0}; ///< highest number seen; the first is 0
};

} // namespace

avocet::Result<std::shared_ptr<CompileWorkers>> CompileWorkers::start(const WorkerOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(Launcher launcher, Launcher::start(options));
  return std::shared_ptr<CompileWorkers>(std::make_shared<Workers>(options, std::move(launcher)));
}

} // namespace avocet::hal
