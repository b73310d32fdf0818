//===- RemotePlaces.h - Runs in other processes -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_RUN_REMOTE_REMOTEPLACES_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_RUN_REMOTE_REMOTEPLACES_H

#include "run/RunPlace.h"

#include <memory>

namespace avocet::tool {

/// On a device of a driver service; reports the HAL's figures.
std::unique_ptr<RunPlace> runInService(const RunOptions &options);
/// In TensorFlow Lite through libneuralnetworks.so or libavocet_delegate.so; reports where the time went.
std::unique_ptr<RunPlace> runInApplication(const RunOptions &options);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_RUN_REMOTE_REMOTEPLACES_H
