//===- FuzzTarget.cpp - Hostile target files -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Target.h"

#include <cstdlib>

using namespace avocet;
using namespace avocet::firmware;

/// Values of an accepted target must be in the ranges that the arithmetic of its users requires.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<std::shared_ptr<const Target>> target =
      Target::parse({reinterpret_cast<const char *>(data), size}, "fuzz.toml");
  if (!target)
    return target.status().message().empty() ? std::abort(), 1 : 0;
  const Target &good = **target;
  bool sane = !good.name().empty() && good.clockHz() > 0 && good.sram().bytes % good.sram().banks == 0 &&
              good.mac().outputStage.cyclesFor(1'000'000) > 0 && good.dram().bandwidth.cyclesFor(1'000'000) > 0;
  if (!sane)
    std::abort();
  return 0;
}
