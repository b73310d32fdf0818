//===- Simulation.h - Simulated cycles of a compilation ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_SIMULATION_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_SIMULATION_H

#include "avocet/base/Status.h"

#include <cstdint>
#include <span>
#include <string>

namespace avocet::hal {

/// Cycles of one inference on a simulated device of its own, without values, for CompileRequest::simulate. The back end
/// "sim" must be registered. Any thread.
avocet::Result<uint64_t> simulatedCycles(const std::string &target, std::span<const uint8_t> modelCache,
                                         std::span<const uint8_t> dataCache);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_SIMULATION_H
