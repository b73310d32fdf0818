//===- CommandCheck.h - Static rules of commands ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_JOB_COMMANDCHECK_H
#define AVOCET_SIM_LIB_JOB_COMMANDCHECK_H

#include "avocet/firmware_iface/Target.h"
#include "job/JobFault.h"

namespace avocet::sim {

struct PreparedCommand;

/// The rules that depend on the command and the device alone: its engine performs it, semaphores exist, SRAM accesses
/// lie inside the memory, its kernel accepts it, its block fits the array's buffer, a copy does not write a byte twice.
/// Region accesses are checked at issue, against the job's bindings.
JobFault checkCommand(const firmware::Target &target, firmware::Engine engine, const PreparedCommand &command);

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_JOB_COMMANDCHECK_H
