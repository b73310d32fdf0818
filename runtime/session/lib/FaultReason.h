//===- FaultReason.h - Which rule a faulted command breaks ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device reports the code of a fault and where it happened. The rule, what was found and what is accepted follow from
// the command and the target. What the verifier of model caches refuses, as accesses beyond a region, has no reason
// here.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_SESSION_LIB_FAULTREASON_H
#define AVOCET_RUNTIME_SESSION_LIB_FAULTREASON_H

#include "avocet/cache/ModelCache.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/runtime/Backend.h"

#include <string>

namespace avocet::session {

/// "conv: block.width is 112, must be 1 to 64". Empty if the fault is of no command, or breaks no rule of this kind.
std::string faultReason(const cache::ModelCache &model, const firmware::Target &target,
                        const runtime::JobOutcome &outcome);

} // namespace avocet::session

#endif // AVOCET_RUNTIME_SESSION_LIB_FAULTREASON_H
