//===- DeviceBuffer.h - Memory that the driver allocated for roles ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The buffer of a token: memory on the device, its known extents, and whether it holds a value. Clients hold an IBuffer
// (Allocation.h), runs hold this. No lock is held during copies and runs: simultaneous runs that read and write it may
// see each other's values, but no other memory. Memory that a flexible buffer has outgrown lives until the end of the
// last run that uses it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MEMORY_DEVICEBUFFER_H
#define AVOCET_HAL_DRIVER_LIB_MEMORY_DEVICEBUFFER_H

#include "avocet/hal/types/Interfaces.h"
#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"
#include "avocet/runtime/Context.h"
#include "client/Quota.h"
#include "memory/PoolFile.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
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

  /// `operand`: the combination of all uses. Allocates at once if its size is known. GeneralFailure: its size cannot be
  /// computed. Also the errors of the client's quotas.
  static Result<std::shared_ptr<DeviceBuffer>> create(std::shared_ptr<ClientState> client, Operand operand, Uses uses);

  bool hasRole(const Role &role) const { return uses_.roles.contains(role); }

  /// InvalidArgument: an output of these extents, as far as they are known, does not fit the buffer.
  Outcome checkOutput(const std::vector<uint32_t> &dimensions) const;

  /// The memory with a value of these extents. GeneralFailure: there is none (with `mayBePending`: and none is being
  /// written). InvalidArgument: it has other extents.
  Result<std::shared_ptr<runtime::Buffer>> read(const std::vector<uint32_t> &dimensions, bool mayBePending);

  /// Memory for a value of these extents, all known. The caller must call endWrite(). GeneralFailure: the extents do
  /// not fit the buffer.
  Result<std::shared_ptr<runtime::Buffer>> beginWrite(const std::vector<uint32_t> &dimensions);
  /// Ends a write. The buffer holds a value exactly if `isSuccessful`.
  void endWrite(bool isSuccessful);

  ~DeviceBuffer() { unmap(); }

  /// See IBuffer.
  Outcome copyTo(const SharedMemory &memory);
  Outcome copyFrom(const SharedMemory &memory, const std::vector<uint32_t> &dimensions);

  /// Unmaps the memory from the contexts of the models that used it, except where a run uses it.
  void unmap();

private:
  DeviceBuffer(std::shared_ptr<ClientState> client, Operand operand, Uses uses, Charge charge);
  Result<std::shared_ptr<runtime::Buffer>> allocate(uint64_t bytes);
  std::shared_ptr<runtime::Buffer> enter(const std::vector<uint32_t> &dimensions, uint64_t bytes);
  Result<std::vector<uint32_t>> dimensionsToCopy(const std::vector<uint32_t> &dimensions) const;
  void unmap(const runtime::Buffer *memory);

  const std::shared_ptr<ClientState> client_;
  const Operand operand_; ///< known at the allocation
  const Uses uses_;
  const Charge charge_; ///< of the client's buffers

  mutable std::mutex mutex_; ///< guards the members below; not held while anything is allocated, copied or run
  std::shared_ptr<runtime::Buffer> memory_; ///< null until the size is known
  std::vector<uint32_t> dimensions_;
  bool isInitialized_ = false;
  uint32_t writers_ = 0;
};

/// The buffers of one client's tokens. A token is never reused. Thread-safe.
class BufferTable {
public:
  /// ResourceExhaustedPersistent once all tokens were used.
  Result<BufferToken> add(std::shared_ptr<DeviceBuffer> buffer);
  void remove(BufferToken token);
  /// Null: unknown.
  std::shared_ptr<DeviceBuffer> find(BufferToken token) const;

private:
  mutable std::mutex mutex_; ///< guards the members below; a leaf
  std::unordered_map<uint32_t, std::shared_ptr<DeviceBuffer>> buffers_;
  uint32_t last_ = 0;
};

/// See IDevice::allocate().
Result<std::shared_ptr<IBuffer>> allocateBuffer(const std::shared_ptr<ClientState> &client,
                                                const std::vector<uint32_t> &dimensions,
                                                const std::vector<BufferRole> &inputRoles,
                                                const std::vector<BufferRole> &outputRoles);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MEMORY_DEVICEBUFFER_H
