//===- GuardedMain.h - Exceptions that reach main() -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The code of Avocet throws no exceptions, but the libraries that it uses do, and so does an allocation without memory.
// A program must not end by std::terminate() because of them, so that every main() of the tree is
//
//   int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
//
// Other threads need a guard of their own: an exception cannot leave a thread.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_GUARDEDMAIN_H
#define AVOCET_BASE_GUARDEDMAIN_H

namespace avocet {

/// Exit codes of all programs. Programs with further codes list them in their help.
enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1, ///< the work failed, or its output could not be written
  kExitUsage = 2,  ///< the command line or an environment knob is wrong; nothing was done
};

/// Returns the result of run(argc, argv). If an exception leaves it, prints "PROGRAM: error: REASON" on the standard
/// error stream, after all output so far, and returns kExitFailed. PROGRAM is the file name in argv[0]; REASON is "out
/// of memory" for std::bad_alloc. Allocates nothing.
int guardedMain(int argc, char **argv, int (*run)(int argc, char **argv)) noexcept;

} // namespace avocet

#endif // AVOCET_BASE_GUARDEDMAIN_H
