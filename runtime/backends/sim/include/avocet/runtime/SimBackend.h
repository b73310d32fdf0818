//===- SimBackend.h - The simulator as a back end ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Drives the simulated device as a kernel driver drives hardware: hand-shake through the mailbox, one job ring per
// context, doorbells, completion records and interrupts. The device runs on a thread of the back end; its users access
// neither the thread nor the simulator.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_SIMBACKEND_H
#define AVOCET_RUNTIME_SIMBACKEND_H

#include "avocet/firmware_iface/CommandEvent.h"
#include "avocet/runtime/Backend.h"

namespace avocet::runtime {

/// `argument` must be empty. FailedPrecondition if driver and device have no interface version in common.
Result<std::unique_ptr<Backend>> openSimBackend(const BackendOptions &options, std::string_view argument);

/// The same, for debuggers: `observer` is called after each command, on the device's thread. It must not call the back
/// end.
Result<std::unique_ptr<Backend>> openObservedSimBackend(const BackendOptions &options,
                                                        firmware::CommandObserver observer);

/// A host that acts in device time: `call` runs once, at or after a device cycle, and may submit jobs of this back end.
/// For tests and measurements that must not depend on the real host's speed. Only on the device's own thread: from a
/// profile sink or from such a call. InvalidArgument: the back end is not a simulator.
Status callAtCycle(Backend &backend, uint64_t cycle, std::function<void()> call);

/// Registers the back end under the name "sim".
void registerSimBackend();

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_SIMBACKEND_H
