//===- RunPlace.h - Where 'avocet run' runs a network -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_RUN_RUNPLACE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_RUN_RUNPLACE_H

#include "Progress.h"
#include "Report.h"
#include "RunOptions.h"
#include "avocet/base/Trace.h"

#include <memory>

namespace avocet::tool {

/// One run of the command: opens a session, collects figures of its runs, and reports them.
class RunPlace {
public:
  virtual ~RunPlace() = default;

  /// Makes the network ready. InvalidArgument: the place does not accept the model or an option; the message gives the
  /// remedy.
  virtual Result<std::unique_ptr<session::Session>> open(Progress &progress) = 0;

  /// Takes the record of run `number`, in order.
  virtual Status note(uint32_t number, session::RunRecord record) = 0;

  /// After the last run: ends the session's work and prints the report.
  virtual Status report() = 0;

  /// The trace of this process as JSON; a place that measures the device adds its commands.
  virtual std::string traceJson(const Trace &trace) const { return trace.toJson(); }
};

/// In this process. `traced`: the runs are recorded for traceJson().
std::unique_ptr<RunPlace> runInProcess(const RunOptions &options, bool traced);
/// On a device of a driver service; reports the HAL's figures.
std::unique_ptr<RunPlace> runInService(const RunOptions &options);
/// In TensorFlow Lite through libneuralnetworks.so or libavocet_delegate.so; reports where the time went.
std::unique_ptr<RunPlace> runInApplication(const RunOptions &options);

void printReport(const Report &report, ReportFormat format);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_RUN_RUNPLACE_H
