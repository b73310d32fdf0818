//===- RemoteRunCommand.cpp - avocet run in other processes ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "programs/SubcommandProgram.h"
#include "run/RunPlace.h"

namespace avocet::tool {

static std::unique_ptr<RunPlace> runRemotely(const RunOptions &options) {
  return options.through != Through::None ? runInApplication(options) : runInService(options);
}

void addRemoteRunCommand(CommandLine &app, Action &action) { addRunCommandWith(runRemotely, app, action); }

} // namespace avocet::tool
