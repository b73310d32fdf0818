//===- ClientCalls.h - Every call of the C++ client -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_CLIENT_CLIENTCALLS_H
#define AVOCET_TESTS_FUZZ_CLIENT_CLIENTCALLS_H

#include "Fields.h"

#include "avocet/hal/ipc/ResilientDevice.h"

#include <atomic>

namespace avocet::fuzz {

/// Performs the calls of a ClientScript and keeps what they return for later calls.
class ClientCalls {
public:
  ClientCalls(std::string path, const Table &script);

  void call(const Table &call);
  /// Drops the device and all objects.
  void dropAll();
  /// To be called after the service has gone. Waits until each asynchronous call has called back. Aborts if one does
  /// not, or calls back twice.
  void requireCallbacks() const;

private:
  struct Arguments {
    size_t object;
    uint8_t detail;
  };
  /// The number of calls of each callback. Shared with the callbacks, which may outlive the call.
  using Callbacks = std::vector<std::shared_ptr<std::atomic<int>>>;

  template <typename T> T *pick(const std::vector<std::shared_ptr<T>> &objects, Arguments arguments) const;
  template <typename T>
  static void keep(std::vector<std::shared_ptr<T>> &objects, hal::Result<std::shared_ptr<T>> made);
  void keep(hal::Result<hal::FencedLaunch> launch);
  std::shared_ptr<std::atomic<int>> newCallback();

  void listDevices(Arguments);
  void readTotals(Arguments);
  void connect(Arguments);
  void status(Arguments);
  void getSupported(Arguments);
  void prepare(Arguments);
  void prepareAsynchronously(Arguments);
  void prepareFromCache(Arguments);
  void execute(Arguments);
  void executeAsynchronously(Arguments);
  void createExecution(Arguments);
  void compute(Arguments);
  void executeFenced(Arguments);
  void computeFenced(Arguments);
  void fencedInfo(Arguments);
  void allocate(Arguments);
  void copyTo(Arguments);
  void copyFrom(Arguments);
  void configureBurst(Arguments);
  void executeBurst(Arguments);
  void releaseMemory(Arguments);
  void drop(Arguments);

  const std::string path_;
  hal::ResilientOptions options_;
  bool isResilient_ = false;
  std::shared_ptr<hal::IDevice> device_;
  std::vector<std::shared_ptr<hal::IPreparedModel>> models_;
  std::vector<std::shared_ptr<hal::IExecution>> executions_;
  std::vector<std::shared_ptr<hal::IFencedExecution>> fenced_;
  std::vector<std::shared_ptr<hal::IBuffer>> buffers_;
  std::vector<std::shared_ptr<hal::IBurst>> bursts_;
  Callbacks callbacks_;
};

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_CLIENT_CLIENTCALLS_H
