//===- RunOptions.h - Options of avocet run -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_RUN_RUNOPTIONS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_RUN_RUNOPTIONS_H

#include "ModelSource.h"
#include "avocet/session/Inputs.h"
#include "avocet/session/ServedSession.h"
#include "run/ThroughFigures.h"

#include <cstdint>
#include <string>
#include <vector>

namespace avocet::tool {

enum class ReportFormat { Table, Json, Csv, None };
enum class Mode { Functional, Timing, Both };

struct RunOptions {
  std::string model;
  std::string target;
  std::string signature;
  std::vector<std::string> shapes;
  std::string optimise;
  bool trustData = false; ///< as in ModelChoice
  session::Inputs inputs;
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
  uint32_t repeat = 1;             ///< of one run
  uint32_t runs = 0; ///< in sequence, each with the states of the one before; 0: one for each set of inputs
  std::vector<std::string> states; ///< NAME=FILE
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_RUN_RUNOPTIONS_H
