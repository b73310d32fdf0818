//===- MemoryRules.cpp - Rules of memories ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"

#include <fmt/format.h>
#include <optional>
#include <set>
#include <sys/mman.h>
#include <tuple>
#include <utility>

namespace avocet::hal {

using enum Version;

static Outcome checkHandle(const SharedHandle &fd) {
  if (fd == nullptr || !fd->isValid())
    return invalidArgument("the handle has no descriptor");
  return success();
}

static Outcome checkSize(uint64_t size) { return size != 0 ? success() : invalidArgument("size 0, must be positive"); }

namespace {
/// One rule for each kind of handle.
struct HandleRules {
  bool mustBeMappable;

  Result<Version> operator()(const Ashmem &memory) const {
    AVOCET_RETURN_IF_ERROR(checkHandle(memory.fd));
    AVOCET_RETURN_IF_ERROR(checkSize(memory.size));
    return V1_0;
  }

  Result<Version> operator()(const MappableFile &file) const {
    AVOCET_RETURN_IF_ERROR(checkHandle(file.fd));
    AVOCET_RETURN_IF_ERROR(checkSize(file.size));
    if ((file.protection & ~(PROT_READ | PROT_WRITE)) != 0)
      return invalidArgument(fmt::format("protection {}, must be PROT_READ, PROT_WRITE or both", file.protection));
    if (!checkedAdd(file.offset, file.size))
      return invalidArgument(fmt::format("offset {} and size {} exceed 64 bits", file.offset, file.size));
    return V1_0;
  }

  Result<Version> operator()(const HardwareBuffer &buffer) const {
    AVOCET_RETURN_IF_ERROR(checkHandle(buffer.fd));
    if (!buffer.isBlob && mustBeMappable)
      return invalidArgument("a hardware buffer that is no blob");
    if (buffer.isBlob)
      AVOCET_RETURN_IF_ERROR(checkSize(buffer.size));
    return V1_2;
  }

  Result<Version> operator()(const UnknownHandle &handle) const {
    return invalidArgument(fmt::format("memory of the unknown kind '{}'", handle.name));
  }
};
} // namespace

Result<Version> validate(const SharedMemory &memory, bool mustBeMappable) {
  if (memory == nullptr)
    return invalidArgument("there is no memory");
  return std::visit(HandleRules{mustBeMappable}, memory->handle);
}

namespace {

/// Checks all roles of a buffer and combines their operands.
class RoleCheck {
public:
  explicit RoleCheck(const ModelInterface &interfaceOf) : interfaceOf_(interfaceOf) {}

  Outcome addAll(const std::vector<BufferRole> &roles, bool isOutput) {
    for (size_t i = 0; i < roles.size(); ++i)
      if (Outcome outcome = add(roles[i], isOutput); !outcome)
        return at(outcome.error(), "{} role {}", isOutput ? "output" : "input", i);
    return success();
  }

  Result<Operand> finish(const std::vector<uint32_t> &dimensions) {
    if (seen_.empty())
      return invalidArgument("buffer: there is no role");
    if (isScalar(operand_.type) && !dimensions.empty())
      return invalidArgument(fmt::format("buffer: dimensions {} for a scalar", toString(dimensions)));
    AVOCET_RETURN_IF_ERROR(combine(dimensions));
    return std::move(operand_);
  }

private:
  Outcome add(const BufferRole &role, bool isOutput) {
    if (role.model == nullptr)
      return invalidArgument("there is no model");
    const Model *model = interfaceOf_(*role.model);
    if (model == nullptr)
      return invalidArgument("the model was not prepared by this client");
    const std::vector<uint32_t> &list = isOutput ? model->main.outputIndexes : model->main.inputIndexes;
    if (role.ioIndex >= list.size())
      return invalidArgument(fmt::format("index {} of a model with {}", role.ioIndex, list.size()));
    // This form of the condition refuses NaN too.
    if (!(role.probability > 0 && role.probability <= 1))
      return invalidArgument(fmt::format("probability {}, must be above 0 and at most 1", role.probability));
    if (!seen_.emplace(model, isOutput, role.ioIndex).second)
      return invalidArgument("it is in the list twice");
    return merge(model->main.operands[list[role.ioIndex]]);
  }

  Outcome merge(const Operand &operand) {
    if (seen_.size() == 1) {
      operand_ = operand;
      return success();
    }
    if (operand.type != operand_.type)
      return invalidArgument(
          fmt::format("type {}, other roles have {}", toString(operand.type), toString(operand_.type)));
    if (operand.scale != operand_.scale || operand.zeroPoint != operand_.zeroPoint)
      return invalidArgument(fmt::format("scale {} and zero point {}, other roles have {} and {}", operand.scale,
                                         operand.zeroPoint, operand_.scale, operand_.zeroPoint));
    if (operand.extraParams != operand_.extraParams)
      return invalidArgument("its extra parameters are not those of the other roles");
    return combine(operand.dimensions);
  }

  Outcome combine(const std::vector<uint32_t> &dimensions) {
    std::optional<std::vector<uint32_t>> combined = combineDimensions(operand_.dimensions, dimensions);
    if (!combined)
      return invalidArgument(fmt::format("dimensions {} contradict {}, those of the roles before", toString(dimensions),
                                         toString(operand_.dimensions)));
    operand_.dimensions = std::move(*combined);
    return success();
  }

  const ModelInterface &interfaceOf_;
  std::set<std::tuple<const Model *, bool, uint32_t>> seen_;
  Operand operand_;
};

} // namespace

Result<Operand> validateBufferRoles(const std::vector<uint32_t> &dimensions, const std::vector<BufferRole> &inputRoles,
                                    const std::vector<BufferRole> &outputRoles, const ModelInterface &interfaceOf) {
  RoleCheck check(interfaceOf);
  AVOCET_RETURN_IF_ERROR(check.addAll(inputRoles, false));
  AVOCET_RETURN_IF_ERROR(check.addAll(outputRoles, true));
  return check.finish(dimensions);
}

} // namespace avocet::hal
