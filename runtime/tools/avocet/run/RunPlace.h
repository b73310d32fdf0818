//===- RunPlace.h - Where 'avocet run' runs a network -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_RUN_RUNPLACE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_RUN_RUNPLACE_H

#include "Commands.h"
#include "Pictures.h"
#include "avocet/analysis/Report.h"
#include "avocet/base/Trace.h"
#include "avocet/session/Inputs.h"
#include "avocet/session/ServedOptions.h"
#include "avocet/session/Session.h"
#include "model/ModelSource.h"
#include "output/Progress.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace avocet::tool {

enum class ReportFormat { Table, Json, Csv, None };
enum class Through { None, Nnapi, Delegate, Onnxruntime };
enum class Mode { Functional, Timing, Both };

struct RunOptions {
  std::string model;
  std::string target;
  std::string signature;
  OpenInputs open;
  std::string optimize;
  std::string hints;      ///< as in ModelChoice
  bool trustData = false; ///< as in ModelChoice
  bool fallback = false;  ///< as in ModelChoice
  session::Inputs inputs;
  PictureOptions pictures; ///< instead of `inputs`
  std::string outputDirectory;
  ReportFormat report = ReportFormat::Table;
  DiagnosticsFormat diagnostics = DiagnosticsFormat::Text;
  Mode mode = Mode::Both;
  uint32_t threads = 1; ///< of the host, which compute values
  std::string traceFile;
  std::string backend;
  session::ServedOptions served;   ///< empty device: run in this process
  Through through = Through::None; ///< an application; with `served` it uses the service
  std::string clients;             ///< folder of scripts/setup --clients; empty: knob, then where the program lies
  std::string cacheDirectory;      ///< of compiled networks, with `through`; empty: none
  uint32_t repeat = 1;             ///< of one run
  uint32_t runs = 0; ///< in sequence, each with the states of the one before; 0: one for each set of inputs
  std::vector<std::string> states; ///< NAME=FILE
};

/// One run of the command: opens a session, collects figures of its runs, and reports them.
class RunPlace {
public:
  virtual ~RunPlace() = default;

  /// Makes the network ready. InvalidArgument: the place does not accept the model or an option; the message gives the
  /// remedy.
  virtual Result<std::unique_ptr<session::Session>> open(Progress &progress) = 0;

  /// Takes the record of run `number`, in order.
  virtual Status note(uint32_t number, session::RunRecord record) = 0;

  /// After the last run: ends the session's work and prints the report. `classes`: of pictures.
  virtual Status report(std::vector<analysis::ClassReport> classes) = 0;

  /// The trace of this process as JSON; a place that measures the device adds its commands.
  virtual std::string traceJson(const Trace &trace) const { return trace.toJson(); }
};

/// In this process. `traced`: the runs are recorded for traceJson().
std::unique_ptr<RunPlace> runInProcess(const RunOptions &options, bool traced);

/// On a device of a driver service; reports the HAL's figures. Only avocet-run contains it.
std::unique_ptr<RunPlace> runInService(const RunOptions &options);
/// In TensorFlow Lite or ONNX Runtime through our libraries; reports where the time went. As above.
std::unique_ptr<RunPlace> runInApplication(const RunOptions &options);

/// The place outside this process that the options name.
using RemotePlace = std::unique_ptr<RunPlace>(const RunOptions &options);
/// As addRunCommand(), for a program that contains such places; `avocet` contains none, and executes avocet-run for
/// them.
void addRunCommandWith(RemotePlace *remote, CommandLine &app, Action &action);

void printReport(const analysis::Report &report, ReportFormat format);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_RUN_RUNPLACE_H
