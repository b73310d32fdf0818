//===- MemoryDescription.cpp - Uses of a memory to be made ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/MemoryDescription.h"

#include "avocet/base/Log.h"
#include "avocet/hal/partition/Partition.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"
#include "compilation/Compilation.h"
#include "memory/RoleMemory.h"
#include "model/OperandChecks.h"

#include <fmt/format.h>

#include <algorithm>

namespace avocet::nnapi {

ApiOutcome MemoryDescription::addRole(std::shared_ptr<const Compilation> compilation, bool isOutput, uint32_t index,
                                      float frequency) {
  if (isFinished_)
    return badState("the memory descriptor is finished");
  if (compilation->prepared() == nullptr)
    return badData("the compilation is not finished");
  std::vector<Role> &roles = isOutput ? outputs_ : inputs_;
  roles.push_back({std::move(compilation), index, frequency});
  auto combined = combine();
  if (combined.isOk())
    return success();
  roles.pop_back();
  return std::move(combined).error();
}

ApiOutcome MemoryDescription::setDimensions(std::vector<uint32_t> dimensions) {
  if (isFinished_)
    return badState("the memory descriptor is finished");
  auto both = hal::combineDimensions(dimensions_, dimensions);
  if (!both.has_value())
    return badData(
        fmt::format("dimensions {} contradict the earlier {}", hal::toString(dimensions), hal::toString(dimensions_)));
  std::swap(dimensions_, *both);
  if (inputs_.empty() && outputs_.empty())
    return success();
  auto combined = combine();
  if (combined.isOk())
    return success();
  std::swap(dimensions_, *both);
  return std::move(combined).error();
}

ApiOutcome MemoryDescription::finish() {
  if (isFinished_)
    return badState("the memory descriptor is finished already");
  if (inputs_.empty() && outputs_.empty())
    return badData("the memory descriptor has no role");
  isFinished_ = true;
  return success();
}

std::vector<hal::BufferRole> MemoryDescription::halRoles(const std::vector<Role> &roles) {
  std::vector<hal::BufferRole> made;
  for (const Role &role : roles)
    made.push_back({role.compilation->prepared(), role.index, role.frequency});
  return made;
}

ApiResult<hal::Operand> MemoryDescription::combine() const {
  auto interfaceOf = [this](const hal::IPreparedModel &model) -> const hal::Model * {
    for (const auto *roles : {&inputs_, &outputs_})
      for (const Role &role : *roles)
        if (role.compilation->prepared().get() == &model)
          return &role.compilation->model();
    return nullptr;
  };
  auto operand = hal::validateBufferRoles(dimensions_, halRoles(inputs_), halRoles(outputs_), interfaceOf);
  if (!operand)
    return fromHal(operand.error());
  return std::move(*operand);
}

std::set<MemoryUse> MemoryDescription::uses() const {
  std::set<MemoryUse> uses;
  for (const Role &role : inputs_)
    uses.insert({role.compilation->number(), false, role.index});
  for (const Role &role : outputs_)
    uses.insert({role.compilation->number(), true, role.index});
  return uses;
}

std::shared_ptr<hal::IDevice> MemoryDescription::commonDevice() const {
  std::shared_ptr<hal::IDevice> common;
  for (const auto *roles : {&inputs_, &outputs_})
    for (const Role &role : *roles) {
      std::shared_ptr<hal::IDevice> device = role.compilation->onlyDevice();
      if (device == nullptr || (common != nullptr && device != common))
        return nullptr;
      common = std::move(device);
    }
  return common;
}

bool MemoryDescription::mayBeShared() const {
  auto choseDevices = [](const Role &role) { return role.compilation->choseDevices(); };
  return std::ranges::none_of(inputs_, choseDevices) && std::ranges::none_of(outputs_, choseDevices);
}

ApiResult<std::shared_ptr<Memory>> MemoryDescription::allocate() const {
  if (!isFinished_)
    return badState("the memory descriptor is not finished");
  AVOCET_ASSIGN_OR_RETURN(hal::Operand operand, combine());
  auto buffer = hal::allocateForRoles(dimensions_, halRoles(inputs_), halRoles(outputs_), commonDevice());
  if (buffer.isOk())
    return std::shared_ptr<Memory>(std::make_shared<DriverMemory>(uses(), std::move(*buffer), std::move(operand)));
  const ApiError reason = fromHal(buffer.error());
  const uint64_t bytes = valueSize(operand.type, operand.dimensions).value_or(0);
  if (bytes == 0 || !mayBeShared())
    return opFailed(fmt::format("no driver allocates the memory ({}), and shared memory cannot replace it: {}",
                                reason.message,
                                bytes == 0 ? "its size is not known" : "the application chose the devices"));
  logMessage(LogLevel::Info, "nnapi", "a memory of {} bytes is shared memory: {}", bytes, reason.message);
  AVOCET_ASSIGN_OR_RETURN(SharedArea area, SharedArea::make(bytes));
  return std::shared_ptr<Memory>(std::make_shared<AreaMemory>(uses(), std::move(area), std::move(operand)));
}

} // namespace avocet::nnapi
