//===- MachineMemory.h - Memory that this process may use -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_MACHINEMEMORY_H
#define AVOCET_BASE_MACHINEMEMORY_H

#include <cstdint>
#include <string>

namespace avocet {

/// Bytes of memory that this process and its children can use at most: those of the machine, or of the tightest control
/// group (version 1 or 2) that contains the process. Groups that cannot be read have no limit. `root` is the
/// prefix of the paths /proc and /sys, for tests.
uint64_t machineMemory(const std::string &root = "");

} // namespace avocet

#endif // AVOCET_BASE_MACHINEMEMORY_H
