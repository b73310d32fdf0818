//===- Roles.cpp - Buffers for models of several steps --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/partition/Partition.h"
#include "model/HostModel.h"

namespace avocet::hal {

using partition::HostModel;
using partition::ResolvedRole;

namespace {

/// Replaces models of this library by those of the devices.
class RoleResolution {
public:
  explicit RoleResolution(std::shared_ptr<IDevice> owner) : owner_(std::move(owner)) {}

  Outcome add(const std::vector<BufferRole> &roles, bool isInput, std::vector<BufferRole> &resolved) {
    for (const BufferRole &role : roles) {
      ResolvedRole one{owner_, role};
      if (const auto *model = dynamic_cast<const HostModel *>(role.model.get())) {
        auto result = model->resolve(role, isInput);
        if (!result)
          return result.error();
        one = std::move(result).value();
      }
      if (device_ != nullptr && one.device != device_)
        return generalFailure("the roles of the buffer belong to different devices; use shared memory");
      device_ = one.device;
      resolved.push_back(std::move(one.role));
    }
    return success();
  }

  const std::shared_ptr<IDevice> &device() const { return device_; }

private:
  const std::shared_ptr<IDevice> owner_;
  std::shared_ptr<IDevice> device_;
};

} // namespace

Result<std::shared_ptr<IBuffer>> allocateForRoles(const std::vector<uint32_t> &dimensions,
                                                  const std::vector<BufferRole> &inputRoles,
                                                  const std::vector<BufferRole> &outputRoles,
                                                  const std::shared_ptr<IDevice> &owner) {
  RoleResolution resolution(owner);
  std::vector<BufferRole> inputs;
  std::vector<BufferRole> outputs;
  AVOCET_RETURN_IF_ERROR(resolution.add(inputRoles, true, inputs));
  AVOCET_RETURN_IF_ERROR(resolution.add(outputRoles, false, outputs));
  if (resolution.device() == nullptr)
    return invalidArgument("a buffer needs a role of a model whose device is known");
  return resolution.device()->allocate(dimensions, inputs, outputs);
}

} // namespace avocet::hal
