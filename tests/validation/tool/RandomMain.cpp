//===- RandomMain.cpp - The program avocet-random -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SubcommandProgram.h"

#include "avocet/base/GuardedMain.h"

namespace {

int runRandom(int argc, char **argv) {
  return avocet::tool::runSubcommand(argc, argv, avocet::tool::kRandomProgram, avocet::tool::addRandomCommand);
}

} // namespace

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runRandom); }
