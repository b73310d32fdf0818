//===- CallKind.h - Ways to execute a prepared model ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_CALLKIND_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_CALLKIND_H

#include "avocet/hal/types/Interfaces.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace avocet::tool {

enum class CallKind : uint8_t {
  Single,   ///< a call for each execution
  Reusable, ///< an execution that is made once, and computes again
  Burst,    ///< the executions of a burst, whose memory has an identifier
  Fenced,   ///< a call without fences to wait for, and a wait for the fence that it returns
};
inline constexpr std::array<CallKind, 4> kCallKinds{CallKind::Single, CallKind::Reusable, CallKind::Burst,
                                                    CallKind::Fenced};

/// "single", "reusable", "burst", "fenced".
std::string_view toString(CallKind kind);

/// Executes a request once, and measures it.
using ExecuteOnce = std::function<hal::ExecutionOutcome()>;

/// Keeps the model and a copy of the request, which has one pool. Errors: those of the HAL.
hal::Result<ExecuteOnce> makeCalls(CallKind kind, std::shared_ptr<hal::IPreparedModel> model, hal::Request request);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_BENCHMARK_CALLKIND_H
