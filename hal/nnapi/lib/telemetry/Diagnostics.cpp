//===- Diagnostics.cpp ----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "telemetry/Diagnostics.h"

#include <sodium.h>

#include <atomic>
#include <mutex>

namespace avocet::nnapi {
namespace {

struct Callbacks {
  ANeuralNetworksDiagnosticCompilationFinishedCallback compilation = nullptr;
  ANeuralNetworksDiagnosticExecutionFinishedCallback execution = nullptr;
  void *context = nullptr;
};

std::atomic<bool> areThere{false};

/// The mutex and the callbacks that it guards. Never destroyed: threads may run when the process ends.
struct Registry {
  std::mutex mutex;
  Callbacks callbacks;
};

Registry &registry() {
  static auto *const kOnly = new Registry;
  return *kOnly;
}

/// A copy: a callback may register others, and may take long.
Callbacks current() {
  std::lock_guard lock(registry().mutex);
  return registry().callbacks;
}

} // namespace

namespace diagnostics {

void setCallbacks(ANeuralNetworksDiagnosticCompilationFinishedCallback compilation,
                  ANeuralNetworksDiagnosticExecutionFinishedCallback execution, void *context) {
  std::lock_guard lock(registry().mutex);
  registry().callbacks = {compilation, execution, context};
  areThere = compilation != nullptr || execution != nullptr;
}

bool isEnabled() { return areThere.load(std::memory_order_relaxed); }

void report(const ANeuralNetworksDiagnosticCompilationInfo &info) {
  if (const Callbacks callbacks = current(); callbacks.compilation != nullptr)
    callbacks.compilation(callbacks.context, &info);
}

void report(const ANeuralNetworksDiagnosticExecutionInfo &info) {
  if (const Callbacks callbacks = current(); callbacks.execution != nullptr)
    callbacks.execution(callbacks.context, &info);
}

int32_t sessionId() {
  static const auto kId = static_cast<int32_t>(randombytes_random() >> 1);
  return kId;
}

} // namespace diagnostics

uint64_t DiagnosticTimer::nanoseconds() const {
  if (!start_.has_value())
    return UINT64_MAX;
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - *start_).count());
}

} // namespace avocet::nnapi
