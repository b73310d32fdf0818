//===- VerifyControl.cpp - The rules of the control program -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"

#include "avocet/firmware_iface/Control.h"

#include <algorithm>

namespace avocet::cache {

namespace {

using firmware::ControlInstruction;

/// The condition must be a byte that the device may read: one in any region except an output.
Status verifyCondition(const fb::Model &model, const firmware::JumpIfFalseInstruction &jump) {
  const fb::Region &region = *model.regions()->Get(jump.region - 1);
  if (region.kind() == fb::RegionKind::Output)
    return dataLoss(fmt::format("reads a condition from region {}, an output", jump.region - 1));
  if (jump.offset >= region.bytes())
    return dataLoss(
        fmt::format("reads byte {} of region {}, which has {} bytes", jump.offset, jump.region - 1, region.bytes()));
  return Status::ok();
}

uint32_t countSections(const fb::Model &model) {
  uint32_t count = 0;
  for (const fb::Stream *stream : *model.streams())
    count = std::max(count, stream->section() + 1);
  return count;
}

} // namespace

Status verifyControl(const fb::Model &model) {
  if (!model.control())
    return Status::ok();
  auto program = firmware::decodeControl({model.control()->data(), model.control()->size()});
  if (!program)
    return program.status().withContext("control");
  AVOCET_RETURN_IF_ERROR(
      firmware::verifyControl(*program, countSections(model), model.regions()->size()).withContext("control"));
  for (size_t i = 0; i < program->size(); ++i)
    if (const auto *jump = std::get_if<firmware::JumpIfFalseInstruction>(&(*program)[i]))
      AVOCET_RETURN_IF_ERROR(verifyCondition(model, *jump).withContext(fmt::format("control: instruction {}", i)));
  return Status::ok();
}

} // namespace avocet::cache
