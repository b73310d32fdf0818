//===- ToolStreams.h - Streams and --version of the IR tools ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_TOOLS_TOOLSTREAMS_H
#define AVOCET_COMPILER_TOOLS_TOOLSTREAMS_H

#include "avocet/base/StandardStreams.h"
#include "avocet/base/Version.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>

namespace avocet::compiler {

/// Call first in main(). If an IR tool cannot write its output, it prints a message and exits with code 1. SIGPIPE is
/// blocked, because LLVM's handler for it ends the process without a message. --version prints `program` and the build
/// instead of LLVM's version.
inline void prepareTool(std::string_view program) {
  prepareStandardStreams();
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  llvm::cl::SetVersionPrinter([program](llvm::raw_ostream &out) { out << versionLine(program) << "\n"; });
}

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_TOOLS_TOOLSTREAMS_H
