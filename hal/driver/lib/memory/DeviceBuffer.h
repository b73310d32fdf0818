//===- DeviceBuffer.h - Memory that the driver allocated for roles --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands behind a token: memory on the device, what is known of its extents, and whether it holds a value. Clients
// hold an IBuffer (Allocation.h), runs hold this. No lock is held while anything is copied or runs: a run that reads
// and one that writes at the same time may see each other's numbers, and nothing else. Memory that a flexible buffer
// has outgrown lives until the last run that uses it ends.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MEMORY_DEVICEBUFFER_H
#define AVOCET_HAL_DRIVER_LIB_MEMORY_DEVICEBUFFER_H

#include "avocet/runtime/Buffer.h"
#include "client/Quota.h"
#include "memory/PoolFile.h"

#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace avocet::hal {

class ClientState;
class PreparedModel;

/// Thread-safe.
class DeviceBuffer {
public:
  /// A use that the buffer was allocated for.
  struct Role {
    uint64_t model = 0; ///< PreparedModel::id()
    bool isOutput = false;
    uint32_t index = 0;
    auto operator<=>(const Role &) const = default;
  };
  struct Uses {
    std::set<Role> roles;
    std::vector<std::weak_ptr<PreparedModel>> models; ///< all that roles name
  };

  /// `operand` is what all uses say together. Allocates at once if its size is known. GeneralFailure: its size cannot
  /// be known. The errors of the client's quotas.
  static Result<std::shared_ptr<DeviceBuffer>> create(std::shared_ptr<ClientState> client, Operand operand, Uses uses);

  bool hasRole(const Role &role) const { return uses_.roles.contains(role); }

  /// InvalidArgument: an output of these extents, as far as they are known, can never be in the buffer.
  Outcome checkOutput(const std::vector<uint32_t> &dimensions) const;

  /// The memory with a value of these extents. GeneralFailure: there is none (with `mayBePending`: and none is being
  /// written). InvalidArgument: it has other extents.
  Result<std::shared_ptr<runtime::Buffer>> read(const std::vector<uint32_t> &dimensions, bool mayBePending);

  /// Memory for a value of these extents, all known. The caller owes an endWrite(). GeneralFailure: the buffer is too
  /// small, and must not grow.
  Result<std::shared_ptr<runtime::Buffer>> beginWrite(const std::vector<uint32_t> &dimensions);
  /// Whether there is a value now.
  void endWrite(bool isSuccessful);

  ~DeviceBuffer() { unmap(); }

  /// See IBuffer.
  Outcome copyTo(const SharedMemory &memory);
  Outcome copyFrom(const SharedMemory &memory, const std::vector<uint32_t> &dimensions);

  /// Takes the memory out of the address spaces of the models that used it, as far as no run uses it.
  void unmap();

private:
  DeviceBuffer(std::shared_ptr<ClientState> client, Operand operand, Uses uses, Charge charge);
  Result<std::shared_ptr<runtime::Buffer>> allocate(uint64_t bytes);
  std::shared_ptr<runtime::Buffer> enter(const std::vector<uint32_t> &dimensions, uint64_t bytes);
  Result<std::vector<uint32_t>> dimensionsToCopy(const std::vector<uint32_t> &dimensions) const;
  void unmap(const runtime::Buffer *memory);

  const std::shared_ptr<ClientState> client_;
  const Operand operand_; ///< what was known at allocation
  const Uses uses_;
  const Charge charge_; ///< of the client's buffers

  mutable std::mutex mutex_; ///< guards the members below; not held while anything is allocated, copied or run
  std::shared_ptr<runtime::Buffer> memory_; ///< null until the size is known
  std::vector<uint32_t> dimensions_;
  bool isInitialised_ = false;
  uint32_t writers_ = 0;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MEMORY_DEVICEBUFFER_H
