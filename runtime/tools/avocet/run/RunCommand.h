//===- RunCommand.h - avocet run --------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_RUN_RUNCOMMAND_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_RUN_RUNCOMMAND_H

#include "Commands.h"
#include "run/RunPlace.h"

namespace avocet::tool {

/// As addRunCommand(), for a program that contains more places.
void addRunCommandWith(const RemotePlaces &places, CommandLine &app, Action &action);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_RUN_RUNCOMMAND_H
