//===- DeviceCore.cpp - Shared state of one device --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "device/DeviceCore.h"

#include "avocet/base/TrustedFolder.h"
#include "avocet/runtime/LinkedBackends.h"
#include "device/HalResult.h"
#include "model/Compilers.h"
#include "model/SupportAnswers.h"

#include <fmt/core.h>
#include <thread>

/// Generated; changes with every source that artefacts depend on.
extern const char avocetArtefactBuild[]; // NOLINT(readability-identifier-naming): the generator gives the name

namespace avocet::hal {
namespace {

std::shared_ptr<Quota> contextsOf(const runtime::Device &device) {
  const uint32_t limit = device.properties().contexts;
  return std::make_shared<Quota>("contexts of the device", limit == 0 ? UINT64_MAX : limit);
}

std::shared_ptr<CompilerGate> compilerFor(const DriverOptions &options) {
  if (options.compileWorkers != nullptr)
    return std::make_shared<WorkerCompiler>(options.compileWorkers, options.target);
  return std::make_shared<LocalCompiler>(options.compilerLibrary, options.target, options.inspect);
}

using ProfileSink = std::function<void(const firmware::JobProfile &)>;

ProfileSink profileSinkOf(const DriverOptions &options, std::shared_ptr<JobTrace> trace) {
  if (trace == nullptr)
    return options.profileSink;
  return [callersSink = options.profileSink, trace = std::move(trace)](const firmware::JobProfile &profile) {
    trace->add(profile);
    if (callersSink)
      callersSink(profile);
  };
}

} // namespace

std::shared_ptr<Quota> makeMemoryLimit(uint64_t bytes, uint32_t clients) {
  const uint64_t share = clients == 0 ? 0 : bytes / 2 / clients;
  return std::make_shared<Quota>("bytes of memory", bytes - share * clients, nullptr, share);
}

DeviceCore::DeviceCore(const DriverOptions &options, std::shared_ptr<runtime::Device> device,
                       std::shared_ptr<JobTrace> trace)
    : options_(options), trace_(std::move(trace)), device_(std::move(device)),
      version_(fmt::format("avocet-{}-{}-{:016x}", AVOCET_VERSION, avocetArtefactBuild, target().fingerprint())),
      clock_(options.clock), compiler_(compilerFor(options)), idle_(options.idleTimeout, options.clock),
      fences_(clock_), contexts_(contextsOf(*device_)),
      awaitedFences_(std::make_shared<Quota>("fences to wait for", FenceWatch::kMaxFences)),
      compileTurns_(std::thread::hardware_concurrency()), background_(options_.compileWorkers == nullptr) {
  device_->power().setClock([clock = DeadlineClock(options.clock)] { return clock.now().time_since_epoch(); });
}

avocet::Status DeviceCore::openCaches() {
  const std::string &directory = options_.cacheDirectory;
  if (directory.empty())
    return avocet::Status::ok();
  AVOCET_RETURN_IF_ERROR(TrustedFolder::open(directory, TrustedFolder::Missing::Create).status());
  AVOCET_ASSIGN_OR_RETURN(tokens_, cache::TokenStore::open(directory + "/tokens", version_));
  AVOCET_ASSIGN_OR_RETURN(supportAnswers_,
                          cache::BlobCache::open(directory + "/support", kSupportAnswerBytes, version_));
  if (options_.blobCacheBytes != 0) {
    AVOCET_ASSIGN_OR_RETURN(blobs_, cache::BlobCache::open(directory + "/blobs", options_.blobCacheBytes, version_));
  }
  return avocet::Status::ok();
}

static Outcome checkLevel(const DriverOptions &options) {
  const uint32_t most = options.compileWorkers ? compiler::kDefaultOptimize : compiler::kMostOptimize;
  if (options.optimize <= most)
    return success();
  return invalidArgument(fmt::format("driver: level {} of the compiler was asked for, the highest is {}{}",
                                     options.optimize, most,
                                     options.compileWorkers ? " with compile workers, which have no simulator" : ""));
}

Result<std::shared_ptr<DeviceCore>> DeviceCore::open(const DriverOptions &options) {
  AVOCET_RETURN_IF_ERROR(checkLevel(options));
  runtime::registerLinkedBackends();
  runtime::BackendOptions backend;
  backend.timing = options.timing;
  backend.threads = options.threads;
  backend.counters = options.timing; // nothing but profiles contains them
  auto trace = options.trace ? std::make_shared<JobTrace>() : nullptr;
  backend.trace = options.trace;
  backend.profileSink = profileSinkOf(options, trace);
  AVOCET_ASSIGN_OR_RETURN(backend.target, toHalResult(firmware::Target::load(options.target)));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Device> device,
                          toHalResult(runtime::Device::open(options.backend, backend)));
  std::shared_ptr<DeviceCore> core(new DeviceCore(options, std::move(device), std::move(trace)));
  AVOCET_RETURN_IF_ERROR(toHalResult(core->openCaches()));
  return core;
}

} // namespace avocet::hal
