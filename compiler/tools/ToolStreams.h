//===- ToolStreams.h - Standard streams of the IR tools ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_TOOLS_TOOLSTREAMS_H
#define AVOCET_COMPILER_TOOLS_TOOLSTREAMS_H

#include "avocet/base/StandardStreams.h"

#include <csignal>

namespace avocet::compiler {

/// For the first line of main(). Output that cannot be written ends an IR tool with a message and exit code 1. LLVM
/// installs a handler for SIGPIPE that ends the process without one; a blocked signal never reaches it.
inline void prepareTool() {
  prepareStandardStreams();
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_TOOLS_TOOLSTREAMS_H
