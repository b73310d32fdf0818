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
  ApiOutcome checkUse(const MemoryUse &use, uint64_t offset, uint64_t length) const override;
  ApiOutcome checkConstant(uint64_t offset, uint64_t length) const override;

protected:
  explicit RoleMemory(std::set<MemoryUse> uses) : uses_(std::move(uses)) {}

private:
  const std::set<MemoryUse> uses_; ///< compared, never followed
};

/// In the driver.
class DriverMemory final : public RoleMemory {
public:
  DriverMemory(std::set<MemoryUse> uses, std::shared_ptr<hal::IBuffer> buffer, hal::Operand operand);

  uint64_t size() const override;
  const hal::SharedMemory &shared() const override;
  hal::RequestPool pool() const override { return buffer_->token(); }
  std::vector<uint32_t> dimensions() const override;
  void noteWritten(bool isSuccessful, const std::vector<uint32_t> &dimensions) override;
  ApiOutcome copyFrom(const Memory &source) override;
  ApiOutcome copyTo(const hal::SharedMemory &destination) const override;

private:
  const std::shared_ptr<hal::IBuffer> buffer_;
  const hal::Operand operand_; ///< as far as it is known from the uses
  mutable std::mutex mutex_;   ///< guards the member below
  std::vector<uint32_t> dimensions_;
};

/// Shared memory, for uses on several devices.
class AreaMemory final : public RoleMemory {
public:
  AreaMemory(std::set<MemoryUse> uses, SharedArea area, std::vector<uint32_t> dimensions);

  uint64_t size() const override { return size_; }
  const hal::SharedMemory &shared() const override { return area_.memory(); }
  hal::RequestPool pool() const override { return area_.memory(); }
  std::vector<uint32_t> dimensions() const override { return dimensions_; }
  ApiOutcome copyFrom(const Memory &source) override;
  ApiOutcome copyTo(const hal::SharedMemory &destination) const override;

private:
  const SharedArea area_;
  const uint64_t size_;
  const std::vector<uint32_t> dimensions_;
};

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_MEMORY_ROLEMEMORY_H
