//===- ProfileJson.h - The profile for programs -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DELEGATE_LIB_KERNEL_PROFILEJSON_H
#define AVOCET_HAL_DELEGATE_LIB_KERNEL_PROFILEJSON_H

#include "kernel/Shared.h"

namespace avocet::delegate {

/// One JSON object: counters of the delegate, and the times of executions in the process
/// (avocet/hal/types/LayerTimes.h).
std::string profileJson(const Shared &shared);

} // namespace avocet::delegate

#endif // AVOCET_HAL_DELEGATE_LIB_KERNEL_PROFILEJSON_H
