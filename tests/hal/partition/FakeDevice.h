//===- FakeDevice.h - A device as the test wants it -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes ADD, MUL and RELU of float tensors, and LESS of one element, in plain loops. Everything else is decided by
// the test: what it supports, what it costs, and when it fails. It refuses a model that breaks a rule of the HAL.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_PARTITION_FAKEDEVICE_H
#define AVOCET_TESTS_HAL_PARTITION_FAKEDEVICE_H

#include "avocet/hal/types/DescribedDevice.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace avocet::hal::test {

class FakeDevice final : public DescribedDevice {
public:
  FakeDevice(const std::string &name, std::set<OperationType> operations, float cost = 0.5F,
             DeviceType type = DeviceType::Accelerator);

  // Set before use.
  std::set<OperationType> operations;
  ErrorStatus prepareError = ErrorStatus::None;
  bool hasCache = false;
  std::atomic<ErrorStatus> executeError = ErrorStatus::None; ///< of all executions
  std::atomic<int> failures = -1;                            ///< how many executions get it; negative: all
  bool hasMemory = false;                                    ///< whether it allocates buffers
  std::atomic<DeviceStatus> state = DeviceStatus::Available;
  MemoryPreference memory;
  Capabilities figures;
  std::chrono::milliseconds delay{0};           ///< of each execution
  Timing timing = {Duration(10), Duration(25)}; ///< that it measures

  // What happened.
  std::atomic<int> supportQueries = 0;
  std::atomic<int> preparations = 0;
  std::atomic<int> cachedPreparations = 0;
  std::atomic<int> executions = 0;
  std::atomic<int> burstExecutions = 0;
  std::atomic<int> buffers = 0;
  mutable std::atomic<int> statusQueries = 0;
  PrepareOptions lastOptions;
  Request lastRequest;
  std::vector<int64_t> released; ///< identifiers, by all bursts
  std::vector<Model> models;     ///< all that were prepared
  std::vector<size_t> executed;  ///< number of operations of each model that was executed

  const Capabilities &capabilities() const override { return figures; }
  NumberOfCacheFiles numberOfCacheFilesNeeded() const override { return {hasCache ? 1U : 0U, 0}; }
  MemoryPreference memoryPreference() const override { return memory; }
  DeviceStatus status() const override;
  Result<SupportedOperations> getSupportedOperations(const Model &model) const override;
  Result<std::shared_ptr<IPreparedModel>> prepareModel(const Model &model, const PrepareOptions &options) override;
  ErrorStatus prepareModelAsynchronously(const Model &model, const PrepareOptions &options,
                                         PreparedModelCallback callback) override;
  Result<std::shared_ptr<IPreparedModel>> prepareModelFromCache(const OptionalTimePoint &deadline,
                                                                const CacheFiles &cache) override;
  Result<std::shared_ptr<IBuffer>> allocate(const std::vector<uint32_t> &dimensions,
                                            const std::vector<BufferRole> &inputRoles,
                                            const std::vector<BufferRole> &outputRoles) override;

  /// The memory of a buffer; null: the device has none of this token.
  SharedMemory memoryOf(BufferToken token);
  void noteExecution(size_t numOperations, const Request &request);
  void noteRelease(int64_t identifier);

private:
  std::mutex mutex_;                   ///< guards memories_ and, during calls, what happened
  std::vector<SharedMemory> memories_; ///< of buffers, by token - 1
};

} // namespace avocet::hal::test

#endif // AVOCET_TESTS_HAL_PARTITION_FAKEDEVICE_H
