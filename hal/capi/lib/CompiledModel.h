//===- CompiledModel.h - A finished compilation and its arguments ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_CAPI_LIB_COMPILEDMODEL_H
#define AVOCET_HAL_CAPI_LIB_COMPILEDMODEL_H

#include "Api.h"
#include "ModelBuilder.h"
#include "avocet/hal/types/Interfaces.h"

#include <map>
#include <mutex>

namespace avocet::hal::capi {

using SharedApiMemory = std::shared_ptr<ANeuralNetworksMemory>;

/// Live buffers of a device by their tokens. Thread-safe.
class BufferTable {
public:
  BufferToken add(const SharedApiMemory &memory);
  void remove(BufferToken token);
  /// Null: no live buffer has this token.
  SharedApiMemory find(BufferToken token) const;

private:
  mutable std::mutex mutex_;
  std::map<BufferToken, SharedApiMemory> memories_;
  uint32_t last_ = 0;
};

/// A buffer for a memory that was made from a descriptor.
std::shared_ptr<IBuffer> makeBuffer(SharedApi api, std::shared_ptr<BufferTable> table, SharedApiMemory memory);

/// What executions of a model need. Members are freed from the back.
struct CompiledModel {
  SharedApi api;
  std::shared_ptr<BufferTable> buffers; ///< of the device
  BuiltModel model;
  OwnedCompilation compilation;
  std::vector<Operand> inputs; ///< of the main subgraph
  std::vector<Operand> outputs;
};

using SharedModel = std::shared_ptr<const CompiledModel>;

/// Memories that a burst keeps, or the request's own. Null: a pool that cannot be a memory.
using SharedApiMemory = std::shared_ptr<ANeuralNetworksMemory>;
using MemoryMaker = std::function<Result<SharedApiMemory>(size_t pool, const Memory &memory)>;

/// An execution with all arguments set, and the memories that it uses.
struct BoundExecution {
  SharedModel model;
  std::vector<SharedApiMemory> memories;
  OwnedExecution execution;
};

enum class Use { Once, Reusable };

/// `makeMemory` empty: each memory is made for this execution.
Result<BoundExecution> bindRequest(const SharedModel &model, const Request &request, const ExecutionOptions &options,
                                   Use use, const MemoryMaker &makeMemory = {});

/// Shapes and times of an execution that answered `code` to `call`. Times are read if `measure` asks for them.
ExecutionOutcome outcomeOf(const BoundExecution &execution, int code, std::string_view call, MeasureTiming measure);

ExecutionOutcome failedOutcome(const Error &error);

/// Times in the driver and on the device; `isFenced`: counted from the signal of the last fence.
Result<Timing> timesOf(const BoundExecution &execution, bool isFenced);

/// The same memory for the call and for the burst that keeps it.
Result<SharedApiMemory> makeSharedMemory(const Api &api, const Memory &memory);

} // namespace avocet::hal::capi

#endif // AVOCET_HAL_CAPI_LIB_COMPILEDMODEL_H
