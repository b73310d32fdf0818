//===- ExitCode.h - Exit codes of all programs ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_EXITCODE_H
#define AVOCET_BASE_EXITCODE_H

namespace avocet {

/// Exit codes of all programs. Programs with further codes list them in their help.
enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1, ///< the work failed, or its output could not be written
  kExitUsage = 2,  ///< the command line or an environment knob is wrong; nothing was done
};

} // namespace avocet

#endif // AVOCET_BASE_EXITCODE_H
