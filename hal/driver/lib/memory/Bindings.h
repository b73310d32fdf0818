//===- Bindings.h - Binds a request's memory to a job -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs and outputs are bound to the memory that the request names: the client's own pages, or a buffer that the
// driver allocated. Only omitted outputs, and memory that the device cannot reach (ModelMemory::map()), use memory of
// the job.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MEMORY_BINDINGS_H
#define AVOCET_HAL_DRIVER_LIB_MEMORY_BINDINGS_H

#include "execution/RequestView.h"
#include "memory/ModelMemory.h"

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace avocet::hal {

/// Mapped pools of one request, by number, kept by its owner from run to run. Null: not looked up yet, or to be staged.
using PinnedPools = std::vector<std::shared_ptr<const MappedPool>>;

/// The bindings of one run. One thread at a time; memory and view must outlive it.
class Bindings {
public:
  /// With `pinned` (one entry for each pool of the view; must outlive this object), pools are looked up only in the
  /// first run.
  Bindings(ClientState &client, ModelMemory &memory, const RequestView &view, PinnedPools *pinned);
  ~Bindings() { abandon(); }
  Bindings(const Bindings &) = delete;
  Bindings &operator=(const Bindings &) = delete;

  /// `mayBePending`: also accepts driver buffers that a run in flight will write.
  Outcome bindInputs(JobSlot &slot, const Program &program, bool mayBePending);
  /// `shapes`: of the outputs, all known except extents of Program::rows(). Those outputs, the numbers of their rows,
  /// and outputs that are not sufficient use memory of the job.
  Outcome bindOutputs(JobSlot &slot, const Program &program, const std::vector<OutputShape> &shapes);

  /// Copies the inputs that could not be bound, before the run. copiesInputs(): whether there are any.
  Outcome readInputs(JobSlot &slot) const;
  bool copiesInputs() const { return !staged_.empty(); }
  /// Whether finish() copies outputs; otherwise they are in place when the run ends.
  bool copiesOutputs() const { return copiesOutputs_; }

  /// After a successful run: copies staged outputs to their pools and marks buffers as initialized. `shapes`: of the
  /// outputs, all known and sufficient.
  Outcome finish(const JobSlot &slot, const Program &program, const std::vector<OutputShape> &shapes);

  /// Without a successful finish(): marks buffers that were bound as outputs as uninitialized.
  void abandon() { settle(false); }

private:
  /// Device memory for [offset, offset + bytes) of a pool; no mapping: it has to be staged.
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
  Outcome stageRows(JobSlot &slot, size_t index, const OutputShape &shape);
  Result<std::shared_ptr<runtime::Buffer>> beginWrite(DeviceBuffer &buffer, const std::vector<uint32_t> &dimensions);
  Outcome copyOutput(size_t index, std::span<const uint8_t> bytes, const OutputShape &shape);
  Result<std::shared_ptr<const MappedPool>> lookUp(const PoolFile &file, uint32_t index);
  Outcome checkPools();
  void count(bool isNew);
  void settle(bool isSuccessful);

  /// One pool of the request, looked up once.
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
  std::vector<Pool> pools_;                                  ///< by pool of the request
  std::map<size_t, std::shared_ptr<runtime::Buffer>> begun_; ///< buffers of staged outputs, by output
  std::vector<DeviceBuffer *> written_;                      ///< buffers that need an endWrite(); the view holds them
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MEMORY_BINDINGS_H
