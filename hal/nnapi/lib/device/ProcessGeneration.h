//===- ProcessGeneration.h - Tells a forked child from its parent -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_DEVICE_PROCESSGENERATION_H
#define AVOCET_HAL_NNAPI_LIB_DEVICE_PROCESSGENERATION_H

#include <cstdint>

namespace avocet::nnapi {

/// Changes in a child of fork(), where the threads behind older objects do not exist. Thread-safe.
uint32_t processGeneration();

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_DEVICE_PROCESSGENERATION_H
