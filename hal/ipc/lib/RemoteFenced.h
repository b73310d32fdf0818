//===- RemoteFenced.h - Fenced executions of the service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_IPC_LIB_REMOTEFENCED_H
#define AVOCET_HAL_IPC_LIB_REMOTEFENCED_H

#include "RemoteObject.h"

namespace avocet::hal::ipc {

/// The fence and the information of a fenced execution, from the answer to its launch.
Result<FencedLaunch> fencedOf(const std::shared_ptr<Connection> &connection, const Reply &reply);

} // namespace avocet::hal::ipc

#endif // AVOCET_HAL_IPC_LIB_REMOTEFENCED_H
