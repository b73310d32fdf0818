//===- RunReports.cpp - What runs say about themselves --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "avocet/base/Trace.h"
#include "avocet/documents/RunJson.h"
#include "avocet/documents/RunTrace.h"

namespace avocet::capi {

Result<std::string> Run::reportText() const {
  std::lock_guard lock(mutex_);
  if (isBusy_ || count_ == 0)
    return failedPrecondition(isBusy_ ? "the run executes; wait for its end" : "nothing was executed yet");
  if (servedReport_)
    return documents::runJson(servedReport_->make(loaded_, *served_));
  analysis::Report report = analysis::makeReport(loaded_, properties_, record_);
  report.runs = count_;
  return documents::runJson(report);
}

Result<std::string> Run::traceText() const {
  std::lock_guard lock(mutex_);
  if (loaded_.divided)
    return unsupported("the host computes operators of this network, so that its commands are of several jobs; trace "
                       "the networks that 'avocet compile --partition' writes");
  if (isBusy_ || record_.profile.spans.empty())
    return failedPrecondition(isBusy_ ? "the run executes; wait for its end"
                                      : "the run has measured no commands; create it with the option profile on a "
                                        "device that counts cycles, and execute it");
  const Trace host; // the trace of the process belongs to the application
  return documents::runTrace(host, 0, analysis::TracedJob(record_.profile, model(), *loaded_.target));
}

} // namespace avocet::capi
