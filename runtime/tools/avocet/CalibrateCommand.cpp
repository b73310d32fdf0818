//===- CalibrateCommand.cpp - avocet calibrate ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calibration.h"
#include "Commands.h"
#include "avocet/base/File.h"
#include "avocet/base/Knobs.h"

namespace avocet::tool {
namespace {

struct CalibrateOptions {
  std::string target;
  std::string output = "-";
  double cpuWatts = 2.0;
};

constexpr double kLeastWatts = 1e-3, kMostWatts = 1e6;

constexpr const char *kExamples = R"(Examples:
  avocet calibrate -t m512                                        the figures of m512 on the standard output
  avocet calibrate -t m512 -o hal/driver/data/capabilities-m512.json
The driver is built with the files in hal/driver/data. Measure on an idle machine, with a release build.)";

Status runCalibration(const CalibrateOptions &options) {
  std::string target = options.target.empty() ? knobText(knobs::kTarget) : options.target;
  Progress progress;
  AVOCET_ASSIGN_OR_RETURN(Calibration calibration, calibrate(target, progress));
  return writeFile(options.output, toJson(calibration, options.cpuWatts));
}

} // namespace

void addCalibrateCommand(CommandLine &app, Action &action) {
  CommandLine command =
      app.addSubcommand("calibrate", "Measure the performance figures of a target that the NN HAL reports");
  command.setFooter(kExamples);
  auto options = std::make_shared<CalibrateOptions>();
  command.addText("-t,--target", options->target, "target to measure (default: $AVOCET_TARGET)");
  command.addText("-o,--output", options->output, "file to write, - for the standard output");
  addNumber(command, "--cpu-watts", options->cpuWatts, "power of the processor core that energy is relative to",
            kLeastWatts, kMostWatts)
      .showDefault();
  command.onSelected([&action, options] { action = [options] { return runCalibration(*options); }; });
}

} // namespace avocet::tool
