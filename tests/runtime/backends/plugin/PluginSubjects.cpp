//===- PluginSubjects.cpp - A plug-in in the conformance suite --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include <cstdlib>

namespace avocet::runtime::test {

std::vector<Subject> conformanceSubjects() {
  const char *given = std::getenv("AVOCET_TEST_PLUGIN");
  return {{"plugin", given != nullptr ? given : AVOCET_MINE_PLUGIN, {}}};
}

void registerConformanceBackends() {}

} // namespace avocet::runtime::test
