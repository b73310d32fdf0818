//===- Commands.cpp - The subcommands of the avocet program -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "avocet/base/Log.h"
#include "avocet/runtime/SimBackend.h"

#include <cstdio>
#include <fmt/core.h>

namespace avocet::tool {
namespace {

constexpr int kWorkFailed = 1;
constexpr int kBadCommandLine = 2;

constexpr const char *kDescription =
    "Compiles neural networks for the Avocet accelerator and runs them on its simulator or on a device.";

constexpr const char *kExamples = R"(Examples:
  avocet run model.tflite                       compile, run on random data, print the table of layers
  avocet compile model.tflite -o out -t m512    write the artefacts out/model.avom and out/data.avod
  avocet run out --input in.bin --output-dir .  run from the artefacts, without the compiler
  avocet inspect out                            see operands, memory plan and commands
  avocet targets                                list the devices
  avocet conformance vectors                    run NNAPI test vectors through the HAL
Each subcommand explains itself: avocet run --help)";

int report(const CLI::App &app, const CLI::ParseError &error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
    return app.exit(error);
  app.exit(error);
  return kBadCommandLine;
}

void printError(const Status &status) {
  std::fflush(stdout);
  fmt::print(stderr, "avocet: error: {}\n", status.message().empty() ? toString(status.code()) : status.message());
}

int runAction(const Action &action) {
  Status status = action();
  if (status.isOk() && (std::fflush(stdout) != 0 || std::ferror(stdout) != 0))
    status = resourceExhausted("cannot write to the standard output");
  if (status.isOk())
    return 0;
  printError(status);
  return kWorkFailed;
}

} // namespace

int runAvocet(int argc, const char *const *argv) {
  runtime::registerSimBackend();
  CLI::App app(kDescription, "avocet");
  app.footer(kExamples);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  Action action;
  for (auto add : {addCompileCommand, addRunCommand, addInspectCommand, addClassifyCommand, addReplayCommand,
                   addTargetsCommand, addKnobsCommand, addConformanceCommand, addCalibrateCommand, addDevicesCommand})
    add(app, action);
  try {
    app.parse(argc, argv);
    return runAction(action);
  } catch (const CLI::ParseError &error) {
    return report(app, error);
  } catch (const std::bad_alloc &) {
    printError(resourceExhausted("out of memory"));
  } catch (const std::exception &error) {
    printError(internalError(error.what()));
  }
  return kWorkFailed;
}

} // namespace avocet::tool
