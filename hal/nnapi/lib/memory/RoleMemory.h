//===- RoleMemory.h - Memories made for certain uses -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_MEMORY_ROLEMEMORY_H
#define AVOCET_HAL_NNAPI_LIB_MEMORY_ROLEMEMORY_H

#include "memory/Memory.h"

#include "avocet/hal/types/Interfaces.h"
#include "memory/SharedArea.h"

#include <mutex>
#include <set>

namespace avocet::nnapi {

/// A memory that the library or a driver allocated for certain inputs and outputs. Values take the whole of it.
class RoleMemory : public Memory {
public:
  uint64_t size() const override;
  ApiOutcome checkUse(const MemoryUse &use, const std::vector<uint32_t> &dimensions, uint64_t offset,
                      uint64_t length) const override;
  ApiOutcome checkConstant(uint64_t offset, uint64_t length) const override;
  bool isDescribed() const override { return true; }
  ApiOutcome checkWritten() const override;
  std::vector<uint32_t> dimensions() const override;
  void noteWritten(bool isSuccessful, const std::vector<uint32_t> &dimensions) override;
  ApiOutcome copyFrom(const Memory &source) override;
  ApiOutcome copyTo(const hal::SharedMemory &destination) const override;

protected:
  /// `operand`: as far as it is known from the uses.
  RoleMemory(std::set<MemoryUse> uses, hal::Operand operand);

  /// Writes a value of these extents that lies in shared memory.
  virtual ApiOutcome write(const hal::SharedMemory &bytes, const std::vector<uint32_t> &dimensions) = 0;
  virtual ApiOutcome read(const hal::SharedMemory &destination) const = 0;

private:
  ApiOutcome copyValue(const Memory &source);

  const std::set<MemoryUse> uses_;
  const hal::Operand operand_;
  mutable std::mutex mutex_; ///< guards the members below
  bool isWritten_ = false;
  std::vector<uint32_t> dimensions_; ///< of the value
};

/// In the driver.
class DriverMemory final : public RoleMemory {
public:
  DriverMemory(std::set<MemoryUse> uses, std::shared_ptr<hal::IBuffer> buffer, hal::Operand operand)
      : RoleMemory(std::move(uses), std::move(operand)), buffer_(std::move(buffer)) {}

  const hal::SharedMemory &shared() const override;
  hal::RequestPool pool() const override { return buffer_->token(); }

private:
  ApiOutcome write(const hal::SharedMemory &bytes, const std::vector<uint32_t> &dimensions) override;
  ApiOutcome read(const hal::SharedMemory &destination) const override;
  const std::shared_ptr<hal::IBuffer> buffer_;
};

/// Shared memory, for uses on several devices.
class AreaMemory final : public RoleMemory {
public:
  AreaMemory(std::set<MemoryUse> uses, SharedArea area, hal::Operand operand)
      : RoleMemory(std::move(uses), std::move(operand)), area_(std::move(area)) {}

  const hal::SharedMemory &shared() const override { return area_.memory(); }
  hal::RequestPool pool() const override { return area_.memory(); }

private:
  ApiOutcome write(const hal::SharedMemory &bytes, const std::vector<uint32_t> &dimensions) override;
  ApiOutcome read(const hal::SharedMemory &destination) const override;
  const SharedArea area_;
};

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_MEMORY_ROLEMEMORY_H
