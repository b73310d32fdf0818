//===- Diagnostics.cpp - Callbacks after compilations and executions ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "telemetry/Diagnostics.h"

#include "avocet/hal/types/Utils.h"
#include "cache/CacheFolder.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <sodium.h>

namespace avocet::nnapi {
namespace {

ANeuralNetworksDiagnosticDataClass classOf(hal::OperandType type) {
  if (type == hal::OperandType::TensorFloat32)
    return ANNDIAG_DATA_CLASS_FLOAT32;
  if (type == hal::OperandType::TensorFloat16)
    return ANNDIAG_DATA_CLASS_FLOAT16;
  return hal::isQuantized(type) ? ANNDIAG_DATA_CLASS_QUANT : ANNDIAG_DATA_CLASS_OTHER;
}

ANeuralNetworksDiagnosticDataClass classOf(const hal::Subgraph &subgraph, const std::vector<uint32_t> &indexes) {
  auto whole = ANNDIAG_DATA_CLASS_UNKNOWN;
  for (uint32_t index : indexes) {
    const ANeuralNetworksDiagnosticDataClass next = classOf(subgraph.operands[index].type);
    if (whole == ANNDIAG_DATA_CLASS_UNKNOWN || whole == ANNDIAG_DATA_CLASS_OTHER)
      whole = next;
    else if (next != whole && next != ANNDIAG_DATA_CLASS_OTHER)
      whole = ANNDIAG_DATA_CLASS_MIXED;
  }
  return whole;
}

bool isDynamic(const hal::Operand &operand) {
  return hal::findOperandType(operand.type) != nullptr && hal::isTensor(operand.type) &&
         (operand.dimensions.empty() || std::ranges::count(operand.dimensions, 0u) != 0);
}

/// Both kinds of constants are one: which one depends only on the call that gave the value.
uint64_t kindOf(const hal::Operand &operand) {
  const bool isReference = operand.lifetime == hal::OperandLifeTime::ConstantReference;
  return static_cast<uint64_t>(isReference ? hal::OperandLifeTime::ConstantCopy : operand.lifetime);
}

void addTo(ItemHash &hash, const hal::Subgraph &subgraph) {
  hash.addNumber(subgraph.operands.size());
  for (const hal::Operand &operand : subgraph.operands) {
    hash.addNumber(static_cast<uint64_t>(operand.type));
    hash.add(operand.dimensions);
    hash.addNumber(kindOf(operand));
    hash.addNumber(operand.lifetime == hal::OperandLifeTime::Subgraph ? operand.location.offset : 0);
  }
  hash.addNumber(subgraph.operations.size());
  for (const hal::Operation &operation : subgraph.operations) {
    hash.addNumber(static_cast<uint64_t>(operation.type));
    hash.add(operation.inputs);
    hash.add(operation.outputs);
  }
  hash.add(subgraph.inputIndexes);
  hash.add(subgraph.outputIndexes);
}

} // namespace

ModelFacts factsOf(const hal::Model &model) {
  ModelFacts facts;
  facts.inputs = classOf(model.main, model.main.inputIndexes);
  facts.outputs = classOf(model.main, model.main.outputIndexes);
  // Branches and bodies belong to IF and WHILE only.
  facts.usesControlFlow = !model.referenced.empty();
  ItemHash hash;
  hash.addNumber(model.relaxComputationFloat32toFloat16 ? 1 : 0);
  auto add = [&](const hal::Subgraph &subgraph) {
    addTo(hash, subgraph);
    facts.hasDynamicTensors |= std::ranges::any_of(subgraph.operands, isDynamic);
  };
  add(model.main);
  std::ranges::for_each(model.referenced, add);
  facts.architecture = hash.take();
  return facts;
}

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
