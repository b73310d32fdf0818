//===- TargetRules.h - Rules between the figures of a target ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_LIB_TARGETRULES_H
#define AVOCET_FIRMWARE_IFACE_LIB_TARGETRULES_H

#include "avocet/firmware_iface/Target.h"

namespace avocet::firmware {

/// Checks rules that involve several fields: sizes that must divide each other, blocks that must fit the array's
/// buffer, engines that must be able to work at all. InvalidArgument with the first broken rule.
Status checkRules(const Target &target);

/// Of the level with 100 percent; levels must obey the rules.
uint32_t indexOfDefaultLevel(const PowerModel &power);

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_LIB_TARGETRULES_H
