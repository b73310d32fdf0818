//===- ReduceCommand.cpp - avocet reduce ------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CandidateTester.h"
#include "TfliteReducer.h"
#include "avocet/base/File.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/ProgramBeside.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/compiler/Loader.h"
#include "output/Progress.h"
#include "programs/SubcommandProgram.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <thread>

namespace avocet::tool {
namespace {

struct IrReduction {
  std::string model;
  std::string output;
  TestCommand command;
};

namespace files = std::filesystem;

Result<std::string> findProgram(const std::string &name) {
  std::string path = programBeside(name);
  std::error_code error;
  if (files::exists(path, error))
    return path;
  return notFound(
      fmt::format("IR is reduced by the program {0}, which is not at {1}; build the target {0}", name, path));
}

/// A tester as MLIR's reducer calls it: a program that ends with 1 for an interesting file. Each call adds a byte to
/// the file `tried`. avocet-reduce has verified the file.
std::string testerScript(const TestCommand &command, const std::string &tried) {
  const auto quoted = TestCommand::quoted;
  return fmt::format("#!/bin/sh\n"
                     "printf . >>{}\n"
                     "{} reduce \"$1\" --judge --test {} --exit {} --time-limit {} >/dev/null 2>&1 && exit 1\n"
                     "exit 0\n",
                     quoted(tried), quoted(programBeside("avocet")), quoted(command.text()), command.exitOption(),
                     command.seconds());
}

uint64_t sizeOf(const std::string &path) {
  std::error_code error;
  const uint64_t size = files::file_size(path, error);
  return error ? 0 : size;
}

Status writeProgram(const std::string &path, const std::string &text) {
  AVOCET_RETURN_IF_ERROR(writeFile(path, text));
  std::error_code error;
  files::permissions(path, files::perms::owner_all, error);
  return error ? errnoStatus(error.value(), "cannot make " + path + " a program") : Status::ok();
}

/// Reduces a module with avocet-reduce, a program of its own: this one does not contain MLIR. It runs the command by
/// calling this program again for each candidate (`avocet reduce --judge`). FailedPrecondition: the command does not
/// hold for the model. NotFound: there is no avocet-reduce beside this program.
Status reduceIr(const IrReduction &reduction, const Bytes &original, CandidateTester &tester) {
  const auto start = std::chrono::steady_clock::now();
  AVOCET_ASSIGN_OR_RETURN(const std::string reducer, findProgram("avocet-reduce"));
  AVOCET_RETURN_IF_ERROR(tester.requireInteresting(original, reduction.model));
  const std::string script = tester.directory() + "/tester", tried = tester.directory() + "/tried",
                    result = tester.directory() + "/result.mlir", log = tester.directory() + "/reducer.log";
  AVOCET_RETURN_IF_ERROR(writeProgram(script, testerScript(reduction.command, tried)));
  AVOCET_ASSIGN_OR_RETURN(
      const TestCommand line,
      TestCommand::create(fmt::format("{} {{}} -o {} --mlir-print-debuginfo --avocet-reduce-module=test={}",
                                      TestCommand::quoted(reducer), result, script),
                          InterestingExit{}, TestCommand::kMostSeconds));
  Progress progress;
  AVOCET_ASSIGN_OR_RETURN(const CommandEnd end, line.run(reduction.model, log, [&] {
    progress.update(fmt::format("reducing {}: {} candidates tried", reduction.model, sizeOf(tried)));
  }));
  progress.clear();
  if (!line.isInteresting(end)) {
    const Result<Bytes> messages = readFile(log);
    return failedPrecondition(fmt::format("{}: avocet-reduce {}\n{}", reduction.model, end.text(),
                                          messages ? std::string(messages->begin(), messages->end()) : ""));
  }
  AVOCET_ASSIGN_OR_RETURN(const Bytes reduced, readFile(result));
  AVOCET_RETURN_IF_ERROR(tester.requireInteresting(reduced, "the reduced module"));
  AVOCET_RETURN_IF_ERROR(writeFile(reduction.output, reduced));
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  printOut("{}: {} of {} bytes, {} candidates in {:.1f} s\n", reduction.output, reduced.size(), original.size(),
           sizeOf(tried), time.count());
  return Status::ok();
}

constexpr const char *kExamples = R"(Examples:
  avocet reduce model.tflite --test './wrong.sh {}'       wrong.sh exits with 0 while the result is wrong
  avocet reduce model.tflite --test 'avocet compile {} -o /tmp/out 2>&1 | grep -q "lies outside"'
                                                          the error message must stay the same
  avocet reduce model.tflite --test 'avocet run {}' --exit failure -o small.tflite
                                                          any failure; it may become another one on the way
  avocet reduce placed.mlir --test 'avocet-opt --avocet-schedule=target=e256 {}' --exit 134
                                                          IR of any phase, with avocet-reduce
The command is a line for the shell, run in the current directory; {} becomes the path of the candidate. A candidate is interesting
if the command ends with 0, as for other reducers; another code is set with --exit. The command must hold for MODEL itself. A
command that reaches its time limit is not interesting. Ctrl-C ends the reduction; of a .tflite file, the best model so far is in the output file.)";

struct ReduceOptions {
  std::string model;
  std::string test;
  std::string exit = "0";
  std::string output;
  bool isJudge = false;
  double seconds = TestCommand::kDefaultSeconds;
  uint32_t jobs = std::max(1u, std::thread::hardware_concurrency());
};

/// The compiler's answer to a model, without compiling it: Ok, Unsupported, or the error of the import.
StatusCode importCode(const compiler::LoadedCompiler &compiler, const Bytes &file) {
  compiler::JudgeRequest request;
  request.modelPath = "candidate.tflite";
  request.modelBytes = file;
  request.format = compiler::InputFormat::Tflite;
  request.target = knobText(knobs::kTarget);
  return compiler.judge(request).status.code();
}

/// Refuses candidates that the compiler cannot read. A command that waits for any failure would follow them to models
/// that fail for another reason. If the original cannot be read, that may be what is looked for: no check then.
TfliteReducer::Accept importable(const Bytes &original) {
  const auto isRead = [](StatusCode code) { return code == StatusCode::Ok || code == StatusCode::Unsupported; };
  auto compiler = compiler::LoadedCompiler::load();
  if (!compiler || !isRead(importCode(*compiler, original)))
    return [](const Bytes &) { return true; };
  return [isRead, loaded = *compiler](const Bytes &file) { return isRead(importCode(loaded, file)); };
}

std::string summaryOf(const ReductionState &state) {
  std::string text;
  for (const auto &operation : analysis::mainGraph(state.model).operators) {
    text += "  " + analysis::operatorName(state.model, *operation);
    for (int32_t output : operation->outputs) {
      const tflite::TensorT &tensor = *analysis::mainGraph(state.model).tensors[static_cast<size_t>(output)];
      text += fmt::format("  {:.40} {} [{}]", tensor.name, tflite::EnumNameTensorType(tensor.type),
                          fmt::join(tensor.shape, "x"));
    }
    text += "\n";
  }
  return text;
}

Status reduceTflite(const ReduceOptions &options, const Bytes &original, CandidateTester &tester) {
  const auto start = std::chrono::steady_clock::now();
  Progress progress;
  progress.stage("reducing " + options.model);
  AVOCET_RETURN_IF_ERROR(tester.requireInteresting(original, options.model));
  TfliteReducer reducer(tester, importable(original));
  AVOCET_RETURN_IF_ERROR(reducer.begin(original, options.model));
  const size_t before = analysis::mainGraph(reducer.state().model).operators.size();
  tester.afterEach = [&](size_t tried) {
    progress.update(fmt::format("reducing {}: {} of {} operators left, {} bytes, {} candidates tried",
                                reducer.state().step, analysis::mainGraph(reducer.state().model).operators.size(),
                                before, reducer.state().file.size(), tried));
  };
  reducer.onProgress = [&] { return writeFile(options.output, reducer.state().file); };
  AVOCET_RETURN_IF_ERROR(reducer.onProgress());
  Status end = reducer.run();
  progress.clear();
  if (!end.isOk() && end.code() != StatusCode::Aborted)
    return end;
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  printOut("{}: {} of {} operators, {} of {} bytes, {} candidates in {:.1f} s{}\n{}", options.output,
           analysis::mainGraph(reducer.state().model).operators.size(), before, reducer.state().file.size(),
           original.size(), tester.tried(), time.count(), end.isOk() ? "" : ", interrupted",
           summaryOf(reducer.state()));
  return Status::ok();
}

/// model.tflite -> model.reduced.tflite, in the current directory.
std::string defaultOutput(const std::string &model) {
  const std::filesystem::path path(model);
  return path.stem().string() + ".reduced" + path.extension().string();
}

/// For avocet-reduce: Ok if the file is interesting.
Status judge(const TestCommand &command, const std::string &path) {
  AVOCET_ASSIGN_OR_RETURN(const CommandEnd end, command.run(path));
  return command.isInteresting(end) ? Status::ok() : failedPrecondition(path + ": is not interesting");
}

Status reduce(ReduceOptions options) {
  AVOCET_ASSIGN_OR_RETURN(const InterestingExit exit, parseInterestingExit(options.exit));
  AVOCET_ASSIGN_OR_RETURN(const TestCommand command, TestCommand::create(options.test, exit, options.seconds));
  ::setenv(std::string(knobs::kReproducers.name).c_str(), "off", /*replace=*/0); // one for each failing candidate
  const InterruptScope interrupts;
  if (options.isJudge)
    return judge(command, options.model);
  AVOCET_ASSIGN_OR_RETURN(const Bytes original, readFile(options.model));
  if (options.model.ends_with(".tosa"))
    return invalidArgument(options.model +
                           ": TOSA files are reduced as text: avocet-translate --read-tosa FILE -o FILE.mlir");
  if (options.model.ends_with(".onnx"))
    return invalidArgument(options.model +
                           ": ONNX files are reduced as text: avocet compile FILE --stop-after import -o FILE.mlir");
  if (options.output.empty())
    options.output = defaultOutput(options.model);
  AVOCET_ASSIGN_OR_RETURN(
      const std::unique_ptr<CandidateTester> tester,
      CandidateTester::create(command, analysis::isTflite(original) ? ".tflite" : ".mlir", options.jobs));
  return analysis::isTflite(original) ? reduceTflite(options, original, *tester)
                                      : reduceIr({options.model, options.output, command}, original, *tester);
}

} // namespace

void addReduceCommand(CommandLine &app, Action &action) {
  auto options = std::make_shared<ReduceOptions>();
  CommandLine command = addSubcommandOf(app, "reduce");
  command.setFooter(kExamples);
  command.addText("model", options->model, "Model file (.tflite, .mlir)").required();
  command.addText("--test", options->test, "Command line that judges a candidate; {} is the candidate's path")
      .required()
      .valueName("COMMAND");
  command
      .addText("--exit", options->exit, "Exit code of interesting candidates, or 'failure' for all but 0; default: 0")
      .valueName("CODE");
  command.addText("-o,--output", options->output, "File for the result; default: MODEL with '.reduced' in its name");
  addNumber(command, "--time-limit", options->seconds, "Seconds that one command may take; default: 60", 0.01,
            TestCommand::kMostSeconds);
  addNumber(command, "-j,--jobs", options->jobs,
            "Commands at the same time, for .tflite; the result does not depend on it; default: all processors", 1,
            1024);
  command.addFlag("--judge", options->isJudge).group("");
  command.onSelected([options, &action] { action = [options] { return reduce(*options); }; });
}

} // namespace avocet::tool
