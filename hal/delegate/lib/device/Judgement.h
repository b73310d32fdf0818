//===- Judgement.h - What the compiler says about a network - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DELEGATE_LIB_DEVICE_JUDGEMENT_H
#define AVOCET_HAL_DELEGATE_LIB_DEVICE_JUDGEMENT_H

#include "avocet/compiler/Compiler.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace avocet::delegate {

/// A reason why a network cannot run. `location` holds the name of an operator's result, if it concerns one.
struct Reason {
  std::string location;
  std::string text;
  bool operator==(const Reason &) const = default;
};

/// Without reasons the network can run.
struct Judgement {
  std::vector<Reason> reasons;
  bool isSupported() const { return reasons.empty(); }
};

Judgement judgementOf(const compiler::Verdict &result);

/// A judgement in a file. parse() gives nothing for other bytes.
std::vector<uint8_t> serialise(const Judgement &judgement);
std::optional<Judgement> parse(std::span<const uint8_t> bytes);

} // namespace avocet::delegate

#endif // AVOCET_HAL_DELEGATE_LIB_DEVICE_JUDGEMENT_H
