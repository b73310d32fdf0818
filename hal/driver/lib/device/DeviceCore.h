//===- DeviceCore.h - Shared state of one device ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_DEVICE_DEVICECORE_H
#define AVOCET_HAL_DRIVER_LIB_DEVICE_DEVICECORE_H

#include "avocet/cache/BlobCache.h"
#include "avocet/cache/TokenStore.h"
#include "avocet/hal/driver/Driver.h"
#include "avocet/runtime/Device.h"
#include "client/FairSemaphore.h"
#include "client/Quota.h"
#include "device/BackgroundWork.h"
#include "device/Counters.h"
#include "device/IdleWatch.h"
#include "device/JobTrace.h"
#include "execution/Deadline.h"
#include "fence/FenceWatch.h"
#include "fence/FencedRegistry.h"
#include "model/CompiledModel.h"

#include <atomic>
#include <memory>

namespace avocet::hal {

/// The open device of the runtime, the compiler, and the options. Its clients keep it alive. Thread-safe.
class DeviceCore {
public:
  static Result<std::shared_ptr<DeviceCore>> open(const DriverOptions &options);

  const DriverOptions &options() const { return options_; }
  const std::shared_ptr<runtime::Device> &device() const { return device_; }
  const firmware::Target &target() const { return device_->target(); }
  /// Changes with every input that changes artefacts.
  const std::string &versionString() const { return version_; }
  /// Null: no compilation caching, no cache of the driver's own, no answers about support are kept.
  cache::TokenStore *tokens() { return tokens_.get(); }
  const std::shared_ptr<cache::TokenStore> &sharedTokens() const { return tokens_; }
  cache::BlobCache *blobs() { return blobs_.get(); }
  cache::BlobCache *supportAnswers() { return supportAnswers_.get(); }
  CompilerGate &compiler() { return *compiler_; }
  const std::shared_ptr<CompilerGate> &sharedCompiler() const { return compiler_; }
  Levels levels() const { return {options_.staged ? 0 : options_.optimize, options_.optimize}; }
  BackgroundWork &background() { return background_; }
  IdleWatch &idle() { return idle_; }
  const DeadlineClock &clock() const { return clock_; }
  FenceWatch &fences() { return fences_; }
  Counters &counters() { return counters_; }
  FencedRegistry &fenced() { return fenced_; }
  /// Null: the device's commands are not traced.
  JobTrace *trace() const { return trace_.get(); }
  /// Limits of all clients together: contexts of the device, one for each prepared model, and fences in fences().
  const std::shared_ptr<Quota> &contexts() const { return contexts_; }
  const std::shared_ptr<Quota> &awaitedFences() const { return awaitedFences_; }
  /// Decides which client's compilation is next.
  FairSemaphore &compileTurns() { return compileTurns_; }
  /// A number for each client; never 0.
  uint32_t nextOwner() { return owners_.fetch_add(1, std::memory_order_relaxed) + 1; }

private:
  DeviceCore(const DriverOptions &options, std::shared_ptr<runtime::Device> device, std::shared_ptr<JobTrace> trace);
  avocet::Status openCaches();

  const DriverOptions options_;
  const std::shared_ptr<JobTrace> trace_; ///< the back end holds it as well
  const std::shared_ptr<runtime::Device> device_;
  const std::string version_;
  std::shared_ptr<cache::TokenStore> tokens_;
  std::shared_ptr<cache::BlobCache> blobs_, supportAnswers_;
  const DeadlineClock clock_;
  const std::shared_ptr<CompilerGate> compiler_;
  IdleWatch idle_;
  FencedRegistry fenced_;
  FenceWatch fences_;
  const std::shared_ptr<Quota> contexts_, awaitedFences_;
  FairSemaphore compileTurns_;
  Counters counters_;
  std::atomic<uint32_t> owners_{0};
  BackgroundWork background_; ///< last: its tasks use the other members
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_DEVICE_DEVICECORE_H
