//===- RemoteRunCommand.cpp - avocet run in other processes ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "programs/SubcommandProgram.h"
#include "run/RunPlace.h"

namespace avocet::tool {

void addRemoteRunCommand(CommandLine &app, Action &action) {
  addRunCommandWith({.service = runInService, .application = runInApplication}, app, action);
}

} // namespace avocet::tool
