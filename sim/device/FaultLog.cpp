//===- FaultLog.cpp - Log of jobs that fault --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FaultLog.h"

#include "avocet/base/Log.h"
#include "avocet/firmware_iface/Fault.h"

#include <fmt/format.h>

namespace avocet::sim {

void FaultLog::operator()(const firmware::JobProfile &profile) {
  const firmware::CompletionRecord &record = profile.record;
  if (record.state != static_cast<uint32_t>(firmware::JobState::Faulted) || faults_ >= kMaxFaults)
    return;
  ++faults_;
  writeLog(LogLevel::Info, "",
           fmt::format("{}job {} of context {} ended with {} at command {}, address {:#x}{}", prefix_, record.sequence,
                       profile.context, firmware::toString(static_cast<firmware::FaultCode>(record.faultCode)),
                       static_cast<int32_t>(record.faultCommand), record.faultAddress,
                       faults_ == kMaxFaults ? "; no further fault is logged" : ""));
}

} // namespace avocet::sim
