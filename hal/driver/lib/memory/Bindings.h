//===- Bindings.h - A request's memory as a job sees it ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs and outputs are bound to the memory that the request names: the client's own pages, or a buffer that the
// driver allocated. Only what the device cannot reach goes through memory of the job's: see ModelMemory::map(), and
// omitted outputs.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MEMORY_BINDINGS_H
#define AVOCET_HAL_DRIVER_LIB_MEMORY_BINDINGS_H

#include "execution/RequestView.h"
#include "memory/ModelMemory.h"

#include <memory>
#include <optional>
#include <vector>

namespace avocet::hal {

/// Of one run. One thread at a time; memory and view outlive it.
/// Mapped pools of one request, by number, that whoever runs it over and over keeps from run to run. Null: not looked
/// up yet, or to be staged.
using PinnedPools = std::vector<std::shared_ptr<const MappedPool>>;

class Bindings {
public:
  /// With `pinned` (as many entries as the view has pools; outlives this object) pools are looked up in the first run
  /// only.
  Bindings(ClientState &client, ModelMemory &memory, const RequestView &view, PinnedPools *pinned);
  ~Bindings() { abandon(); }
  Bindings(const Bindings &) = delete;
  Bindings &operator=(const Bindings &) = delete;

  /// `mayBePending`: buffers of the driver's are enough that some run in flight is going to write.
  Outcome bindInputs(JobSlot &slot, const Program &program, bool mayBePending);
  /// `shapes`: of the outputs, all known.
  Outcome bindOutputs(JobSlot &slot, const Program &program, const std::vector<OutputShape> &shapes);

  /// Copies the inputs that could not be bound, in front of the run; and whether there are any.
  Outcome readInputs(JobSlot &slot) const;
  bool copiesInputs() const { return !staged_.empty(); }
  /// Whether finish() copies outputs; otherwise they are where they belong when the run ends.
  bool copiesOutputs() const { return copiesOutputs_; }

  /// Behind a run that was successful: what was staged goes to its pool, and buffers hold values.
  Outcome finish(const JobSlot &slot);

  /// Instead of a finish() that succeeds: buffers that were bound as outputs hold no value.
  void abandon() { settle(false); }

private:
  /// Memory of the device for [offset, offset + bytes) of a pool; no mapping: it has to be staged.
  struct Target {
    std::shared_ptr<runtime::BufferMapping> mapping;
    uint64_t offset = 0;
  };
  Result<Target> targetIn(const PoolFile &file, const DataLocation &location, uint64_t bytes, int32_t protection);
  Result<Target> targetIn(const std::shared_ptr<runtime::Buffer> &buffer);
  Result<Target> inputTarget(size_t index, uint64_t bytes, bool mayBePending);
  Result<Target> outputTarget(size_t index, uint64_t bytes, const OutputShape &shape);
  Outcome bindInput(JobSlot &slot, size_t number, size_t index, bool mayBePending, uint64_t bytes);
  Outcome bindOutput(JobSlot &slot, size_t index, const OutputShape &shape, uint64_t bytes);
  Result<std::shared_ptr<const MappedPool>> lookUp(const PoolFile &file, uint32_t index);
  Outcome checkPools();
  void count(bool isNew);
  void settle(bool isSuccessful);

  /// Of one pool of the request, looked up once.
  struct Pool {
    bool isKnown = false;
    std::shared_ptr<const MappedPool> mapped; ///< null: to be staged
  };

  ClientState &client_;
  ModelMemory &memory_;
  const RequestView &view_;
  PinnedPools *const pinned_; ///< null: none
  struct StagedInput {
    size_t index;  ///< of the request
    size_t number; ///< of the program
  };
  std::vector<StagedInput> staged_;
  bool copiesOutputs_ = false;
  std::vector<Pool> pools_;             ///< by pool of the request
  std::vector<DeviceBuffer *> written_; ///< that owe an endWrite(); the view holds them
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MEMORY_BINDINGS_H
