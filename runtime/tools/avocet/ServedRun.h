//===- ServedRun.h - avocet run --device -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_SERVEDRUN_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_SERVEDRUN_H

#include "RunOptions.h"

namespace avocet::tool {

/// Runs the model on a device of a driver service and reports the HAL's figures. InvalidArgument: the service does not
/// accept this kind of model; the message gives the remedy.
Status runServed(const RunOptions &options);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_SERVEDRUN_H
