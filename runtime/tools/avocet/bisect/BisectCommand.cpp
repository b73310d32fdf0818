//===- BisectCommand.cpp - avocet bisect ------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modes.h"
#include "compare/Oracle.h"
#include "programs/SubcommandProgram.h"

#include <fmt/core.h>

namespace avocet::tool {
namespace {

constexpr const char *kExamples = R"(Examples:
  avocet bisect model.tflite --options                 what differs between all optional things off and the default?
  avocet bisect model.tflite --options --good optimize=0 --bad optimize=3
                                                       between two settings
  avocet bisect model.tflite --options --good target=e256 --bad 'target=m512 optimize=2'
  avocet bisect model.tflite --passes --against tflite first optional pass, and first rewrite in it, that makes the
                                                       result another one than TensorFlow Lite's
  avocet bisect model.tflite --compiler old/libavocetCompiler.so --compiler new/libavocetCompiler.so
                                                       do two versions give the same? More than two: the first bad one
  avocet bisect model.tflite --compiler old.so --compiler new.so --criterion cycles
                                                       the first version that takes more cycles
  avocet bisect model.tflite --passes --test './wrong.sh {}'
                                                       wrong.sh exits with 0 while the artefacts in {} are wrong
Settings are target=NAME, optimize=LEVEL, threads=N, compiler=FILE, and for each optional transform of the compiler its
name with on or off; a wrong one lists them. What is expected is what the good end gives, unless --against names an
oracle. With --criterion cycles the bad end must take more cycles than the good one, and candidates are as bad as the end that
they are nearer to. Otherwise the bad end must fail, or differ in an output, or else in a tensor; the search keeps to that kind of difference. A
candidate that fails in another way counts as neither good nor bad. The exit code is 0 if a cause was found.)";

struct CommandOptions {
  BisectOptions bisect;
  bool options = false, passes = false;
  std::string target, optimize, test, criterion;
  std::string exit = "0";
  double seconds = TestCommand::kDefaultSeconds;
};

Result<Criterion> criterionOf(const CommandOptions &options) {
  if (options.criterion.empty() || options.criterion == "result")
    return Criterion::Result;
  if (options.criterion != "cycles")
    return invalidArgument(fmt::format("--criterion {}: must be result or cycles", options.criterion));
  if (!options.bisect.trials.against.empty() || !options.test.empty())
    return invalidArgument("--criterion cycles: is not for --against and --test, which judge results");
  return Criterion::Cycles;
}

Status bisect(CommandOptions options) {
  std::vector<std::string> &compilers = options.bisect.compilers;
  const bool isOther = options.options || options.passes;
  if ((options.options && options.passes) || (!isOther && compilers.empty()))
    return invalidArgument("give one of --options, --passes and --compiler OLD --compiler NEW");
  if (isOther && compilers.size() > 1)
    return invalidArgument("--options and --passes search one compiler; give one --compiler, or none");
  if (!isOther && compilers.size() < 2)
    return invalidArgument("give at least two --compiler, the good one first");
  if (!options.options && (options.bisect.hasGood || !options.bisect.bad.empty()))
    return invalidArgument("--good and --bad are settings for --options");
  if (isOther && !compilers.empty())
    options.bisect.base[kCompilerSetting] = compilers.front();
  if (!options.target.empty())
    options.bisect.base[kTargetSetting] = options.target;
  if (!options.optimize.empty())
    options.bisect.base[kOptimizeSetting] = options.optimize;
  AVOCET_ASSIGN_OR_RETURN(options.bisect.trials.criterion, criterionOf(options));
  std::optional<InterruptScope> interrupts;
  if (!options.test.empty()) {
    AVOCET_ASSIGN_OR_RETURN(const InterestingExit exit, parseInterestingExit(options.exit));
    AVOCET_ASSIGN_OR_RETURN(options.bisect.trials.command, TestCommand::create(options.test, exit, options.seconds));
    interrupts.emplace();
  }
  Progress progress;
  if (options.options)
    return bisectOptions(options.bisect, progress);
  return options.passes ? bisectPasses(options.bisect, progress) : bisectCompilers(options.bisect, progress);
}

void addSearches(CommandLine &command, CommandOptions &options) {
  command.addFlag("--options", options.options, "Search the settings that differ between --good and --bad");
  command
      .addText("--good", options.bisect.good, "Settings that give the right result; default: all optional things off")
      .valueName("SETTINGS");
  command.addText("--bad", options.bisect.bad, "Settings that give the wrong result; default: no settings")
      .valueName("SETTINGS");
  command.addFlag("--passes", options.passes, "Search the optional passes of the compiler, and their rewrites");
  command
      .addTexts("--compiler", options.bisect.compilers,
                "A libavocetCompiler.so. Two or more, the good one first: search them. One: instead of the default")
      .oneEach()
      .valueName("FILE");
}

void addJudgment(CommandLine &command, CommandOptions &options) {
  command
      .addText("--criterion", options.criterion,
               "What makes a candidate bad: result (another one than expected; the default), or cycles (more of them)")
      .valueName("result|cycles");
  CommandOption against = command.addText("--against", options.bisect.trials.against, kOracleHelp);
  against.valueName(kOracles);
  command
      .addText("--test", options.test,
               "Judge by a command line instead: it ends with 0 while the artefacts in the directory {} are wrong")
      .excludes(against)
      .valueName("COMMAND");
  command.addText("--exit", options.exit, "Exit code of wrong artefacts, or 'failure' for all but 0; default: 0")
      .valueName("CODE");
  addNumber(command, "--time-limit", options.seconds, "Seconds that one command may take; default: 60", 0.01,
            TestCommand::kMostSeconds);
}

} // namespace

void addBisectCommand(CommandLine &app, Action &action) {
  auto options = std::make_shared<CommandOptions>();
  RunOptions &run = options->bisect.trials.run;
  CommandLine command = addSubcommandOf(app, "bisect");
  command.setFooter(kExamples);
  command.addText("model", run.model, "Model file (.tflite, .mlir)").required();
  addSearches(command, *options);
  addJudgment(command, *options);
  command.addText("-t,--target", options->target, "Device of both ends, unless a setting names another; default: e256");
  command.addText("--optimize", options->optimize, "Effort for the schedule, as in 'avocet compile'")
      .valueName("LEVEL|SECONDS");
  command.addText("--signature", run.signature, kSignatureHelp);
  addOptions(command, run.open);
  addOracleOptions(command, run, options->bisect.trials.tolerance);
  command.onSelected([options, &action] {
    options->bisect.hasGood = !options->bisect.good.empty();
    action = [options] { return bisect(*options); };
  });
}

} // namespace avocet::tool
