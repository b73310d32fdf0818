//===- Call.cpp - The frame of every C function ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "capi/Call.h"

#include "avocet/base/Log.h"

namespace avocet::nnapi {

hal::TracePhase phaseOf(std::string_view function) {
  constexpr std::string_view kPrefix = "ANeuralNetworks";
  const size_t prefix = function.find(kPrefix);
  if (prefix == std::string_view::npos)
    return hal::TracePhase::Unspecified;
  function.remove_prefix(prefix + kPrefix.size());
  if (function.ends_with("_free"))
    return hal::TracePhase::Termination;
  if (function.starts_with("Execution_getDuration") || function.starts_with("Execution_getOutput"))
    return hal::TracePhase::Results;
  if (function.starts_with("Model") || function.starts_with("Memory") || function.starts_with("Burst_create"))
    return hal::TracePhase::Preparation;
  if (function.starts_with("Compilation"))
    return hal::TracePhase::Compilation;
  for (std::string_view object : {"Execution", "Burst", "Event"})
    if (function.starts_with(object))
      return hal::TracePhase::Execution;
  return hal::TracePhase::Initialization;
}

ApiOutcome Required::check() const {
  if (isNull_)
    return unexpectedNull("an argument is null");
  if (isStale_)
    return ApiError{ANEURALNETWORKS_DEAD_OBJECT,
                    "the object belongs to the parent process; make a new one after fork()"};
  return success();
}

ApiOutcome checkAll(std::initializer_list<Required> required) {
  for (const Required &pointer : required)
    AVOCET_RETURN_IF_ERROR(pointer.check());
  return success();
}

int report(const char *function, const ApiOutcome &outcome) {
  if (outcome.isOk())
    return ANEURALNETWORKS_NO_ERROR;
  logMessage(LogLevel::Warning, "nnapi", "{}: {} (code {})", function, outcome.error().message,
             static_cast<int>(outcome.code()));
  return outcome.code();
}

} // namespace avocet::nnapi
