//===- Client.h - One client of the device ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_CLIENT_CLIENT_H
#define AVOCET_HAL_DRIVER_LIB_CLIENT_CLIENT_H

#include "avocet/base/WorkerPool.h"
#include "client/FairSemaphore.h"
#include "client/Quota.h"
#include "device/DeviceCore.h"
#include "memory/DeviceBuffer.h"

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stop_token>
#include <vector>

namespace avocet::hal {

/// State shared by the objects of one client only: its quotas, its turns at the compiler, and its threads for
/// asynchronous calls. Every object made by the client's device keeps it alive. Thread-safe.
class ClientState {
public:
  ClientState(std::shared_ptr<DeviceCore> core, const ClientOptions &options);

  DeviceCore &core() const { return *core_; }
  const std::string &name() const { return name_; }
  /// Identifies the client's jobs to the device's scheduler.
  uint32_t owner() const { return owner_; }

  /// Quotas of ClientQuotas. A caller keeps the charge as long as the charged resource.
  const std::shared_ptr<Quota> &memory() const { return memory_; }
  const std::shared_ptr<Quota> &buffers() const { return buffers_; }
  const std::shared_ptr<Quota> &preparedModels() const { return preparedModels_; }
  const std::shared_ptr<Quota> &executions() const { return executions_; }
  const std::shared_ptr<Quota> &awaitedFences() const { return awaitedFences_; }
  /// Shared while a better program replaces that of a model and is written. The device waits for it at its end.
  const std::shared_ptr<std::shared_mutex> &replacements() const { return replacements_; }
  /// Registers an object that may keep memory for its next use. It is trimmed when the quota runs out and when the
  /// memory is idle.
  void add(const std::weak_ptr<TrimHandle> &object);

  /// Adds the client's current use.
  void addTo(DriverCounters &counters) const;

  /// A number for each prepared model of the client; never 0.
  uint64_t nextModel();

  uint64_t cacheBytes() const { return cacheBytes_; }

  /// See ClientDevice::abandon(). `whenGone()`: stop token that ends waits and work.
  void abandon();
  std::stop_token whenGone() const { return gone_.get_token(); }
  /// The limit of a call of this client with this deadline.
  CallLimit limit(const OptionalTimePoint &deadline) const { return {core_->clock(), deadline, whenGone()}; }
  /// DeviceUnavailable once the client is gone.
  Outcome checkPresence() const;

  /// Waits until fenced executions are settled whose sync_files have signaled: a client that sees such a fence may use
  /// what the execution used. For calls of the client, on threads other than fencedWork().
  void awaitSettled() const;

  BufferTable &bufferTable() { return bufferTable_; }
  CompilerTurns &compilations() { return compilations_; }
  WorkerPool &workers() { return workers_; }
  /// A thread for the host's work of fenced executions: compiling, copying, releasing. Not one of workers(), which may
  /// wait for queue places held by such executions. If it blocks, only this client waits.
  WorkerPool &fencedWork() { return fencedWork_; }

private:
  void reclaim();

  const std::shared_ptr<DeviceCore> core_;
  const std::string name_;
  const uint32_t owner_;
  const std::shared_ptr<Quota> memory_, buffers_, preparedModels_, executions_, awaitedFences_;
  const std::shared_ptr<std::shared_mutex> replacements_ = std::make_shared<std::shared_mutex>();
  const uint64_t cacheBytes_;
  std::stop_source gone_;
  BufferTable bufferTable_;
  std::mutex mutex_; ///< guards the members below; not held while an object is called
  std::vector<std::weak_ptr<TrimHandle>> objects_;
  uint64_t lastModel_ = 0;
  CompilerTurns compilations_;
  WorkerPool fencedWork_; ///< has no more tasks than there are fenced executions
  WorkerPool workers_;    ///< these two last: their tasks use the other members
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_CLIENT_CLIENT_H
