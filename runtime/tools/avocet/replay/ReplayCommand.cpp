//===- ReplayCommand.cpp - avocet replay ------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "avocet/base/File.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/runtime/Replay.h"
#include "avocet/runtime/SimBackend.h"
#include "debug/StepSession.h"
#include "output/Progress.h"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>

namespace avocet::tool {
namespace {

struct ReplayOptions {
  std::string recording;
  std::string target;
  std::string backend = "sim";
  bool steps = false;
  bool cut = false;
};

constexpr const char *kExamples = R"(Examples:
  avocet run model.tflite --backend recorder:run.avor    record
  avocet replay run.avor                                 do it again on the simulator and compare
  avocet replay run.avor --backend null                  only check the recording
  printf 'break mac:3\nrun\ndump 0x0 64\n' | avocet replay run.avor --step
                                                         SRAM after a command
)";

/// With a session, the simulator that it observes.
Result<std::unique_ptr<runtime::Backend>>
openBackendOf(const ReplayOptions &options, const runtime::BackendOptions &backendOptions, StepSession &session) {
  if (!options.steps)
    return runtime::openBackend(options.backend, backendOptions);
  if (options.backend != "sim")
    return invalidArgument(fmt::format(
        "--step: back end {} has no commands to stop at; leave out --backend, or use sim", options.backend));
  session.begin();
  return runtime::openObservedSimBackend(backendOptions,
                                         [&](const firmware::CommandEvent &event) { session.observe(event); });
}

Status replay(const ReplayOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, readFile(options.recording));
  runtime::BackendOptions backendOptions;
  std::string target = options.target;
  if (target.empty()) {
    AVOCET_ASSIGN_OR_RETURN(target, runtime::recordedTarget(bytes, options.recording));
    const std::vector<std::string> shipped = firmware::Target::shippedNames();
    if (std::ranges::find(shipped, target) == shipped.end())
      return notFound(
          fmt::format("{}: was recorded on the target '{}', which is not shipped; give its target file with "
                      "--target FILE.toml",
                      options.recording, target));
  }
  AVOCET_ASSIGN_OR_RETURN(backendOptions.target, firmware::Target::load(target));
  StepSession session(std::cin);
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<runtime::Backend> backend, openBackendOf(options, backendOptions, session));
  Progress progress;
  if (!options.steps)
    progress.stage("replaying " + options.recording);
  AVOCET_ASSIGN_OR_RETURN(runtime::ReplaySummary summary,
                          runtime::replayRecording(bytes, options.recording, *backend,
                                                   options.cut ? runtime::Cut::Accepted : runtime::Cut::Refused));
  progress.clear();
  if (!summary.isWhole)
    printErr("avocet: warning: {}: the recording was cut; what is left was played\n", options.recording);
  printOut("{}: {} jobs on {}, {} cycles, {} differences\n", options.recording, summary.jobs, summary.targetName,
           summary.cycles, summary.differences.size());
  for (const std::string &difference : summary.differences)
    printOut("  {}\n", difference);
  if (!summary.differences.empty())
    return failedPrecondition(fmt::format("{}: the replay differs from the recording", options.recording));
  return Status::ok();
}

} // namespace

void addReplayCommand(CommandLine &app, Action &action) {
  auto options = std::make_shared<ReplayOptions>();
  CommandLine command = app.addSubcommand("replay", "Play a recording of the recorder back end and compare");
  command.setFooter(std::string(kExamples) + kStepHelp);
  command.addText("recording", options->recording, "File that '--backend recorder:FILE' wrote").required();
  command.addText("--backend", options->backend, "Back end that plays it, as for avocet run; default: sim");
  command.addText("-t,--target", options->target, "Target; default: the one that it was recorded on");
  command.addFlag("--cut", options->cut,
                  "Also play what is left of a recording that was cut by a crash or a full disk");
  command.addFlag("--step", options->steps, "Stop at commands and look at the device, by lines of the standard input");
  command.onSelected([options, &action] { action = [options] { return replay(*options); }; });
}

} // namespace avocet::tool
