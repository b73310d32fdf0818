//===- Commands.cpp - The subcommands of the avocet program -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "output/TextTable.h"
#include "programs/ProgramCommands.h"

#include "avocet/base/CleanText.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/runtime/LinkedBackends.h"

namespace avocet::tool {
namespace {

constexpr const char *kDescription =
    "Compiles neural networks for the Avocet accelerator and runs them on its simulator or on a device.";

constexpr const char *kExamples = R"(Examples:
  avocet run model.tflite                       compile, run on random data, print the table of layers
  avocet compile model.tflite -o out -t m512    write the artefacts out/model.avom and out/data.avod
  avocet run out --input in.bin --output-dir .  run from the artefacts, without the compiler
  avocet report model.tflite -o report.html     a page with layers, time line, memory, graph and IR
  avocet inspect out                            see operands, memory plan and commands
  avocet where out --command mac:12             see where a command comes from in the model
  avocet graph relu.nntv                        an NNAPI model as a graph for Graphviz
  avocet targets                                list the devices
  avocet explore --models nets --set sram.bytes=256K,1M -o out
                                                compare devices
  avocet benchmark nets --html out.html         latency and accuracy against the CPU
  avocet conformance vectors                    run NNAPI test vectors through the HAL
  avocet random                                 run random graphs through the HAL
For the options of a subcommand: avocet run --help)";

/// Of this program, or of another one that it executes.
struct Subcommand {
  void (*add)(CommandLine &app, Action &action) = nullptr;
  std::string_view program = {};
};

/// In the order of the help.
constexpr Subcommand kSubcommands[] = {
    {addCompileCommand},    {addRunCommand},          {.program = "report"},    {.program = "inspect"},
    {.program = "where"},   {.program = "explain"},   {.program = "compare"},   {.program = "bisect"},
    {.program = "graph"},   {addClassifyCommand},     {.program = "benchmark"}, {addReplayCommand},
    {.program = "reduce"},  {addTargetsCommand},      {addKnobsCommand},        {.program = "conformance"},
    {.program = "random"},  {.program = "calibrate"}, {.program = "devices"},   {.program = "doctor"},
    {.program = "explore"}, {addCompletionCommand},
};

} // namespace

void addWideOption(CommandLine &command) {
  command.addFlag(
      "--wide", [] { setTableWidth(kAnyWidth); },
      "All columns of tables, however wide; default: as wide as the terminal, 80 columns in files and pipes, or "
      "COLUMNS");
}

void addTrustDataOption(CommandLine &command, bool &trustData) {
  command.addFlag("--trust-data", trustData,
                  "Do not read the constants of artefacts to find damage, which takes about 0.1 ms per MiB; that both "
                  "files are of one compilation is checked in any case");
}

void addCommands(CommandLine &app, Action &action) {
  app.setFooter(std::string(kExamples) + "\n" + kExitCodesHelp);
  app.requireSubcommand();
  app.setHelpColumn(kHelpColumn);
  for (const Subcommand &subcommand : kSubcommands)
    if (subcommand.add != nullptr)
      subcommand.add(app, action);
    else
      addSubcommandOf(app, subcommand.program);
}

int runAvocet(int argc, char **argv) {
  // Before anything that another program would inherit, or say differently: all options are its own.
  if (const ProgramCommand *command = programFor({argv, static_cast<size_t>(argc)})) {
    printErr("avocet: error: {}\n", cleanMessage(executeProgram(*command, argv).message()));
    return kExitFailed;
  }
  runtime::registerLinkedBackends();
  CommandLine app(kDescription, "avocet");
  Action action;
  addCommands(app, action);
  return runProgram(app, argc, argv, [&action] { return action(); });
}

} // namespace avocet::tool
