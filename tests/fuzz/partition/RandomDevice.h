//===- RandomDevice.h - A device that does what bytes say -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_PARTITION_RANDOMDEVICE_H
#define AVOCET_TESTS_FUZZ_PARTITION_RANDOMDEVICE_H

#include "avocet/hal/types/Interfaces.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace avocet::hal::test {

using NextByte = std::function<uint8_t()>;

/// Aborts if it gets a model or a request that breaks a rule. It supports operations by a hash with `seed`; with seed 0
/// all. Each compilation and execution succeeds or fails by the next byte, and output shapes may be wrong. It computes
/// nothing. One thread.
std::shared_ptr<IDevice> makeRandomDevice(const std::string &name, uint8_t seed, float cost, NextByte next);

} // namespace avocet::hal::test

#endif // AVOCET_TESTS_FUZZ_PARTITION_RANDOMDEVICE_H
