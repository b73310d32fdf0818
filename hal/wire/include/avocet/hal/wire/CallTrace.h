//===- CallTrace.h - Spans and messages of calls ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WIRE_CALLTRACE_H
#define AVOCET_HAL_WIRE_CALLTRACE_H

#include "avocet/hal/types/Tracing.h"
#include "avocet/hal/types/VerboseLog.h"
#include "messages_generated.h"

#include <fmt/format.h>

#include <optional>

namespace avocet::hal::ipc {

/// The trace phase of a call.
inline TracePhase phaseOf(fb::Call call) {
  switch (call) {
  case fb::Call::PrepareModel:
  case fb::Call::PrepareFromCache:
    return TracePhase::Compilation;
  case fb::Call::Hello:
  case fb::Call::GetStatus:
  case fb::Call::GetSupportedOperations:
    return TracePhase::Initialization;
  case fb::Call::Release:
  case fb::Call::ReleaseMemory:
    return TracePhase::Termination;
  default:
    return TracePhase::Execution;
  }
}

/// The time of one call at one side ("client", "service"): "[NN_LI_PE]client Execute", and a message of the tag driver.
/// Costs three atomic loads while no trace, sums of times (LayerTimes.h) or tag are active.
class CallSpan {
public:
  CallSpan(const char *side, fb::Call call) {
    if (Trace::active() != nullptr)
      span_.emplace(TraceLayer::Ipc, phaseOf(call), fmt::format("{} {}", side, fb::EnumNameCall(call)));
    else if (LayerTimes::isEnabled())
      span_.emplace(TraceLayer::Ipc, phaseOf(call), side);
    verbose(VerboseTag::Driver, "{}: call {}", side, fb::EnumNameCall(call));
  }

private:
  std::optional<HalSpan> span_;
};

} // namespace avocet::hal::ipc

#endif // AVOCET_HAL_WIRE_CALLTRACE_H
