//===- Knobs.cpp - Every environment knob, in one place ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/Knobs.h"

#include <array>
#include <cstdlib>

namespace avocet {

std::span<const Knob> allKnobs() {
  static constexpr std::array kAll = {knobs::kLog,      knobs::kTarget, knobs::kBackend, knobs::kCompilerLibrary,
                                      knobs::kProgress, knobs::kColor,  knobs::kSocket,  knobs::kTrace,
                                      knobs::kVerbose};
  return kAll;
}

std::string knobText(const Knob &knob) {
  const char *value = std::getenv(std::string(knob.name).c_str());
  return value != nullptr && *value != '\0' ? std::string(value) : std::string(knob.defaultValue);
}

bool knobSwitch(const Knob &knob, bool automatic) {
  std::string value = knobText(knob);
  return value == "on" || (value != "off" && automatic);
}

} // namespace avocet
