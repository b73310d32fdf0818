//===- SystemCallNames.h - Names of system calls -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SANDBOX_SYSTEMCALLNAMES_H
#define AVOCET_HAL_SANDBOX_SYSTEMCALLNAMES_H

namespace avocet::hal {

/// "openat" and the like, for this machine's numbers; "unknown" for others. The first call builds a table, later ones
/// are safe in signal handlers.
const char *systemCallName(int number);

} // namespace avocet::hal

#endif // AVOCET_HAL_SANDBOX_SYSTEMCALLNAMES_H
