//===- Execution.h - One run of a program for a request ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_EXECUTION_H
#define AVOCET_HAL_DRIVER_LIB_EXECUTION_H

#include "IdleWatch.h"
#include "Program.h"
#include "RequestView.h"
#include "avocet/hal/Interfaces.h"

namespace avocet::hal {

ExecutionOutcome failed(const Error &error);

/// Reads the inputs, runs the program on the device, and writes the outputs; or says which outputs are too small. A run
/// that its deadline overtakes is abandoned: the answer comes at once, and the job ends on its own.
/// The view was made for the interface that the program has.
ExecutionOutcome runProgram(Program &program, runtime::Queue &queue, IdleWatch &idle, const RequestView &view,
                            const ExecutionOptions &options);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_EXECUTION_H
