//===- Profile.cpp - Counters of a job, by layer ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/Profile.h"

namespace avocet::runtime {

std::string_view stallCauseName(firmware::StallCause cause) {
  constexpr std::array<std::string_view, firmware::kNumStallCauses> kNames = {"semaphore", "sram_port", "dram_port",
                                                                              "latency", "front_end"};
  return kNames[static_cast<size_t>(cause)];
}

} // namespace avocet::runtime
