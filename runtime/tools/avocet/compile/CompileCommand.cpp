//===- CompileCommand.cpp - avocet compile ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "avocet/base/File.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/NumberText.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/compiler/Compiler.h"
#include "avocet/documents/Remarks.h"
#include "avocet/session/TargetFile.h"
#include "debug/CompilationFiles.h"
#include "model/CompilerMessages.h"
#include "model/HintFiles.h"
#include "model/ModelSource.h"
#include "model/Optimization.h"
#include "output/TextTable.h"

#include <filesystem>
#include <fmt/format.h>
#include <optional>

namespace avocet::tool {
namespace {

enum class Constants { Elided, All };

struct CompileOptions {
  std::string model;
  std::string target;
  std::string signature;
  OpenInputs open;
  std::string output;
  std::string partition;
  std::string stopAfter;
  std::string startAt;
  std::string optimize;
  std::string optimizeLog;
  std::string hints;
  std::string remarks;
  std::string temps;
  bool printsIr = false;
  bool bytecode = false;
  bool sourceMap = false;
  bool locations = false;
  std::optional<Constants> constants;
  bool verbose = false;
  DiagnosticsFormat diagnostics = DiagnosticsFormat::Text;
};

constexpr const char *kPhases = "import|nn|place|schedule|allocate|cmd";

constexpr const char *kExamples = R"(Examples:
  avocet compile model.tflite -o out                     out/model.avom and out/data.avod for target e256
  avocet compile model.tflite -o out -t p4096            for another target
  avocet compile model.tflite --stop-after place -o -    print the IR after a phase
  avocet compile model.tflite --stop-after place -o placed.mlir
                                                         the same in a file, with all constants
  avocet compile placed.mlir --start-at place -o out     go on from there
  avocet compile model.tflite --shape input=1x224x224x3 -o out
                                                         for inputs of this shape
  avocet compile model.tflite -g -o out                  with a source map, for 'avocet where'
  avocet compile model.tflite --optimize 3 -o out        search for a faster schedule
  avocet compile model.tflite --optimize 30s --optimize-log alternatives.json -o out
                                                         for half a minute, and list what was tried
  avocet compile model.tflite -o out --hints hints.json  with cascades, blocks and places of results that the file
                                                         fixes; 'avocet explain --print-hints' writes one
  avocet compile model.tflite -o out --remarks why.json  list the decisions of the compiler and their alternatives
  avocet compile model.tflite -o out --save-temps temps  keep the IR of all phases
  avocet compile model.tflite --partition parts          parts/part0.mlir, ..., parts/partition.json
IR on the standard output is for reading: long constants are left out, and locations unless --locations asks for them. IR in a
file has both, so that --start-at can go on from it.
Phases: import, nn, place, schedule, allocate, cmd
Levels of --optimize: 0 makes one plan, in the shortest time. 1 keeps the best of three plans, by predicted cycles. 2 makes twelve
plans, simulates the best ones, and tries other blocks of the array in the fastest. 3 makes more plans, combines them and changes the best ones step by step, as does a time, until
it is over. Each level gives at most the cycles of level 1 (0 excepted), and the same bytes every time; with a time, the bytes
depend on the computer's speed.)";

std::string phaseTable(const compiler::CompileResult &result) {
  TextTable table;
  table.addColumn("phase", TextTable::Align::Left);
  table.addColumn("ms", TextTable::Align::Right);
  table.addColumn("peak memory", TextTable::Align::Right);
  for (const compiler::PhaseCost &phase : result.phases)
    table.addRow({phase.phase, fmt::format("{:.2f}", phase.milliseconds), formatBytes(phase.peakMemoryBytes)});
  return table.toString();
}

bool isForStandardOutput(const CompileOptions &options) { return options.output.empty() || options.output == "-"; }

Result<compiler::IrFormat> irFormatOf(const CompileOptions &options) {
  if (options.bytecode && options.constants == Constants::Elided)
    return invalidArgument("--bytecode holds all constants; leave out --constants elided");
  if (options.bytecode)
    return compiler::IrFormat::Bytecode;
  const Constants automatic =
      isForStandardOutput(options) && options.partition.empty() ? Constants::Elided : Constants::All;
  if (options.constants.value_or(automatic) == Constants::All)
    return compiler::IrFormat::Text;
  return options.locations ? compiler::kReadableTextWithLocations : compiler::kReadableText;
}

Status writeIr(const compiler::CompileResult &result, const CompileOptions &options) {
  return writeFile(isForStandardOutput(options) ? "-" : options.output, result.ir);
}

std::string targetOf(const CompileOptions &options) {
  return options.target.empty() ? knobText(knobs::kTarget) : options.target;
}

Status writeBoth(const compiler::CompileResult &result, const CompileOptions &options) {
  AVOCET_RETURN_IF_ERROR(cache::writeArtefacts(options.output, result.modelCache, result.dataCache));
  AVOCET_RETURN_IF_ERROR(session::keepTargetFile(options.output, targetOf(options)));
  double total = 0;
  for (const compiler::PhaseCost &phase : result.phases)
    total += phase.milliseconds;
  printOut("{}/{}  {}\n{}/{}  {}\ncompiled in {:.1f} ms\n", options.output, cache::kModelFileName,
           formatBytes(result.modelCache.size()), options.output, cache::kDataFileName,
           formatBytes(result.dataCache.size()), total);
  return Status::ok();
}

Status writePartition(const compiler::DivideResult &result, const std::string &directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    return errnoStatus(error.value(), "cannot create directory " + directory);
  for (const compiler::NamedFile &file : result.files) {
    AVOCET_RETURN_IF_ERROR(writeFile(directory + "/" + file.name, file.bytes));
    printOut("{}/{}  {}\n", directory, file.name, formatBytes(file.bytes.size()));
  }
  return Status::ok();
}

/// Compiles; the options for IR observe it.
Result<compiler::CompileResult> compileObserved(compiler::CompileRequest request, const CompileOptions &options) {
  Progress progress;
  Status written;
  std::optional<CompilationFiles> files;
  if (options.printsIr) {
    request.elidesConstants = true;
    request.afterPass = [&](const compiler::PassResult &pass) {
      progress.clear();
      printPassResult(pass);
    };
  } else if (!options.temps.empty()) {
    AVOCET_ASSIGN_OR_RETURN(files, CompilationFiles::create(options.temps, request));
    request.afterPass = [&](const compiler::PassResult &pass) {
      if (Status status = files->add(pass); written.isOk())
        written = std::move(status);
    };
  }
  Result<compiler::CompileResult> result = compileModel(std::move(request), options.diagnostics, progress);
  AVOCET_RETURN_IF_ERROR(written);
  if (files)
    AVOCET_RETURN_IF_ERROR(result ? files->finish(*result) : files->fail(result.status()));
  return result;
}

Result<compiler::DivideResult> divideObserved(compiler::DivideRequest request, const CompileOptions &options) {
  Progress progress;
  std::optional<CompilationFiles> files;
  if (!options.temps.empty()) {
    AVOCET_ASSIGN_OR_RETURN(files, CompilationFiles::create(options.temps, request));
  }
  Result<compiler::DivideResult> result = divideModel(std::move(request), options.diagnostics, progress);
  if (files)
    AVOCET_RETURN_IF_ERROR(result ? files->finish(*result) : files->fail(result.status()));
  return result;
}

Result<compiler::CompileRequest> requestFor(const CompileOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(compiler::CompileRequest request, network::requestOf({.path = options.model,
                                                                                .target = options.target,
                                                                                .signature = options.signature,
                                                                                .inputs = options.open,
                                                                                .optimize = options.optimize,
                                                                                .sourceMap = options.sourceMap,
                                                                                .hints = options.hints}));
  request.stopAfter = options.stopAfter;
  request.startAt = options.startAt;
  AVOCET_ASSIGN_OR_RETURN(request.irFormat, irFormatOf(options));
  return request;
}

Status writeLogs(const CompileOptions &options, const documents::RemarkLog &remarks, const AlternativeLog &log) {
  if (!options.remarks.empty())
    AVOCET_RETURN_IF_ERROR(writeFile(options.remarks, remarks.text()));
  if (options.optimizeLog.empty())
    return Status::ok();
  if (log.isEmpty())
    return invalidArgument("--optimize-log: no schedule was made; the phase schedule must be among those that run");
  return writeFile(options.optimizeLog, log.text());
}

Status compile(const CompileOptions &options) {
  if (options.output.empty() && options.partition.empty() && options.stopAfter.empty())
    return invalidArgument("no directory for the artefacts was given; add -o DIR");
  AVOCET_ASSIGN_OR_RETURN(compiler::CompileRequest request, requestFor(options));
  AlternativeLog log;
  if (!options.optimizeLog.empty())
    request.alternative = [&](const compiler::Alternative &alternative) { log.add(alternative); };
  documents::RemarkLog remarks;
  if (!options.remarks.empty())
    request.remark = [&](const compiler::Remark &remark) { remarks.add(remark); };
  if (!options.partition.empty()) {
    AVOCET_ASSIGN_OR_RETURN(const compiler::DivideResult divided,
                            divideObserved({request, request.irFormat, request.remark}, options));
    AVOCET_RETURN_IF_ERROR(writeLogs(options, remarks, log));
    return writePartition(divided, options.partition);
  }
  AVOCET_ASSIGN_OR_RETURN(compiler::CompileResult result, compileObserved(std::move(request), options));
  AVOCET_RETURN_IF_ERROR(writeLogs(options, remarks, log));
  AVOCET_RETURN_IF_ERROR(options.stopAfter.empty() ? writeBoth(result, options) : writeIr(result, options));
  if (options.verbose)
    printErr("{}", phaseTable(result));
  return Status::ok();
}

} // namespace

void addCompileCommand(CommandLine &app, Action &action) {
  auto options = std::make_shared<CompileOptions>();
  CommandLine command = app.addSubcommand("compile", "Compile a model into a directory of artefacts");
  command.setFooter(kExamples);
  command.addText("model", options->model, "Model file (.tflite, .onnx, .tosa, .mlir)").required();
  command.addText("-o,--output", options->output,
                  "Directory for the artefacts; with --stop-after the file for the IR, - for the standard output");
  command.addText("-t,--target", options->target, kCompileTargetHelp);
  command.addText("--signature", options->signature, kSignatureHelp);
  addOptions(command, options->open);
  command.addText("--optimize", options->optimize, kOptimizeHelp).valueName("LEVEL|SECONDS");
  command
      .addText("--optimize-log", options->optimizeLog,
               "Write the schedules that were considered to this file (JSON, one line each)")
      .valueName("FILE");
  CommandOption hints = command.addText("--hints", options->hints, kHintsHelp);
  hints.valueName("FILE");
  command
      .addText("--remarks", options->remarks,
               "Write what the compiler decided, the alternatives and the reasons to this file (JSON, one line each)")
      .valueName("FILE");
  CommandOption stopAfter = command.addText("--stop-after", options->stopAfter, "Stop after a phase and write its IR");
  stopAfter.valueName(kPhases);
  CommandOption startAt = command.addText("--start-at", options->startAt, "The model is the IR that this phase wrote");
  startAt.valueName(kPhases);
  command
      .addText("--partition", options->partition,
               "Write the networks between unsupported operators to this directory, with a description "
               "(partition.json); 'avocet run DIR --fallback cpu' runs them")
      .excludes(stopAfter)
      .excludes(startAt)
      .excludes(hints)
      .excludes(command.option("--output"))
      .valueName("DIR");
  command.addFlag("-g,--source-map", options->sourceMap,
                  "Record where each command, transfer and constant comes from; see 'avocet where'");
  CommandOption printsIr = command.addFlag("--print-ir-after-change", options->printsIr,
                                           "Print the IR after each pass that changed it to the standard error stream");
  command
      .addText("--save-temps", options->temps,
               "Also write the command line, model, target, IR of each phase and artefacts to this directory")
      .excludes(printsIr)
      .valueName("DIR");
  command.addFlag("--bytecode", options->bytecode, "Write IR as bytecode instead of text");
  addChoice(command, "--constants", options->constants,
            "Constants in IR: all, or elided, which leaves out long ones; default: elided on the standard output, all "
            "in files",
            {{"elided", Constants::Elided}, {"all", Constants::All}});
  command.addFlag("--locations", options->locations,
                  "Print locations, which name the layers; IR with all constants always has them");
  command.addFlag("-v,--verbose", options->verbose, "Print time and memory of each phase");
  addChoice(command, "--diagnostics", options->diagnostics, "Form of errors; default: text",
            {{"text", DiagnosticsFormat::Text}, {"json", DiagnosticsFormat::Json}});
  command.onSelected([options, &action] { action = [options] { return compile(*options); }; });
}

} // namespace avocet::tool
